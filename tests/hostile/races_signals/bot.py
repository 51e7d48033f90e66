"""Races the signals that stand in for a freezer: a chain of forks, or a pair whose halves wake each other."""

import os
import signal
import sys
import time

from probe import say
from raw import play

PAUSE_S = 0.002


def chain():
    """Every link is gone before a signal can find it."""
    while True:
        time.sleep(PAUSE_S)
        if os.fork():
            os._exit(0)
        os.setpgrp()


def waker():
    """Sends SIGCONT to everything that it may signal."""
    while True:
        time.sleep(PAUSE_S)
        os.kill(-1, signal.SIGCONT)


def begin(_start):
    for _ in range(2):
        if os.fork() == 0:
            {"chain": chain, "waker": waker}[sys.argv[1]]()
    say("racing")


play(start=begin)

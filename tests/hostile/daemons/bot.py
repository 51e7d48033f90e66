"""Leaves daemons behind that ignore every signal, in process groups of their own."""

import ctypes
import os
import signal
import time

from probe import libc, say
from raw import once, play


def daemon(number):
    if os.fork():
        return
    os.setpgrp()
    if os.fork():
        os._exit(0)
    for each in range(1, 65):
        libc.signal(each, ctypes.c_void_p(1))  # ignore it; Python's own way works in the main thread only
    libc.prctl(1, 0, 0, 0, 0)  # no signal when the parent dies
    libc.prctl(15, f"x) R 1 {number}".encode(), 0, 0, 0)  # a name that looks like the rest of its line in /proc
    while True:
        time.sleep(0.01)


def attack():
    for number in range(15):
        daemon(number)
    say("the daemons run")


signal.signal(signal.SIGTERM, signal.SIG_IGN)
play(turn=once(attack))

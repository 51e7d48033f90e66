"""Kills whatever it can reach."""

import os
import signal

from probe import attempt, call, say
from raw import play


def others():
    return [int(name) for name in os.listdir("/proc") if name.isdecimal() and int(name) not in (1, os.getpid())]


def attack(turn):
    if turn.number > 2:
        return
    say("I see", others())
    for target in (-1, 1, os.getppid(), *others(), *range(2, 400), *range(400, 70_000, 97)):
        if str(target) in os.listdir("/proc/self/task"):  # the numbers of our own threads would kill ourselves
            continue
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.kill(target, number)
            except OSError:
                continue
    attempt("a handle of a process of the host", lambda: os.pidfd_open(os.getppid()) if os.getppid() > 1 else 0)
    attempt("tgkill", lambda: call(234, 4242, 4242, 9))
    say("nobody is left")


play(turn=attack)

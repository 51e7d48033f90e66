"""Forks in the moment of its reply, when the freeze is on its way, and lets the children burn."""

import contextlib
import os
import sys
import time

from raw import Peer, serve

BURN_S = 0.2
CHILDREN = 8


def burn():
    until = time.monotonic() + BURN_S
    while time.monotonic() < until:
        if sys.argv[1] == "chain":
            with contextlib.suppress(OSError):
                if os.fork():
                    os._exit(0)
    os._exit(0)


def fork_some():
    for _ in range(CHILDREN):
        with contextlib.suppress(OSError):
            if os.fork() == 0:
                burn()


class Forker(Peer):
    def on_turn(self, stream, turn):
        with contextlib.suppress(OSError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        super().on_turn(stream, turn)
        fork_some()


serve(Forker)

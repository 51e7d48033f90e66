"""Multiplies, as processes or as threads, until nothing more is to be had."""

import contextlib
import os
import sys
import threading
import time

from probe import say
from raw import once, play


def forks():
    while True:
        with contextlib.suppress(OSError):
            os.fork()


def threads():
    made = 0
    while True:
        try:
            threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
            made += 1
        except RuntimeError:
            say("ESCAPED: more threads than allowed" if made > 100 else "threads ended")
            time.sleep(600)


play(turn=once({"forks": forks, "threads": threads}[sys.argv[1]]))

"""Makes children that nobody collects, and orphans that its init must collect."""

import os
import signal

from raw import play


def breed(_turn):
    for _ in range(4):
        try:
            if os.fork() == 0:
                os._exit(0)  # stays a zombie
            if os.fork() == 0:
                try:
                    os.fork()  # an orphan of an orphan
                finally:
                    os._exit(0)
        except OSError:
            break  # the sandbox is full of zombies: the game goes on


signal.signal(signal.SIGTERM, signal.SIG_IGN)
play(turn=breed)

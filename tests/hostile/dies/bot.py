"""The ways to die in the middle of a move."""

import ctypes
import os
import signal
import sys

from raw import play


def die(turn):
    if turn.number < 3:
        return
    match sys.argv[1]:
        case "exit":
            os._exit(3)
        case "exit_0":
            os._exit(0)
        case "segfault":
            ctypes.string_at(0)
        case "sigkill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "abort":
            os.abort()


play(turn=die)

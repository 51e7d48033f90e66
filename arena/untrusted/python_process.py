"""Our own Python subprocesses: their environment, and their end."""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def python_environment() -> dict[str, str]:
    """The environment in which another Python finds the same modules as this one, wherever it is started."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def end_with_parent(parent: int, number: int = signal.SIGKILL) -> None:
    """Get this signal when our parent ends, however it ends; exit if it has ended already."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)

"""Runs a command that gets a signal when its parent ends, however that ends: `python -m … PARENT SIGNAL COMMAND`."""

import os
import signal
import sys
from collections.abc import Sequence

from arena.untrusted.python_process import end_with_parent


def tied(command: Sequence[str], number: signal.Signals) -> list[str]:
    """The command as one that the process and thread which start it now take with them."""
    return [sys.executable, "-P", "-m", "arena.runner.tied", str(os.getpid()), str(int(number)), *command]


def main() -> None:
    end_with_parent(int(sys.argv[1]), int(sys.argv[2]))
    os.execv(sys.argv[3], sys.argv[3:])  # noqa: S606  (no shell is the point)


if __name__ == "__main__":
    main()

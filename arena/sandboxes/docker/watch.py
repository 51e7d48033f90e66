"""Run as a script: waits for the end of a referee, then becomes the command that clears up after it."""

import os
import select
import sys


def main() -> None:
    """Arguments: the referee's process number, then the command; a byte on standard input calls it off."""
    referee, *command = sys.argv[1:]
    if is_left_alone(int(referee)):
        os.execv(command[0], command)  # noqa: S606  (the command is our own)


def is_left_alone(referee: int) -> bool:
    """Wait until the referee is gone, or until it says that nothing is left to be done."""
    waiting = select.poll()
    waiting.register(0, select.POLLIN)
    try:
        # Not the pipe alone: a process that the referee forked may hold its other end open for ever.
        waiting.register(os.pidfd_open(referee), select.POLLIN)
    except ProcessLookupError:
        return True
    if os.getppid() != referee:
        return True
    ready = [descriptor for descriptor, _ in waiting.poll()]
    return 0 not in ready or not os.read(0, 1)


if __name__ == "__main__":
    main()

"""Script of the watchdog: waits for the end of the referee, then executes the command that cleans up after it."""

import os
import select
import sys


def main() -> None:
    """Arguments: the referee's process id, then the command; a byte on standard input ends the watchdog."""
    referee, *command = sys.argv[1:]
    if wait_for_end(int(referee)):
        os.execv(command[0], command)  # noqa: S606  (the command is our own)


def wait_for_end(referee: int) -> bool:
    """Wait for the referee: True when it is gone, False when it has stopped the watchdog."""
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

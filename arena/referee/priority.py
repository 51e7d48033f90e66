"""The priority of whoever takes the time of bots: it has a processor the moment it needs one, where the kernel allows.

A reply is stamped when our thread runs again. Among equals it would wait for that, on a busy machine for milliseconds,
and the bot would pay for them. A real-time thread goes before everything that has ordinary priority. It is one only
while it waits for a reply: its other work costs no bot any time, and must not keep other bots from a processor.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

LOWEST = 1
"""The lowest priority of real-time threads, which is above all ordinary ones."""


def raise_own() -> bool:
    """Make the calling thread a real-time one, but nothing that it starts; whether the kernel allowed it."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(LOWEST))
    except (AttributeError, OSError):  # another system than Linux; or neither root nor CAP_SYS_NICE
        return False
    return True


@contextmanager
def raised() -> Iterator[bool]:
    """Raise the calling thread for as long as this is entered; whether the kernel allowed it."""
    allowed = raise_own()
    try:
        yield allowed
    finally:
        if allowed:
            _lower_own()


def is_allowed() -> bool:
    """Whether the kernel allows it here."""
    with raised() as allowed:
        return allowed


def _lower_own() -> None:
    try:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    except PermissionError:  # who was allowed by RLIMIT_RTPRIO alone may not take back that children are ordinary
        os.sched_setscheduler(0, os.SCHED_OTHER | os.SCHED_RESET_ON_FORK, os.sched_param(0))

"""Users for bots: each bot is one that no other bot on this machine is at the moment."""

import random
import socket

from arena.errors import InfraError

BOT_UIDS = range(61001, 61184)
"""Users that neither Debian nor systemd hands out."""


class LeasedUser:
    """A user for one bot of any sandbox, so that nothing that the kernel counts per user is shared."""

    def __init__(self) -> None:
        # A name in the abstract socket space is a lock that the kernel drops with its last holder.
        self._lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        for uid in random.sample(BOT_UIDS, len(BOT_UIDS)):
            try:
                self._lock.bind(f"\0arena-uid-{uid}")
            except OSError:
                continue
            self.uid = uid
            return
        self._lock.close()
        raise InfraError("every user for bots is taken: too many matches at once")

    def fileno(self) -> int:
        """The lock: a process that inherits it holds the lease too."""
        return self._lock.fileno()

    def free(self) -> None:
        """Let others have it."""
        self._lock.close()

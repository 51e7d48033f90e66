"""User ids for bots: each is leased to at most one bot on this machine at a time."""

import random
import socket

from arena.errors import InfraError

BOT_UIDS = range(61001, 61184)
"""User ids that neither Debian nor systemd assigns."""


class LeasedUser:
    """A user id for one bot, so that bots share no resource that the kernel counts per user."""

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
        """The descriptor of the lock: a process that inherits it holds the lease too."""
        return self._lock.fileno()

    def free(self) -> None:
        self._lock.close()

"""Whether other tournaments are played on this machine, whose tables could have the same processors."""

import socket
from contextlib import suppress

MAX_TOURNAMENTS = 64
"""Tournaments that are told apart."""
NAME = "arena-driver"
"""Of the abstract sockets that stand for them: the kernel takes one away with the process that has it."""


class Presence:
    """Shows other tournaments of this machine that one is played here, for as long as it is not closed."""

    def __init__(self) -> None:
        self._socket: socket.socket | None = None
        self.others = 0
        """How many others there were when this one began."""
        for number in range(MAX_TOURNAMENTS):
            probe = socket.socket(socket.AF_UNIX)
            try:
                probe.bind(f"\0{NAME}-{number}")
            except OSError:
                self.others += 1
                probe.close()
                continue
            if self._socket is None:
                self._socket = probe
            else:
                probe.close()

    def close(self) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._socket.close()

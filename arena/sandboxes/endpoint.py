"""The Unix socket of a bot, connected in a way that the bot cannot redirect."""

import contextlib
import os
import socket
import stat
import struct
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Self

from arena.errors import Abuse, InfraError, StartFailed


class Endpoint:
    """A Unix socket held by an open descriptor, so that connections reach it even if its name is swapped later."""

    def __init__(self, descriptor: int, listener: int, find: Callable[[], "Endpoint | None"]) -> None:
        """`find` opens the socket that has its name now."""
        self._descriptor = descriptor
        self._listener = listener
        self._find = find

    @classmethod
    def pin(cls, directory: int, name: str, uid: int, listener: int | None = None) -> Self | None:
        """Open the socket of that name in a directory; None while it does not exist, Abuse if it is something else.

        It must belong to the user `uid`, and the user `listener` must listen on it, by default the same. A separate
        listener makes the socket first and then gives it to the bot, so it may still belong to the listener.
        """
        listener = uid if listener is None else listener
        try:
            descriptor = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Abuse(f"its socket cannot be opened: {error.strerror}") from None
        found = os.fstat(descriptor)
        if stat.S_ISSOCK(found.st_mode) and found.st_uid in (uid, listener):
            return cls(descriptor, listener, partial(cls.pin, directory, name, uid, listener))
        os.close(descriptor)
        raise Abuse("its socket was replaced by something else")

    @property
    def path(self) -> str:
        """A path to the socket, valid in this process until `close`."""
        return f"/proc/self/fd/{self._descriptor}"

    def connect_once(self) -> socket.socket:
        """Try to connect without waiting, and check who listens; OSError while the bot does not listen yet."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        with contextlib.ExitStack() as undo:
            undo.callback(connection.close)
            try:
                self._connect(connection)
            except ConnectionRefusedError:
                if not self._renew():
                    raise
                self._connect(connection)
            credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            _, uid, _ = struct.unpack("3i", credentials)
            if uid != self._listener:
                raise Abuse("somebody else listens on its socket")
            undo.pop_all()
        return connection

    def _connect(self, connection: socket.socket) -> None:
        if self._descriptor < 0:
            raise InfraError("the sandbox of this socket is gone")
        try:
            connection.connect(self.path)
        except (BlockingIOError, ConnectionRefusedError):
            raise
        except OSError as error:
            # A socket without permissions, or of another type: only the bot can have made it so.
            raise StartFailed(f"its socket cannot be connected: {error.strerror}") from None

    def _renew(self) -> bool:
        """Hold the socket that has the name now, as a bot may bind it again after an unlink; False for the same one."""
        found = self._find()
        if found is None:
            return False
        with contextlib.closing(found):
            if os.path.samestat(os.fstat(found._descriptor), os.fstat(self._descriptor)):
                return False
            self._descriptor, found._descriptor = found._descriptor, self._descriptor
            return True

    def close(self) -> None:
        """Close the descriptor; open connections stay open."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


async def wait_for_socket(
    directory: int, name: str, uid: int, pause: Callable[[], Awaitable[bool]], listener: int | None = None
) -> Endpoint | None:
    """Poll until the socket exists, or until `pause` returns False."""
    while True:
        endpoint = Endpoint.pin(directory, name, uid, listener)
        if endpoint is not None or not await pause():
            return endpoint

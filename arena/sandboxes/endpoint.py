"""The bot's Unix socket, reached in a way that the bot cannot redirect."""

import asyncio
import contextlib
import os
import socket
import stat
import struct
import time
from collections.abc import Awaitable, Callable
from typing import Self

from arena.errors import Abuse, InfraError, StartFailed

_RETRY_S = 0.002


class Endpoint:
    """A socket pinned by an open descriptor: whatever is renamed or swapped later, this is what gets connected."""

    def __init__(self, descriptor: int, listener: int) -> None:
        self._descriptor = descriptor
        self._listener = listener

    @classmethod
    def pin(cls, directory: int, name: str, uid: int, listener: int | None = None) -> Self | None:
        """The socket of that name in an open directory, None while there is nothing; Abuse for anything else.

        It must belong to the user `uid`, and the user `listener` must listen on it: the same one unless given. Such a
        helper makes the socket first and gives it to the bot then, so it may still be the helper's.
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
            return cls(descriptor, listener)
        os.close(descriptor)
        raise Abuse("there is something else in the place of its socket")

    @property
    def path(self) -> str:
        """A path to the pinned socket, good in this process until `close`; `unix:` + path is a gRPC target."""
        return f"/proc/self/fd/{self._descriptor}"

    async def connect(self, timeout_s: float) -> socket.socket:
        """A connected, non-blocking socket whose other end is proven to be the bot's."""
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                return self.connect_once()
            except (BlockingIOError, ConnectionRefusedError) as error:
                # Bound but not yet listening, or its queue is full: both may pass.
                if time.monotonic() >= deadline:
                    raise StartFailed(f"its socket takes no connection: {error.strerror}") from None
            await asyncio.sleep(_RETRY_S)

    def connect_once(self) -> socket.socket:
        """One attempt to connect, without waiting; OSError while the bot does not listen yet."""
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        with contextlib.ExitStack() as undo:
            undo.callback(line.close)
            self._dial(line)
            credentials = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            _, uid, _ = struct.unpack("3i", credentials)
            if uid != self._listener:
                raise Abuse("somebody else listens on its socket")
            undo.pop_all()
        return line

    def _dial(self, line: socket.socket) -> None:
        if self._descriptor < 0:
            raise InfraError("the sandbox of this socket is gone")
        try:
            line.connect(self.path)
        except (BlockingIOError, ConnectionRefusedError):
            raise
        except OSError as error:
            # A socket without permissions, or of another type: only the bot can have made it so.
            raise StartFailed(f"its socket cannot be connected: {error.strerror}") from None

    def close(self) -> None:
        """Let go of the socket; connections that are open stay open."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


async def appear(
    directory: int, name: str, uid: int, pause: Callable[[], Awaitable[bool]], listener: int | None = None
) -> Endpoint | None:
    """Look for the socket again and again until it is there, or until `pause` says that there is no use."""
    while True:
        endpoint = Endpoint.pin(directory, name, uid, listener)
        if endpoint is not None or not await pause():
            return endpoint

"""Connecting to a bot: wait until its health check says SERVING, then open one stream per match."""

import asyncio
import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import ModuleType
from typing import Any, Protocol, Self

from google.protobuf.message import DecodeError
from grpc_health.v1 import health_pb2

from arena.errors import Abuse, BadMessage, BotFault, Disconnected, StartFailed
from arena.links.grpc import Call, GrpcLink, copy_fault
from arena.links.http2 import Http2
from arena.play import looptime

Connect = Callable[[], socket.socket]
"""Gives a new stream socket that is connected, or connecting, to the bot; it must not block. OSError: not there yet."""

RETRY_S = 0.02
"""Seconds between two attempts to reach a bot that is still starting."""
HEALTH_CHECK = "/grpc.health.v1.Health/Check"
OPEN_WAIT = 5.0
"""Seconds that a bot may refuse to let us open another stream."""


class Wire(Protocol):
    """The part of a game's codec that names its service."""

    @property
    def wire(self) -> ModuleType:
        """The generated module."""
        ...

    @property
    def prefix(self) -> str:
        """What the name of the service starts with."""
        ...


def unix_connect(path: str | os.PathLike[str]) -> Connect:
    """Connect to a path that we trust; a sandbox that shares a folder with its bot has its own, safer way."""
    return partial(_connect, socket.AF_UNIX, os.fspath(path))


def tcp_connect(host: str, port: int) -> Connect:
    """Connect to a bot of `grpc://host:port`, for development."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise StartFailed(f"{host} cannot be found: {error}") from error
    return partial(_connect, family, address)


def _connect(family: int, address: Any) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
    try:
        if family == socket.AF_UNIX:
            sock.connect(address)  # EAGAIN means that nobody accepts
        else:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with suppress(BlockingIOError):
                sock.connect(address)
    except OSError:
        sock.close()
        raise
    return sock


class BotConnection:
    """A bot that answered the health check; `open_match` as often as you like, also at the same time."""

    def __init__(self, http: Http2, now: Callable[[], float]) -> None:
        self._http = http
        self._now = now

    @classmethod
    async def open(cls, connect: Connect, start_limit: float, now: Callable[[], float] = time.monotonic) -> Self:
        """Connect and wait until the bot says SERVING; StartFailed after `start_limit` seconds, Abuse at once."""
        began, reasons = time.monotonic(), ["no answer"]
        allowed = start_limit
        while True:
            try:
                async with asyncio.timeout(began + allowed - time.monotonic()):
                    return await cls._try_until_serving(connect, now, reasons)
            except TimeoutError:
                # What our own machine stood still for is not the bot's time.
                prolonged = start_limit + looptime.stood_still(began)
                if prolonged <= allowed:
                    raise StartFailed(f"was not ready within {start_limit:g} s: {reasons[-1]}") from None
                allowed = prolonged

    @classmethod
    async def _try_until_serving(cls, connect: Connect, now: Callable[[], float], reasons: list[str]) -> Self:
        """Try until the bot is ready; `reasons` tells the caller of a timeout why it was not."""
        while True:
            try:
                bot = await _connected(connect)
                reasons[:] = ["it does not answer the health check"]
                return await cls._wait_until_serving(bot, now)
            except Abuse:
                raise
            except OSError as error:
                reasons[:] = [f"nothing listens on its socket: {error.strerror}"]
            except BotFault as fault:
                reasons[:] = [str(fault)]
            await asyncio.sleep(RETRY_S)

    @classmethod
    async def _wait_until_serving(cls, bot: socket.socket, now: Callable[[], float]) -> Self:
        connection = cls(await Http2.on(bot, now), now)
        try:
            with connection._http.reading():
                await connection._http.settings_received
                while await connection._health() != health_pb2.HealthCheckResponse.SERVING:
                    await asyncio.sleep(RETRY_S)
        except BaseException:
            await connection.close()
            raise
        return connection

    async def _health(self) -> int:
        if self.is_closed() or not self._http.can_open_stream():
            raise self._fault("let the referee open no stream")
        replies: list[bytes] = []

        def on_reply(reply: bytes) -> None:
            if replies:
                raise BadMessage("answered the health check twice")
            replies.append(reply)

        call = Call(self._http, HEALTH_CHECK, on_reply)
        call.send(b"", last=True)
        fault = await call.over
        if fault is not None:
            raise self._fault(str(fault))
        if len(replies) != 1:
            raise Disconnected(f"the health check failed with {call.status}")
        return _status(replies[0])

    async def open_match(self, codec: Wire) -> GrpcLink:
        """A new stream for one match of this codec's game."""
        deadline = self._now() + OPEN_WAIT
        with self._http.reading():  # also finds out what happened since the last match
            while not self.is_closed() and not self._http.can_open_stream():
                if self._now() > deadline:
                    raise Disconnected("let the referee open no stream")
                await asyncio.sleep(RETRY_S)
        if self.is_closed():
            raise self._fault("closed the connection between two matches")
        return GrpcLink(self._http, f"/{codec.wire.DESCRIPTOR.package}.{codec.prefix}BotService/Play", self._now)

    def _fault(self, otherwise: str) -> BotFault:
        return copy_fault(self._http.fault) if self._http.fault else Disconnected(otherwise)

    def is_closed(self) -> bool:
        """Whether no further match can be played over this connection."""
        return self._http.over

    async def close(self) -> None:
        """Close the connection; matches that still run end with Disconnected."""
        self._http.close()
        await asyncio.sleep(0)  # lets the socket go


def _status(reply: bytes) -> int:
    """The status in a reply of the health check."""
    try:
        return int(health_pb2.HealthCheckResponse.FromString(reply).status)
    except DecodeError as error:
        raise BadMessage("the answer to the health check is garbled") from error


async def _connected(connect: Connect) -> socket.socket:
    """A socket that is connected, from one that may be connecting still."""
    bot, loop, writable = connect(), asyncio.get_running_loop(), asyncio.Event()
    loop.add_writer(bot, writable.set)
    try:
        await writable.wait()
        if error := bot.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            raise OSError(error, os.strerror(error))
    except BaseException:
        loop.remove_writer(bot)
        bot.close()
        raise
    loop.remove_writer(bot)
    return bot

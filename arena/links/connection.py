"""Connecting to a bot: wait until its health check says SERVING, then open one stream per match.

A bot may close its connection between two matches, as servers do with idle ones; the next match then connects again.
"""

import asyncio
import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from enum import IntEnum
from functools import partial
from typing import Any, Self

from google.protobuf.message import DecodeError
from grpc_health.v1 import health_pb2

from arena.codec import Codec
from arena.errors import Abuse, BadMessage, BotFault, Disconnected, StartFailed
from arena.links.grpc import Call, GrpcLink, copy_fault
from arena.links.http2 import NO_STREAM, Http2
from arena.links.match_link import MatchLink
from arena.referee.looptime import Deadline

Connect = Callable[[], socket.socket]
"""Gives a new stream socket that is connected, or connecting, to the bot; it must not block. OSError: not there yet."""

RETRY_S = 0.02
"""Seconds between two attempts to reach a bot that is still starting."""
HEALTH_CHECK = "/grpc.health.v1.Health/Check"
OPEN_WAIT = 5.0
"""Seconds that a bot may refuse to let us open another stream."""


_STATUSES = {value: name for name, value in health_pb2.HealthCheckResponse.ServingStatus.items()}


class StartStage(IntEnum):
    """How far a bot came that did not become ready."""

    NONE = 0
    CONNECTED = 1
    CLOSED = 2
    ANSWERED = 3


class NotReadyReason:
    """Keeps the reason from the furthest stage reached; later attempts that get less far do not replace it."""

    def __init__(self) -> None:
        self.reason = "no answer"
        self._stage = StartStage.NONE

    def note(self, stage: StartStage, reason: str) -> None:
        """Keep a reason unless an earlier one says more."""
        if stage >= self._stage:
            self._stage, self.reason = stage, reason


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

    def __init__(self, connect: Connect, http: Http2, now: Callable[[], float]) -> None:
        self._connect = connect
        self._http = http
        self._now = now
        self._left: list[Http2] = []
        """Connections that the bot is about to close, with matches that are still played over them."""
        self._reconnecting = asyncio.Lock()
        self._hung_up = False
        """Whether it was us who closed the connection, for good."""

    @classmethod
    async def open(cls, connect: Connect, limit: float | Deadline, now: Callable[[], float] = time.monotonic) -> Self:
        """Connect and wait until the bot says SERVING; StartFailed after the limit.

        The limit is a number of seconds from now, or a deadline that runs already. What can become no better, Abuse and
        what is no gRPC, is raised at once.
        """
        deadline, why_not = limit if isinstance(limit, Deadline) else Deadline(limit), NotReadyReason()
        while (left := deadline.left()) > 0:  # again after a timeout if our own machine stood still meanwhile
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    return await cls._try_until_serving(connect, now, why_not)
        raise StartFailed(f"was not ready within {deadline.seconds:g} s: {why_not.reason}")

    @classmethod
    async def _try_until_serving(cls, connect: Connect, now: Callable[[], float], why_not: "NotReadyReason") -> Self:
        """Try until the bot is ready; `why_not` tells the caller of a timeout why it was not."""
        while True:
            try:
                bot = await _connected(connect)
                why_not.note(StartStage.CONNECTED, "it does not answer the health check")
                return await cls._wait_until_serving(connect, bot, now, why_not)
            except BadMessage as fault:
                raise StartFailed(f"failed its health check: {fault}") from fault
            except Abuse:
                raise
            except OSError as error:
                why_not.note(StartStage.NONE, f"nothing listens on its socket: {error.strerror}")
            except BotFault as fault:
                why_not.note(StartStage.CLOSED, str(fault))
            await asyncio.sleep(RETRY_S)

    @classmethod
    async def _wait_until_serving(
        cls, connect: Connect, bot: socket.socket, now: Callable[[], float], why_not: "NotReadyReason"
    ) -> Self:
        connection = cls(connect, await Http2.on(bot, now), now)
        try:
            with connection._http.reading():
                await connection._http.settings_received
                while reason := await connection._why_not_serving():
                    why_not.note(StartStage.ANSWERED, reason)
                    await asyncio.sleep(RETRY_S)
        except BaseException:
            await connection.close()
            raise
        return connection

    async def _why_not_serving(self) -> str:
        """Ask for its health: why it is not ready, in its own words; nothing if it is."""
        if self.is_closed():
            raise self._fault("closed the connection before it was ready")
        if not self._http.can_open_stream():
            raise Disconnected(NO_STREAM)
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
            return f"{HEALTH_CHECK} of the empty service failed with {call.status}"
        status = _status(replies[0])
        is_serving = status == health_pb2.HealthCheckResponse.SERVING
        return "" if is_serving else f"its health check says {_STATUSES.get(status, status)}"

    async def open_match(self, codec: Codec[Any, Any, Any, Any]) -> MatchLink:
        """A new stream for one match of this codec's game; its first call connects again where that is needed."""
        deadline = Deadline(OPEN_WAIT)
        with self._http.reading():  # also finds out what happened since the last match
            while not self.is_closed() and not self._http.can_open_stream():
                if deadline.left() <= 0:
                    raise Disconnected(NO_STREAM)
                await asyncio.sleep(RETRY_S)
        if self._http.fault and not isinstance(self._http.fault, Disconnected):
            raise copy_fault(self._http.fault)
        method = f"/{codec.wire.DESCRIPTOR.package}.{codec.prefix}BotService/Play"
        return MatchLink(self._link(method), partial(self._link_again, method))

    def _link(self, method: str) -> GrpcLink:
        return GrpcLink(self._http, method, self._now)

    async def _link_again(self, method: str, deadline: Deadline) -> GrpcLink:
        """A link over another connection, unless another match has made one already."""
        try:
            while (left := deadline.left()) > 0:  # again after a timeout if our own machine stood still meanwhile
                with suppress(TimeoutError):
                    async with asyncio.timeout(left), self._reconnecting:
                        if self.is_closed() and not self._hung_up:
                            await self._reconnect()
                        return self._link(method)
        except OSError as error:
            raise Disconnected(f"closed the connection and refuses a new one: {error.strerror}") from None
        raise Disconnected("closed the connection and did not answer on a new one")

    async def _reconnect(self) -> None:
        """Connect again, with what is left of the bot's budgets; a bot that has ended does not listen any more."""
        http = await Http2.on(await _connected(self._connect), self._now, self._http)
        try:
            with http.reading():
                await http.settings_received
        except BaseException:
            http.close()
            raise
        self._left = [left for left in (*self._left, self._http) if not _close_if_unused(left)]
        self._http = http

    def _fault(self, otherwise: str) -> BotFault:
        return copy_fault(self._http.fault) if self._http.fault else Disconnected(otherwise)

    def is_closed(self) -> bool:
        """Whether no further match can be played without connecting again."""
        return self._http.is_ended()

    async def close(self) -> None:
        """Close the connection; matches that still run end with Disconnected."""
        self._hung_up = True
        for http in (*self._left, self._http):
            http.close()
        await asyncio.sleep(0)  # lets the socket go


def _close_if_unused(http: Http2) -> bool:
    """Close a connection without a stream; whether it is closed."""
    if http.is_unused():
        http.close()
    return http.over


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

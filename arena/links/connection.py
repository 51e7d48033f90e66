"""From a bot that was just started to one that is ready, and stays so from match to match."""

import asyncio
import os
import socket
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import ModuleType
from typing import Any, Protocol, Self

import grpc
from google.protobuf.message import DecodeError
from grpc_health.v1 import health_pb2

from arena.errors import Abuse, BadMessage, BotFault, Disconnected, InfraError, StartFailed
from arena.links.grpc import NOW, GrpcLink, again, judge, printable
from arena.links.relay import Relay
from arena.links.tap import MAX_MESSAGE, Tap

Connect = Callable[[], socket.socket]
"""Gives a new stream socket that is connected, or connecting, to the bot; it must not block. OSError: not there yet."""

PAUSE = 0.02
"""Seconds between two attempts to reach a bot that is still starting."""
OPEN_WAIT = 5.0
"""Seconds that a bot may refuse to let us open another stream."""

_NEVER = 2**31 - 1
OPTIONS: tuple[tuple[str, int], ...] = (
    ("grpc.max_receive_message_length", MAX_MESSAGE),
    ("grpc.max_send_message_length", MAX_MESSAGE),
    ("grpc.max_metadata_size", 8 << 10),
    ("grpc.absolute_max_metadata_size", 16 << 10),
    ("grpc.compression_enabled_algorithms_bitset", 1),  # identity only: no gzip bombs
    ("grpc.enable_retries", 0),
    ("grpc.enable_http_proxy", 0),
    ("grpc.service_config_disable_resolution", 1),
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.http2.bdp_probe", 0),
    ("grpc.keepalive_time_ms", _NEVER),
    ("grpc.client_idle_timeout_ms", _NEVER),
)


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

    def __init__(self, relay: Relay, channel: Any, now: Callable[[], float]) -> None:
        self._relay = relay
        self._channel = channel
        self._now = now
        self._opening = asyncio.Lock()

    @classmethod
    async def open(cls, connect: Connect, start_limit: float, now: Callable[[], float] = NOW) -> Self:
        """Connect and wait until the bot says SERVING; StartFailed after `start_limit` seconds, Abuse at once."""
        why = "no answer"
        try:
            async with asyncio.timeout(start_limit):
                while True:
                    try:
                        bot = await _reach(connect)
                        why = "it does not answer the health check"
                        return await cls._greet(bot, now)
                    except Abuse:
                        raise
                    except OSError as error:
                        why = f"nothing listens on its socket: {error.strerror}"
                    except BotFault as fault:
                        why = str(fault)
                    await asyncio.sleep(PAUSE)
        except TimeoutError:
            raise StartFailed(f"was not ready within {start_limit:g} s: {why}") from None

    @classmethod
    async def _greet(cls, bot: socket.socket, now: Callable[[], float]) -> Self:
        relay = Relay(now)
        connection = cls(relay, await _channel_through(relay, bot), now)
        try:
            await connection._wait_until_serving()
        except BaseException:
            await connection.close()
            raise
        return connection

    async def _wait_until_serving(self) -> None:
        check = self._channel.unary_unary("/grpc.health.v1.Health/Check")
        try:
            while _status(await check(b"")) != health_pb2.HealthCheckResponse.SERVING:
                await asyncio.sleep(PAUSE)
        except grpc.RpcError as error:
            said = f"{error.code().name}: {printable(error.details() or '')}"
            raise self._fault(f"the health check failed with {said}") from error

    async def open_match(self, codec: Wire) -> GrpcLink:
        """A new stream for one match of this codec's game."""
        method = f"/{codec.wire.DESCRIPTOR.package}.{codec.prefix}BotService/Play"
        async with self._opening:  # so that the next stream that the relay sees is this one
            if self.gone():
                raise self._fault("closed the connection between two matches")
            tap = self._relay.watch()
            link = self._link(method, tap)
            await asyncio.wait({link.over, tap.bound}, timeout=OPEN_WAIT, return_when=asyncio.FIRST_COMPLETED)
            if not tap.bound.done():
                await link.close()
                raise self._fault("let the referee open no stream")
        return link

    def _link(self, method: str, tap: Tap) -> GrpcLink:
        stream = self._channel.stream_stream(method)()
        link = GrpcLink(stream, tap, partial(judge, relay=self._relay, tap=tap), self._now)
        link.over.add_done_callback(lambda _: self._relay.forget(tap))
        return link

    def _fault(self, otherwise: str) -> BotFault:
        return again(self._relay.fault) if self._relay.fault else Disconnected(otherwise)

    def gone(self) -> bool:
        """Whether no further match can be played over this connection."""
        return self._relay.hung_up or self._relay.over

    async def close(self) -> None:
        """Hang up; matches that still run end with Disconnected."""
        await self._channel.close()
        self._relay.close()


def _status(reply: bytes) -> int:
    """The status in a reply of the health check; gRPC's own deserializer would hide that it is garbled."""
    try:
        return int(health_pb2.HealthCheckResponse.FromString(reply).status)
    except DecodeError as error:
        raise BadMessage("the answer to the health check is garbled") from error


async def _reach(connect: Connect) -> socket.socket:
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


async def _knock(door: socket.socket) -> None:
    """Wait until there is somebody to accept; a cancelled `sock_accept` can lose the socket that it has just got."""
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    loop.add_reader(door, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(door)


async def _channel_through(relay: Relay, bot: socket.socket) -> Any:
    """A gRPC channel to the bot that can only go through this relay, and only once: it never reconnects."""
    with bot, tempfile.TemporaryDirectory(prefix="arena-") as folder, socket.socket(socket.AF_UNIX) as door:
        path = f"{folder}/relay"
        try:
            door.bind(path)
        except OSError as error:
            raise InfraError(f"the relay's socket {path} cannot be made: {error}") from error
        door.listen(1)
        door.setblocking(False)
        channel = grpc.aio.insecure_channel(f"unix:{path}", options=OPTIONS)
        try:
            channel.get_state(try_to_connect=True)
            await _knock(door)
            ours, _ = door.accept()
            await relay.join(ours, socket.socket(fileno=bot.detach()))
        except BaseException:
            await channel.close()
            raise
    return channel

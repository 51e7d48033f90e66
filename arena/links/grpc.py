"""Bots over gRPC: a connection that stays open from match to match, and one stream on it for each match.

A bot may send any status it likes, whenever it likes. So what it did is decided by our own clock, by what the relay
saw on the wire, and by our own parser; a status code only helps to word the sentence, or tells why our own library
gave up on bytes that it could not read.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

import grpc

from arena.errors import BadMessage, BotFault, Disconnected, InfraError, TimedOut
from arena.links.relay import Relay
from arena.links.tap import MAX_MESSAGE, Tap
from arena.player import Answer

HANDOVER = 0.05
"""Seconds that a request may take to the relay; only a bot that grants no flow control holds it up for longer."""
DELIVERY = 1.0
"""Seconds that our own library may take to deliver a reply that the relay saw in time."""
TELL_WAIT = 1.0
CLOSE_WAIT = 0.5

NOW = time.monotonic

CLASS_OF_STATUS: Mapping[grpc.StatusCode, type[BotFault]] = {
    grpc.StatusCode.OK: Disconnected,
    grpc.StatusCode.CANCELLED: Disconnected,
    grpc.StatusCode.UNKNOWN: BadMessage,
    grpc.StatusCode.INVALID_ARGUMENT: Disconnected,
    grpc.StatusCode.DEADLINE_EXCEEDED: Disconnected,
    grpc.StatusCode.NOT_FOUND: Disconnected,
    grpc.StatusCode.ALREADY_EXISTS: Disconnected,
    grpc.StatusCode.PERMISSION_DENIED: Disconnected,
    grpc.StatusCode.UNAUTHENTICATED: Disconnected,
    grpc.StatusCode.RESOURCE_EXHAUSTED: BadMessage,
    grpc.StatusCode.FAILED_PRECONDITION: Disconnected,
    grpc.StatusCode.ABORTED: Disconnected,
    grpc.StatusCode.UNIMPLEMENTED: BadMessage,
    grpc.StatusCode.INTERNAL: BadMessage,
    grpc.StatusCode.UNAVAILABLE: BadMessage,
    grpc.StatusCode.DATA_LOSS: Disconnected,
    grpc.StatusCode.OUT_OF_RANGE: Disconnected,
}
"""What a status means when our own library made it; one that the bot sent is always Disconnected (see `judge`)."""


def judge(status: grpc.StatusCode, details: str, *, relay: Relay, tap: Tap) -> BotFault:
    """What the bot did, now that the stream is over."""
    if relay.fault:
        return again(relay.fault)
    said = f"{status.name}: {printable(details)}" if details else status.name
    if tap.ended:
        return Disconnected(f"ended the stream before the match was over ({said})")
    if relay.hung_up:
        return Disconnected("closed the connection before the match was over")
    fault = CLASS_OF_STATUS[status]
    return fault(f"sent what is no gRPC ({said})" if fault is BadMessage else f"the stream broke off ({said})")


def again(fault: BotFault) -> BotFault:
    """A new error of the same meaning: one object that is raised twice drags all its old frames along."""
    return type(fault)(*fault.args)


def printable(text: str, limit: int = 200) -> str:
    """A bot's text without anything that a terminal, a log or a page might obey."""
    return text[:limit].encode("unicode_escape").decode("ascii")


async def quietly(operation: Awaitable[None]) -> None:
    """Await an operation on a stream that may be over, or that a timer of ours may cancel: its pump knows why."""
    with suppress(grpc.RpcError, grpc.aio.InternalError, asyncio.InvalidStateError):
        try:
            await operation
        except asyncio.CancelledError:
            if asyncio.current_task().cancelling():  # type: ignore[union-attr]  # it is our task that is cancelled
                raise


class GrpcLink:
    """One match with a bot: requests go out on the stream, and only what was asked for comes back."""

    def __init__(self, stream: Any, tap: Tap, judge: Callable[[Any, str], BotFault], now: Callable[[], float]) -> None:
        self._stream = stream
        self._tap = tap
        self._judge = judge
        self._now = now
        self._loop = asyncio.get_running_loop()
        self._fault: BotFault | None = None
        self._reply: asyncio.Future[bytes] | None = None
        self._writing = False
        self.over = asyncio.create_task(self._pump())
        """Done when the stream has ended."""

    async def call(self, request: bytes, wait: float) -> Answer:
        """Send a request and wait for its reply; times are those of the relay."""
        self._check(request)
        started = self._now()
        self._tap.expect(len(request), reply=True)
        self._reply = self._loop.create_future()
        timer = self._loop.call_later(wait, self._on_deadline, self._reply, wait)
        try:
            await self._write(request)
            reply = await self._reply
        except asyncio.CancelledError:
            self._stream.cancel()  # its reply is not to be taken for that of a later request
            raise
        finally:
            timer.cancel()
            self._reply = None
        wall = self._tap.answered_at - min(self._tap.asked_at, started + HANDOVER)
        return Answer(reply, wall, self._now() - started - wall)

    async def tell(self, request: bytes) -> None:
        """Send a request that has no reply; a bot that does not take it within a second misses it."""
        self._check(request)
        self._tap.expect(len(request), reply=False)
        timer = self._loop.call_later(TELL_WAIT, self._stream.cancel)
        try:
            await self._write(request)
        finally:
            timer.cancel()

    async def close(self) -> None:
        """End the stream, with a moment for the bot to end it from its side; the connection stays open."""
        if not self.over.done():
            timer = self._loop.call_later(CLOSE_WAIT, self._stream.cancel)
            await quietly(self._stream.done_writing())
            await self.over
            timer.cancel()

    def _check(self, request: bytes) -> None:
        if self._fault:
            raise again(self._fault)
        if len(request) > MAX_MESSAGE:
            raise InfraError(f"a request of {len(request)} bytes is too long: {MAX_MESSAGE} are the most")

    async def _write(self, request: bytes) -> None:
        if self._tap.ended:
            return  # a write that fails would replace the bot's own status, which tells its author what went wrong
        self._writing = True
        await quietly(self._stream.write(request))
        self._writing = False

    def _on_deadline(self, reply: asyncio.Future[bytes], wait: float) -> None:
        if self._tap.answered():
            # It was in time at the relay: our own library is late. But a bot can keep a message from being
            # delivered, for example by sending no headers, so this has an end too.
            self._loop.call_later(DELIVERY, self._expire, reply, wait)
        else:
            self._expire(reply, wait)

    def _expire(self, reply: asyncio.Future[bytes], wait: float) -> None:
        if reply.done():
            return
        reply.set_exception(TimedOut(f"did not answer within {wait:.3f} s"))
        if self._writing or self._tap.answered():
            self._stream.cancel()
        else:
            self._tap.give_up()

    async def _pump(self) -> None:
        """Take every message as it comes, so that none waits for a later request, and judge the end."""
        try:
            while (message := await self._stream.read()) is not grpc.aio.EOF:
                if self._tap.take() and self._reply and not self._reply.done():
                    self._reply.set_result(message)
        except (Exception, asyncio.CancelledError):  # whatever it is, the stream is over; the relay knows why
            self._stream.cancel()
        self._fault = self._judge(await self._stream.code(), await self._stream.details() or "")
        if self._reply and not self._reply.done():
            self._reply.set_exception(self._fault)

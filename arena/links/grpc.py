"""Matches over gRPC: a Call carries messages both ways on one stream, a GrpcLink asks a bot over it and takes the time.

A bot may send any status at any time. So verdicts depend on our own clock, on the bytes that arrived and on our own
parser; a status only helps to word the sentence.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import unquote

from arena.codec import MAX_MESSAGE
from arena.errors import BadMessage, BotFault, Disconnected, InfraError, TimedOut
from arena.links.frames import Messages, pack_message
from arena.links.http2 import Headers, Http2
from arena.referee import priority
from arena.referee.player import STRICT, Answer, Link, ReplyPolicy
from arena.untrusted.text import escaped

TELL_WAIT = 1.0
CLOSE_WAIT = 0.5
MAX_SURPLUS = 3
"""How many replies that nobody asked for a match may carry before it is a fault."""

_STATUSES = (
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
    "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
    "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
)  # fmt: skip
_NAMES = {str(number).encode(): name for number, name in enumerate(_STATUSES)}


def copy_fault(fault: BotFault) -> BotFault:
    """A new exception of the same type and text: raising one object twice would accumulate its tracebacks."""
    return type(fault)(*fault.args)


class Call:
    """One gRPC call; `over` is done with the bot's fault, or with None if it ended the call in good order."""

    def __init__(
        self, http: Http2, method: str, on_message: Callable[[bytes], None], on_sent: Callable[[], None] = lambda: None
    ) -> None:
        self.over: asyncio.Future[BotFault | None] = asyncio.get_running_loop().create_future()
        self.status = "no status"
        """What the bot said in the end, in words; it proves nothing."""
        self.on_sent = on_sent
        self._messages = Messages(on_message)
        self._http = http
        self._answered = False
        self._stream = http.open(_request_headers(method), self)

    def send(self, message: bytes, *, last: bool = False) -> None:
        """Send a message; `on_sent` is called when all of it was written."""
        self._http.send(self._stream, pack_message(message), last=last)

    def finish(self) -> None:
        """Say that no more messages come from us."""
        self._http.send(self._stream, b"", last=True)

    def cancel(self) -> None:
        self._http.reset(self._stream)
        self.on_end(Disconnected("the referee broke the stream off"))

    def on_data(self, data: bytes) -> None:
        """Take the next bytes of the bot's messages."""
        if not self._answered:
            raise BadMessage("sent a message before its headers")
        self._messages.feed(data)

    def on_headers(self, headers: Headers) -> None:
        """Take the bot's headers, and its status if it comes with them."""
        fields = dict(headers)
        if not self._answered:
            self._answered = True
            if fields.get(b":status") != b"200":
                raise BadMessage(f"answered with HTTP status {_text(fields.get(b':status'))} instead of gRPC")
            if not fields.get(b"content-type", b"").startswith(b"application/grpc"):
                raise BadMessage(f"answered with {_text(fields.get(b'content-type'))} instead of gRPC")
        if (code := fields.get(b"grpc-status")) is not None:
            name = _NAMES.get(code) or f"status {_text(code)}"
            said = _text(fields.get(b"grpc-message"))
            self.status = f"{name}: {said}" if said else name

    def on_end(self, fault: BotFault | None) -> None:
        if not self.over.done():
            self.over.set_result(fault)


class ReplyTimer:
    """The timeout of one reply, prolonged by the time in which our own machine stood still."""

    def __init__(
        self,
        now: Callable[[], float],
        lag: Callable[[float, float], float],
        started: float,
        wait: float,
        give_up: Callable[[str], None],
    ) -> None:
        """Give up `wait` seconds after `started`, and after the lag of our own since then."""
        self._now = now
        self._lag = lag
        self._started = started
        self._wait = wait
        self._give_up = give_up
        self._credited = 0.0
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(started + wait - now(), self._expire)

    def end(self) -> None:
        self._timer.cancel()

    def _expire(self) -> None:
        lag = self._lag(self._started, self._now())
        if lag > self._credited:
            self._timer = self._loop.call_later(lag - self._credited, self._expire)
            self._credited = lag
        else:
            self._give_up(f"no answer came in {self._wait:.3f} s")


class GrpcLink(Link):
    """One match with a bot: requests go out on one call, and only what was asked for comes back."""

    def __init__(self, http: Http2, method: str, now: Callable[[], float]) -> None:
        self._now = now
        self._http = http
        self._loop = asyncio.get_running_loop()
        self._call = Call(http, method, self._on_message, self._on_sent)
        self._call.over.add_done_callback(self._on_over)
        self._reply: asyncio.Future[bytes] | None = None
        self._asked_at: float | None = None
        """When the last byte of the request was out, or would have been but for the bot's window; None before that."""
        self._request_out = False
        """Whether the last byte of the request is out, so that a reply may come."""
        self.has_asked = False
        """Whether the bot may have seen anything of the latest request."""
        self._answered_at = 0.0
        self._cpu_before = 0.0
        """Processor seconds that we had spent on the bot's bytes when it was asked."""
        self._reply_policy = STRICT
        self._surplus = 0
        self._sent: asyncio.Future[None] = self._loop.create_future()

    async def call(self, request: bytes, wait: float, reply_policy: ReplyPolicy = STRICT) -> Answer:
        """Send a request and wait for its reply; times are those at the socket."""
        self._reply_policy = reply_policy
        self.has_asked = False
        self._http.start_reading(self)  # what came before the request is dealt with first, and is no reply to it
        try:
            self._check(request)
            with priority.raised():  # from here on every moment that we do not run would be the bot's
                return await self._ask(request, wait)
        finally:
            self._http.stop_reading(self)

    async def _ask(self, request: bytes, wait: float) -> Answer:
        started = self._now()
        reply = self._reply = self._loop.create_future()
        self._asked_at, self._request_out = None, False
        self._cpu_before = self._http.cpu_seconds
        self.has_asked = True
        try:
            self._call.send(request)
            if self._asked_at is None:
                self._asked_at = self._now()  # its window holds the request back: what it waits for is its own time
            while not reply.done() and self._http.read_soon():
                pass
            message = reply.result() if reply.done() else await self._wait_for(reply, started, wait)
        finally:
            self._reply = None
        wall = self._answered_at - self._asked_at
        transport = self._now() - started - wall
        return Answer(message, wall, transport, lag=self._lag(self._asked_at, self._answered_at))

    async def _wait_for(self, reply: asyncio.Future[bytes], started: float, wait: float) -> bytes:
        """Wait by the event loop for a reply that was not there at once."""
        timer = ReplyTimer(self._now, self._lag, started, wait, self._give_up)
        try:
            return await reply
        except asyncio.CancelledError:
            self._call.cancel()  # its reply is not to be taken for that of a later request
            raise
        finally:
            timer.end()

    def _lag(self, since: float, until: float) -> float:
        """What our machine stood still between two moments, without its work on what this very bot sent."""
        lag = self._reply_policy.heartbeat.lag(since, until)
        return max(0.0, lag - (self._http.cpu_seconds - self._cpu_before)) if lag else 0.0

    def has_lost_connection(self) -> bool:
        """Whether the connection has ended, or will with its last stream."""
        return self._http.is_ended()

    async def tell(self, request: bytes) -> None:
        """Send a request that has no reply; a bot that does not take it within a second misses it."""
        with self._http.reading():
            self._check(request)
            self._sent = self._loop.create_future()
            self._call.send(request)
            either: set[asyncio.Future[Any]] = {self._sent, self._call.over}
            await asyncio.wait(either, timeout=TELL_WAIT, return_when=asyncio.FIRST_COMPLETED)
            if not self._sent.done():
                self._call.cancel()

    async def close(self) -> None:
        """End the call, with a moment for the bot to end it from its side; the connection stays open."""
        with self._http.reading():
            if not self._call.over.done():
                self._call.finish()
                with suppress(TimeoutError):
                    await asyncio.wait_for(asyncio.shield(self._call.over), CLOSE_WAIT)
                self._call.cancel()

    def _check(self, request: bytes) -> None:
        if self._call.over.done():
            raise self._fault()
        if len(request) > MAX_MESSAGE:
            raise InfraError(f"a request of {len(request)} bytes is too long: at most {MAX_MESSAGE} are allowed")

    def _fault(self) -> BotFault:
        """What the bot did, now that the call is over."""
        fault = self._call.over.result()
        if fault is not None:
            return copy_fault(fault)
        return Disconnected(f"ended the stream before the match was over ({self._call.status})")

    def _on_sent(self) -> None:
        self._request_out = True
        if self._asked_at is None:
            self._asked_at = self._now()
        if not self._sent.done():
            self._sent.set_result(None)

    def _on_message(self, message: bytes) -> None:
        if self._reply_policy.drop_late(message):
            return
        if self._reply is not None and not self._reply.done() and self._request_out and self._asked_at is not None:
            self._answered_at = max(self._http.received_at, self._asked_at)
            self._reply.set_result(message)
            self._http.hold(self)  # what else there is waits for the bot's own next turn
        else:
            self._surplus += 1
            if self._surplus > MAX_SURPLUS:
                raise BadMessage(f"sent {self._surplus} replies that nobody asked for")

    def _on_over(self, _: object) -> None:
        if self._reply is not None and not self._reply.done():
            self._reply.set_exception(self._fault())

    def _give_up(self, why: str) -> None:
        if self._reply is None or self._reply.done():
            return
        self._reply.set_exception(TimedOut(why))
        if not self._request_out:
            self._call.cancel()  # half a request is out, and nothing can follow it


def _request_headers(method: str) -> Headers:
    return (
        (b":method", b"POST"),
        (b":scheme", b"http"),
        (b":path", method.encode()),
        (b":authority", b"localhost"),
        (b"te", b"trailers"),
        (b"content-type", b"application/grpc"),
        (b"grpc-accept-encoding", b"identity"),
        (b"user-agent", b"arena"),
    )


def _text(value: bytes | None) -> str:
    """A header of the bot, safe to print."""
    return escaped(unquote((value or b"").decode("ascii", "replace")))

"""A relay between our gRPC client and a bot: it counts what the bot sends, cuts floods off, and takes the time.

gRPC itself has no defence against a server that floods its client with PING or SETTINGS frames (measured: more than
a gigabyte in twenty seconds), and a status code says only what the bot wants us to believe. The relay knows better:
what came over the wire, when, and who hung up.
"""

import asyncio
import socket
import time
from collections.abc import Callable
from typing import cast

from arena.errors import Abuse, BadMessage, BotFault
from arena.links.frames import (
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    GOAWAY,
    HEADERS,
    PADDED,
    PREFACE_BYTES,
    RST_STREAM,
    Frames,
)
from arena.links.tap import Tap

BURST_BYTES, BYTES_PER_SECOND = 4 << 20, 1 << 20
BURST_FRAMES, FRAMES_PER_SECOND, FRAMES_PER_REQUEST = 1024, 16, 8
FULL_FRAME = 512
"""A DATA frame of at least this many bytes is paid for by its bytes alone."""
READ_BYTES = 64 << 10
MAX_HEADER_BYTES = 16 << 10
"""Bytes of one block of headers, as they are on the wire."""


class Budget:
    """An amount that is spent and grows back at a steady rate, up to a burst."""

    def __init__(self, burst: float, rate: float, now: float) -> None:
        self.left = burst
        self._burst = burst
        self._rate = rate
        self._filled_at = now

    def refill(self, now: float) -> None:
        """Add what grew since the last time."""
        self.grant((now - self._filled_at) * self._rate)
        self._filled_at = now

    def grant(self, amount: float) -> None:
        """Add this amount, up to the burst."""
        self.left = min(self._burst, self.left + amount)


class Relay:
    """Carries one connection; `fault` says what the bot did wrong, `hung_up` that it left of its own accord."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.fault: BotFault | None = None
        self.hung_up = False
        self.over = False
        """True when nothing is carried any more, whoever ended it."""
        self._now = now
        self._bytes = Budget(BURST_BYTES, BYTES_PER_SECOND, now())
        self._frames = Budget(BURST_FRAMES, FRAMES_PER_SECOND, now())
        self._header_bytes = 0
        self._last_headers = False
        """Whether the block of headers that we are in ends its stream."""
        self._taps: dict[int, Tap] = {}
        self._unbound: Tap | None = None
        self._newest_stream = 0
        self._from_bot = Frames(self._frame_from_bot, self._data_from_bot)
        self._to_bot = Frames(self._frame_to_bot, skip=PREFACE_BYTES)
        self._bot = _End(self._on_bot_bytes, self._on_bot_lost)
        self._ours = _End(self._on_our_bytes, self._on_our_loss)

    async def join(self, ours: socket.socket, bot: socket.socket) -> None:
        """Start to carry bytes between these two connected sockets, which belong to the relay from now on."""
        loop = asyncio.get_running_loop()
        try:
            await loop.connect_accepted_socket(lambda: self._ours, ours)
            await loop.connect_accepted_socket(lambda: self._bot, bot)
        except BaseException:
            ours.close()
            bot.close()
            raise
        self._bot.on_choke, self._ours.on_choke = self._ours.choke, self._bot.choke
        self._ours.choke(False)
        self._bot.choke(False)

    def watch(self) -> Tap:
        """A tap on the next stream that our client opens; one at a time."""
        self._unbound = Tap(self._now)
        return self._unbound

    def forget(self, tap: Tap) -> None:
        """Stop sorting the replies of a stream that is over."""
        self._taps = {stream: each for stream, each in self._taps.items() if each is not tap}

    def close(self) -> None:
        """Hang up on both sides."""
        self.over = True
        self._bot.abort()
        self._ours.abort()

    # -- from the bot -------------------------------------------------------------------------------

    def _on_bot_bytes(self, data: bytes) -> None:
        now = self._now()
        self._bytes.refill(now)
        if not self._bot.choked:  # a bot that does not read earns nothing: our answers to its frames pile up here
            self._frames.refill(now)
        self._bytes.left -= len(data)
        try:
            if self._bytes.left < 0:
                raise Abuse(f"flooded the referee with more than {BURST_BYTES} bytes")
            self._from_bot.feed(data)
        except BotFault as fault:
            self.fault = self.fault or fault
            self.close()
        else:
            self._ours.write(data)

    def _frame_from_bot(self, kind: int, flags: int, stream: int, length: int) -> None:
        if kind != DATA or length < FULL_FRAME:
            self._frames.left -= 1
            if self._frames.left < 0:
                raise Abuse(f"flooded the referee with more than {BURST_FRAMES} control frames or tiny frames")
        if kind == DATA:
            if flags & PADDED:
                raise BadMessage("sent a padded DATA frame, which gRPC does not use")
            if flags & END_STREAM:
                self._end(stream)
        elif kind in (HEADERS, CONTINUATION):
            self._headers_from_bot(kind, flags, stream, length)
        elif kind == RST_STREAM:
            self._end(stream)
        elif kind == GOAWAY:
            self.hung_up = True

    def _headers_from_bot(self, kind: int, flags: int, stream: int, length: int) -> None:
        if kind == HEADERS:
            self._header_bytes, self._last_headers = 0, bool(flags & END_STREAM)
        self._header_bytes += length
        if self._header_bytes > MAX_HEADER_BYTES:
            raise BadMessage(f"sent more than {MAX_HEADER_BYTES} bytes of metadata")
        if flags & END_HEADERS and self._last_headers:
            self._end(stream)

    def _end(self, stream: int) -> None:
        if tap := self._taps.get(stream):
            tap.ended = True

    def _data_from_bot(self, stream: int, data: bytes) -> None:
        if tap := self._taps.get(stream):
            tap.received(data)

    def _on_bot_lost(self) -> None:
        self.hung_up = self.over = True
        self._ours.finish()  # a last reply may still be on its way to our client

    # -- from our own client ------------------------------------------------------------------------

    def _on_our_bytes(self, data: bytes) -> None:
        self._to_bot.feed(data)
        self._bot.write(data)

    def _frame_to_bot(self, kind: int, _flags: int, stream: int, length: int) -> None:
        if kind == DATA:
            self._frames.grant(FRAMES_PER_REQUEST)
            if tap := self._taps.get(stream):
                tap.sent(length)
        elif kind == HEADERS and stream > self._newest_stream:
            self._newest_stream = stream
            if tap := self._unbound:
                self._taps[stream], self._unbound = tap, None
                tap.bound.set_result(None)

    def _on_our_loss(self) -> None:
        self.over = True
        self._bot.abort()


class _End(asyncio.BufferedProtocol):
    """One of the two sockets of a relay."""

    def __init__(self, on_bytes: Callable[[bytes], None], on_lost: Callable[[], None]) -> None:
        self.on_choke: Callable[[bool], None] | None = None
        self.choked = False
        """True while its reader is too slow for what was written."""
        self._on_bytes = on_bytes
        self._on_lost = on_lost
        self._transport: asyncio.Transport | None = None
        self._over = False
        # A plain asyncio.Protocol allocates 256 KiB for every read, which costs more than all the rest here.
        self._buffer = memoryview(bytearray(READ_BYTES))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.pause_reading()  # until the other end is there too

    def get_buffer(self, _sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        self._on_bytes(self._buffer[:nbytes].tobytes())

    def write(self, data: bytes) -> None:
        """Send these bytes, unless nobody is there any more."""
        if self._transport and not self._over:
            self._transport.write(data)

    def choke(self, choked: bool) -> None:
        """Stop or go on reading here, because the other end cannot or can again take more."""
        if self._transport and not self._transport.is_closing():
            (self._transport.pause_reading if choked else self._transport.resume_reading)()

    def pause_writing(self) -> None:
        self._report(True)

    def resume_writing(self) -> None:
        self._report(False)

    def _report(self, choked: bool) -> None:
        self.choked = choked
        if self.on_choke:
            self.on_choke(choked)

    def abort(self) -> None:
        """Hang up now."""
        self._over = True
        if self._transport:
            self._transport.abort()

    def finish(self) -> None:
        """Hang up once all that was written is out."""
        self._over = True
        if self._transport:
            self._transport.close()

    def connection_lost(self, _exc: Exception | None) -> None:
        if not self._over:
            self._over = True
            self._on_lost()

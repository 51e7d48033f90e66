"""Flood protection for a connection: budgets for the bytes, frames and processing time that a bot may cause.

An HTTP/2 peer may send control frames without end, each of which must be answered or stored; gRPC's own client took
in more than a gigabyte in twenty seconds. So bytes, frames and our processing time are token buckets, refilled slowly
and by our own requests; and whatever h2 would keep, or process repeatedly, has a limit of its own.
"""

from collections.abc import Callable
from struct import iter_unpack

from arena.errors import Abuse, BadMessage
from arena.links.frames import (
    DATA,
    HEADER_BYTES,
    HEADERS,
    PADDED,
    PRIORITISED,
    PUSH_PROMISE,
    SETTINGS,
    FrameHeader,
)

BURST_BYTES, BYTES_PER_SECOND = 4 << 20, 1 << 20
BURST_FRAMES, FRAMES_PER_SECOND, FRAMES_PER_REQUEST = 256, 16, 8
FULL_FRAME = 4 << 10
"""A DATA frame of at least this many bytes is paid for by its bytes alone."""
BURST_WORK, WORK_PER_SECOND, WORK_PER_REQUEST = 0.25, 0.005, 0.002
"""Processor seconds that reading a bot's frames may cost; an honest bot needs about 0.0001 for a move."""
MAX_FRAME_BYTES = 16 << 10
"""The default of HTTP/2, which we never raise; what announces more is not HTTP/2, or an attack on our memory."""
MAX_BLOCKS = 2
"""Blocks of headers on one stream: the headers and the trailers."""
MAX_SETTINGS = 32
"""Settings in one frame, and the different ones on one connection: the library keeps each and walks over all."""
MAX_RESIZINGS = 4
"""Changes of the header table before one block of headers; two can make sense."""


class TokenBucket:
    """A token bucket: refilled at a steady rate up to a burst."""

    def __init__(self, burst: float, rate: float, now: float) -> None:
        self.left = burst
        self._burst = burst
        self._rate = rate
        self._filled_at = now

    def refill(self, now: float) -> None:
        """Add the tokens of the time since the last call."""
        self.grant((now - self._filled_at) * self._rate)
        self._filled_at = now

    def grant(self, amount: float) -> None:
        """Add this amount, up to the burst."""
        self.left = min(self._burst, self.left + amount)


class Guard:
    """Checks the frames that one bot sends over one connection, before h2 sees them."""

    def __init__(self, now: Callable[[], float], before: "Guard | None" = None) -> None:
        """A bot that connects again is given the guard `before`: it goes on with the budgets that were left."""
        self._now = now
        self._bytes: TokenBucket = before._bytes if before else TokenBucket(BURST_BYTES, BYTES_PER_SECOND, now())
        self._frames: TokenBucket = before._frames if before else TokenBucket(BURST_FRAMES, FRAMES_PER_SECOND, now())
        self._work: TokenBucket = before._work if before else TokenBucket(BURST_WORK, WORK_PER_SECOND, now())
        self._blocks: dict[int, int] = {}
        """How many blocks of headers came, on every stream that we opened."""
        self._settings: set[int] = set()

    def opened(self, stream: int) -> None:
        """We opened this stream, so headers may come on it."""
        self._blocks[stream] = 0

    def asked(self) -> None:
        """A request was sent, so some frames and some work may come back for it."""
        self._frames.grant(FRAMES_PER_REQUEST)
        self._work.grant(WORK_PER_REQUEST)

    def on_bytes(self, count: int, *, listens: bool) -> None:
        """So many bytes came; a bot that does not listen earns nothing, for our answers pile up on our side."""
        now = self._now()
        self._bytes.refill(now)
        self._work.refill(now)
        if listens:
            self._frames.refill(now)
        self._bytes.left -= count
        if self._bytes.left < 0:
            raise Abuse(f"flooded the referee with more than {BURST_BYTES} bytes")

    def on_header(self, head: FrameHeader) -> None:
        """A frame begins; Abuse for a flood, BadMessage for what gRPC never sends."""
        kind, flags, _, length = head
        if length > MAX_FRAME_BYTES:
            raise BadMessage(f"sent invalid gRPC (a frame of {length} bytes)")
        if kind == DATA and flags & PADDED:
            raise BadMessage("sent a padded DATA frame, which gRPC does not use")
        if kind != DATA or length < FULL_FRAME:
            self._spend_frames(1)
        if kind == HEADERS:
            self._on_headers(head)
        elif kind == SETTINGS:
            self._on_settings(head)
        elif kind == PUSH_PROMISE:
            raise BadMessage("sent a PUSH_PROMISE frame, which gRPC does not use")

    def on_frame(self, head: FrameHeader, frame: bytes) -> None:
        """The whole frame is there, headers with all their pieces."""
        if head.kind == SETTINGS and head.length % 6 == 0:
            self._settings.update(number for number, _ in iter_unpack(">HI", frame[HEADER_BYTES:]))
            if len(self._settings) > MAX_SETTINGS:
                raise Abuse(f"sent more than {MAX_SETTINGS} different settings")
        elif head.kind == HEADERS and _resizings(frame) > MAX_RESIZINGS:
            raise Abuse(f"changed the size of its header table more than {MAX_RESIZINGS} times at once")

    def on_work(self, seconds: float) -> None:
        """So much processor time was spent on what the bot sent."""
        self._work.left -= seconds
        if self._work.left < 0:
            raise Abuse(f"made the referee work for more than {BURST_WORK:g} s on what it sent")

    def _spend_frames(self, amount: int) -> None:
        self._frames.left -= amount
        if self._frames.left < 0:
            raise Abuse(f"flooded the referee with more than {BURST_FRAMES} control frames or tiny frames")

    def _on_headers(self, head: FrameHeader) -> None:
        if head.flags & (PADDED | PRIORITISED):
            raise BadMessage("sent headers with padding or a priority, which gRPC does not use")
        if head.stream not in self._blocks:
            raise BadMessage("sent headers on a stream that the referee did not open")
        self._blocks[head.stream] += 1
        if self._blocks[head.stream] > MAX_BLOCKS:
            raise BadMessage(f"sent more than {MAX_BLOCKS} blocks of headers on one stream")

    def _on_settings(self, head: FrameHeader) -> None:
        if (count := head.length // 6) > MAX_SETTINGS:
            raise Abuse(f"sent {count} settings in one frame: at most {MAX_SETTINGS} are allowed")
        self._spend_frames(count)


def _resizings(frame: bytes) -> int:
    """How many changes of the table's size a block of headers begins with, counted no further than is of interest."""
    at, count = HEADER_BYTES, 0
    while count <= MAX_RESIZINGS and at < len(frame) and frame[at] & 0xE0 == 0x20:
        many = frame[at] & 0x1F == 0x1F  # a size of 31 or more goes on in the bytes that follow
        at, count = at + 1, count + 1
        while many and at < len(frame):
            many, at = frame[at] >= 0x80, at + 1
    return count

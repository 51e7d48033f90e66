"""The guard at the door: counts what a bot sends, before anything is made of it, and calls a flood by its name.

An HTTP/2 peer may send control frames without end, and each wants an answer or a note; gRPC's own client took in more
than a gigabyte in twenty seconds. So bytes and small frames have budgets that grow back slowly, and with what we ask.
"""

from collections.abc import Callable

from arena.errors import Abuse, BadMessage
from arena.links.frames import CONTINUATION, DATA, GOAWAY, HEADERS, PADDED, Frames

BURST_BYTES, BYTES_PER_SECOND = 4 << 20, 1 << 20
BURST_FRAMES, FRAMES_PER_SECOND, FRAMES_PER_REQUEST = 1024, 16, 8
FULL_FRAME = 512
"""A DATA frame of at least this many bytes is paid for by its bytes alone."""
MAX_FRAME_BYTES = 16 << 10
"""Nobody was ever told that more is welcome; what announces more is not HTTP/2, or bad for our memory."""
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


class Guard:
    """Watches what one bot sends over one connection."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.farewell = False
        """Whether the bot said that it ends the connection."""
        self._now = now
        self._bytes = Budget(BURST_BYTES, BYTES_PER_SECOND, now())
        self._frames = Budget(BURST_FRAMES, FRAMES_PER_SECOND, now())
        self._walk = Frames(self._on_frame)
        self._header_bytes = 0

    def watch(self, data: bytes, *, listens: bool) -> None:
        """Count these bytes; Abuse for a flood, BadMessage for what gRPC never sends.

        A bot that does not listen earns nothing: our answers to its frames pile up on our side.
        """
        now = self._now()
        self._bytes.refill(now)
        if listens:
            self._frames.refill(now)
        self._bytes.left -= len(data)
        if self._bytes.left < 0:
            raise Abuse(f"flooded the referee with more than {BURST_BYTES} bytes")
        self._walk.feed(data)

    def asked(self) -> None:
        """A request was sent, so some frames may come back for it."""
        self._frames.grant(FRAMES_PER_REQUEST)

    def _on_frame(self, kind: int, flags: int, length: int) -> None:
        if length > MAX_FRAME_BYTES:
            raise BadMessage(f"sent what is no gRPC (a frame of {length} bytes)")
        if kind != DATA or length < FULL_FRAME:
            self._frames.left -= 1
            if self._frames.left < 0:
                raise Abuse(f"flooded the referee with more than {BURST_FRAMES} control frames or tiny frames")
        self.farewell = self.farewell or kind == GOAWAY
        if kind == DATA and flags & PADDED:
            raise BadMessage("sent a padded DATA frame, which gRPC does not use")
        if kind in (HEADERS, CONTINUATION):
            self._header_bytes = length + (self._header_bytes if kind == CONTINUATION else 0)
            if self._header_bytes > MAX_HEADER_BYTES:
                raise BadMessage(f"sent more than {MAX_HEADER_BYTES} bytes of metadata")

"""HTTP/2 seen from outside: frame headers and message boundaries, found without keeping or copying the payload."""

from collections.abc import Callable
from struct import Struct

DATA, HEADERS, RST_STREAM, GOAWAY, CONTINUATION = 0x0, 0x1, 0x3, 0x7, 0x9
END_STREAM, END_HEADERS, PADDED = 0x1, 0x4, 0x8

HEADER_BYTES = 9
_HEADER = Struct(">HBBBI")
"""Length (in two parts, because it has three bytes), kind, flags, stream."""
PREFACE_BYTES = 24
"""What a client sends before its first frame: `PRI * HTTP/2.0` and so on."""
PREFIX_BYTES = 5
"""Before every gRPC message: one byte that says whether it is compressed, four with its length."""

OnFrame = Callable[[int, int, int, int], None]
"""Called with the kind, flags, stream and payload length of every frame."""
OnData = Callable[[int, bytes], None]
"""Called with the stream and the next bytes of the payload of its DATA frames."""


class Frames:
    """Walks along one direction of an HTTP/2 connection, in whatever pieces it arrives."""

    def __init__(self, on_frame: OnFrame, on_data: OnData | None = None, *, skip: int = 0) -> None:
        self._on_frame = on_frame
        self._on_data = on_data
        self._left = skip
        """Bytes until the next frame header."""
        self._header = b""
        self._stream = -1
        """The stream of the DATA frame that we are in, else -1."""

    def feed(self, data: bytes) -> None:
        """Walk over the next bytes; what the callbacks raise ends it."""
        if self._header:
            data, self._header = self._header + data, b""
        at, end = 0, len(data)
        while at < end:
            if self._left:
                until = min(at + self._left, end)
                self._left -= until - at
                if self._stream >= 0 and self._on_data:
                    self._on_data(self._stream, data[at:until])
                at = until
            elif end - at < HEADER_BYTES:
                self._header = data[at:]
                return
            else:
                high, low, kind, flags, stream = _HEADER.unpack_from(data, at)
                at += HEADER_BYTES
                self._left = high << 8 | low
                stream &= 0x7FFFFFFF  # the first bit means nothing, and a bot may set it
                self._stream = stream if kind == DATA else -1
                self._on_frame(kind, flags, stream, self._left)


class Messages:
    """Finds where the gRPC messages of one stream end, from the payload of its DATA frames."""

    def __init__(self, on_prefix: Callable[[bool, int], None], on_message: Callable[[], None]) -> None:
        self._on_prefix = on_prefix
        self._on_message = on_message
        self._left = 0
        self._prefix = b""

    def feed(self, data: bytes) -> None:
        """Walk over the next bytes, calling `on_prefix(compressed, size)` and `on_message()` for every message."""
        at, end = 0, len(data)
        while at < end:
            if self._left:
                step = min(self._left, end - at)
                self._left -= step
                at += step
            else:
                until = at + PREFIX_BYTES - len(self._prefix)
                self._prefix += data[at:until]
                at = until
                if len(self._prefix) < PREFIX_BYTES:
                    return
                compressed, self._left = self._prefix[0] != 0, int.from_bytes(self._prefix[1:], "big")
                self._prefix = b""
                self._on_prefix(compressed, self._left)
            if not self._left:
                self._on_message()

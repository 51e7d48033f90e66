"""The shapes on the wire: frame headers of HTTP/2, seen without unpacking them, and the messages of gRPC."""

from collections.abc import Callable
from struct import Struct

from arena.errors import BadMessage

DATA, HEADERS, GOAWAY, CONTINUATION = 0x0, 0x1, 0x7, 0x9
PADDED = 0x8

HEADER_BYTES = 9
_HEADER = Struct(">HBBBI")
"""Length (in two parts, because it has three bytes), kind, flags, stream."""

MAX_MESSAGE = 1 << 20
"""Bytes of the longest message, both ways."""
_PREFIX = Struct(">BI")
"""Before every message: one byte that says whether it is compressed, four with its length."""


class Frames:
    """Walks along one direction of an HTTP/2 connection, in whatever pieces it arrives."""

    def __init__(self, on_frame: Callable[[int, int, int], None]) -> None:
        self._on_frame = on_frame
        """Called with the kind, flags and payload length of every frame, before its payload is there."""
        self._left = 0
        """Bytes until the next frame header."""
        self._header = b""

    def feed(self, data: bytes) -> None:
        """Walk over the next bytes; what the callback raises ends it."""
        if self._header:
            data, self._header = self._header + data, b""
        at, end = self._left, len(data)
        while at + HEADER_BYTES <= end:
            high, low, kind, flags, _ = _HEADER.unpack_from(data, at)
            length = high << 8 | low
            self._on_frame(kind, flags, length)
            at += HEADER_BYTES + length
        if at < end:
            self._header = data[at:]
        self._left = max(0, at - end)


class Messages:
    """Puts the messages of one stream together from the payload of its DATA frames."""

    def __init__(self, on_message: Callable[[bytes], None]) -> None:
        self._on_message = on_message
        self._held = bytearray()

    def feed(self, data: bytes) -> None:
        """Take the next bytes; BadMessage if they cannot belong to a message that we accept."""
        held = self._held
        held += data
        while len(held) >= _PREFIX.size:
            compressed, size = _PREFIX.unpack_from(held)
            if compressed:
                raise BadMessage("sent a compressed message: compression is not accepted")
            if size > MAX_MESSAGE:
                raise BadMessage(f"announced a message of {size} bytes: {MAX_MESSAGE} are the most")
            end = _PREFIX.size + size
            if len(held) < end:
                return
            message = bytes(held[_PREFIX.size : end])
            del held[:end]
            self._on_message(message)


def pack_message(message: bytes) -> bytes:
    """A message as it goes over the wire, never compressed."""
    return _PREFIX.pack(0, len(message)) + message

"""Framing: splits bytes into HTTP/2 frames without parsing their payload, and DATA payloads into gRPC messages."""

from collections.abc import Callable
from struct import Struct
from typing import NamedTuple

from arena.codec import MAX_MESSAGE
from arena.errors import BadMessage

DATA, HEADERS, SETTINGS, PUSH_PROMISE, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0x0, 0x1, 0x4, 0x5, 0x7, 0x8, 0x9
END_HEADERS, PADDED, PRIORITISED = 0x4, 0x8, 0x20

HEADER_BYTES = 9
_HEADER = Struct(">HBBBI")
"""Length (in two parts, because it has three bytes), kind, flags, stream."""


_PREFIX = Struct(">BI")
"""Before every message: one byte that says whether it is compressed, four with its length."""


class FrameHeader(NamedTuple):
    """What the first nine bytes of a frame say."""

    kind: int
    flags: int
    stream: int
    length: int
    """Bytes of the payload."""


class Frames:
    """Cuts one direction of an HTTP/2 connection into its frames, in whatever pieces it arrives."""

    def __init__(self, on_header: Callable[[FrameHeader], None]) -> None:
        self._on_header = on_header
        """Called once for every frame, before its payload is there; what it raises passes through `take`."""
        self._held = bytearray()
        self._header: FrameHeader | None = None
        """Of the frame that comes next, once it is known."""

    def __len__(self) -> int:
        """How many bytes are held."""
        return len(self._held)

    def feed(self, data: bytes | memoryview) -> None:
        """Take the next bytes; nothing is done with them yet."""
        self._held += data

    def take(self) -> tuple[FrameHeader, bytes] | None:
        """The next frame, whole and with its head, if all of it is there."""
        held, head = self._held, self._header
        if head is None:
            if len(held) < HEADER_BYTES:
                return None
            high, low, kind, flags, stream = _HEADER.unpack_from(held)
            head = self._header = FrameHeader(kind, flags, stream & 0x7FFFFFFF, high << 8 | low)
            self._on_header(head)
        end = HEADER_BYTES + head.length
        if len(held) < end:
            return None
        frame = bytes(held[:end])
        del held[:end]
        self._header = None
        return head, frame


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


def pack_frame(kind: int, stream: int, payload: bytes) -> bytes:
    """A frame without flags."""
    return _HEADER.pack(len(payload) >> 8, len(payload) & 0xFF, kind, 0, stream) + payload


def pack_message(message: bytes) -> bytes:
    """A message as it goes over the wire, never compressed."""
    return _PREFIX.pack(0, len(message)) + message

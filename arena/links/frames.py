"""Framing: splits bytes into HTTP/2 frames without parsing their payload, and DATA payloads into gRPC messages."""

from collections.abc import Callable
from struct import Struct
from typing import NamedTuple

from arena.codec import MAX_MESSAGE
from arena.errors import BadMessage

DATA, HEADERS, SETTINGS, PUSH_PROMISE, PING = 0x0, 0x1, 0x4, 0x5, 0x6
GOAWAY, WINDOW_UPDATE, CONTINUATION = 0x7, 0x8, 0x9
ACK, END_HEADERS, PADDED, PRIORITISED = 0x1, 0x4, 0x8, 0x20
MAX_HEADER_BYTES = 16 << 10
"""Bytes of one block of headers, on the wire and unpacked."""
PING_BYTES = 8

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


_PING = FrameHeader(PING, 0, 0, PING_BYTES)
"""Of a ping in good order that asks for an answer."""


class Frames:
    """Cuts one direction of an HTTP/2 connection into its frames, in whatever pieces it arrives."""

    def __init__(self, on_header: Callable[[FrameHeader], None]) -> None:
        self._on_header = on_header
        """Called once for every frame, before its payload is there; what it raises passes through `take`."""
        self._held = bytearray()
        self._header: FrameHeader | None = None
        """Of the frame that comes next, once it is known."""

    def __len__(self) -> int:
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
            head = self._header = _read_header(held, 0)
            self._on_header(head)
        end = HEADER_BYTES + head.length
        if len(held) < end:
            return None
        frame = bytes(held[:end])
        del held[:end]
        self._header = None
        return head, frame

    def cut_pings(self) -> list[bytes]:
        """Take every whole ping out of what is held, wherever it stands, and leave all other frames; what they carry.

        Only a little may be held when this is called, for all of it is walked over.
        """
        held, at, pings = self._held, 0, []
        while len(held) - at >= HEADER_BYTES:
            head = self._header if at == 0 and self._header else _read_header(held, at)
            end = at + HEADER_BYTES + head.length
            if head != _PING or end > len(held):
                at = end
                continue
            if at == 0 and self._header:
                self._header = None
            else:
                self._on_header(head)
            pings.append(bytes(held[end - PING_BYTES : end]))
            del held[at:end]
        return pings


class HeaderBlocks:
    """Joins a HEADERS frame and the CONTINUATION frames that belong to it into one frame."""

    def __init__(self) -> None:
        self._first: FrameHeader | None = None
        """Of the block that is not whole yet."""
        self._block = bytearray()

    def join(self, head: FrameHeader, frame: bytes) -> tuple[FrameHeader, bytes] | None:
        """The frame itself, or the whole of a block that ends with it; None while more of the block has to come."""
        first = self._first
        if first is None:
            if head.kind == CONTINUATION:
                raise BadMessage("sent a CONTINUATION frame that continues no HEADERS frame")
            if head.kind != HEADERS or head.flags & END_HEADERS:
                return head, frame
            first = self._first = head
            self._block.clear()
        elif head.kind != CONTINUATION or head.stream != first.stream:
            raise BadMessage("sent another frame in the middle of a block of headers")
        self._block += frame[HEADER_BYTES:]
        if len(self._block) > MAX_HEADER_BYTES:
            raise BadMessage(f"sent more than {MAX_HEADER_BYTES} bytes of metadata at once")
        if not head.flags & END_HEADERS:
            return None
        self._first = None
        whole = FrameHeader(HEADERS, first.flags | END_HEADERS, first.stream, len(self._block))
        return whole, pack_frame(HEADERS, first.stream, bytes(self._block), whole.flags)


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
                raise BadMessage(f"announced a message of {size} bytes: at most {MAX_MESSAGE} are allowed")
            end = _PREFIX.size + size
            if len(held) < end:
                return
            message = bytes(held[_PREFIX.size : end])
            del held[:end]
            self._on_message(message)


def pack_frame(kind: int, stream: int, payload: bytes, flags: int = 0) -> bytes:
    return _HEADER.pack(len(payload) >> 8, len(payload) & 0xFF, kind, flags, stream) + payload


def _read_header(data: bytearray, at: int) -> FrameHeader:
    high, low, kind, flags, stream = _HEADER.unpack_from(data, at)
    return FrameHeader(kind, flags, stream & 0x7FFFFFFF, high << 8 | low)


def pack_message(message: bytes) -> bytes:
    """A message as it goes over the wire, never compressed."""
    return _PREFIX.pack(0, len(message)) + message

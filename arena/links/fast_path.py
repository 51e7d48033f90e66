"""The frames of every move, without h2: DATA of open streams both ways, and the WINDOW_UPDATE frames between them.

h2 takes longer for these three kinds of frames than the rest of the link for everything; it still parses all others,
and these too as soon as there is anything unusual about them. Its counters of what we may send are kept exact; of what
the bot may send, h2 counts only what it has parsed itself, and the rest is counted here.
"""

from collections.abc import Iterable
from struct import Struct

from h2.connection import H2Connection

from arena.links.frames import ACK, DATA, HEADER_BYTES, PING, WINDOW_UPDATE, FrameHeader, pack_frame

MAX_WINDOW = (1 << 31) - 1
_INCREMENT = Struct(">I")


class FastPath:
    """Takes the usual frames of one connection, next to h2; the guard has seen every one of them before."""

    def __init__(self, http: H2Connection, window: int) -> None:
        self._http = http
        self._grant_at = window // 4
        """As many received bytes are granted again at once: long before the bot would have to wait for it."""
        self._received: dict[int, int] = {}
        """Bytes that are not granted again yet, for every stream whose DATA is taken here."""
        self._received_in_all = 0
        """The same for the whole connection, which has a window of its own."""
        self._out = bytearray()

    def on_response(self, stream: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Take the DATA of this stream after its final response, unless h2 has to compare an announced length."""
        if not any(name == b"content-length" for name, _ in headers):
            self._received[stream] = 0

    def close(self, stream: int) -> None:
        """Leave what still comes on this stream to h2."""
        self._received.pop(stream, None)

    def data(self, head: FrameHeader, frame: bytes) -> bytes | None:
        """The payload of a DATA frame in the middle of an open stream; None for all other frames."""
        if head.kind != DATA or head.flags or head.stream not in self._received:
            return None
        self._received[head.stream] = self._grant(head.stream, self._received[head.stream] + head.length)
        self._received_in_all = self._grant(0, self._received_in_all + head.length)
        return frame[HEADER_BYTES:]

    def widen(self, head: FrameHeader, frame: bytes) -> bool:
        """Take a WINDOW_UPDATE frame in good order; False for all other frames."""
        if head.kind != WINDOW_UPDATE or head.length != _INCREMENT.size:
            return False
        if head.stream and head.stream not in self._received:
            return False
        window = self._http.streams[head.stream] if head.stream else self._http
        widened = window.outbound_flow_control_window + (_INCREMENT.unpack_from(frame, HEADER_BYTES)[0] & MAX_WINDOW)
        if not window.outbound_flow_control_window < widened <= MAX_WINDOW:
            return False
        window.outbound_flow_control_window = widened
        return True

    def send(self, stream: int, data: bytes) -> None:
        """Send a DATA frame that flow control allows, in the middle of a stream that is open on our side."""
        self._http.outbound_flow_control_window -= len(data)
        self._http.streams[stream].outbound_flow_control_window -= len(data)
        self._append(pack_frame(DATA, stream, data))

    def answer_ping(self, payload: bytes) -> None:
        """Answer a ping that h2 does not see."""
        self._append(pack_frame(PING, 0, payload, ACK))

    def data_to_send(self) -> bytes:
        """All frames that are to be sent, those of h2 included, in their order."""
        if not self._out:
            return self._http.data_to_send()
        out = bytes(self._out) + self._http.data_to_send()
        self._out.clear()
        return out

    def _grant(self, stream: int, received: int) -> int:
        """Let the bot send as much again if it is worth a frame; the bytes that are not granted again yet."""
        if received < self._grant_at:
            return received
        self._append(pack_frame(WINDOW_UPDATE, stream, _INCREMENT.pack(received)))
        return 0

    def _append(self, frame: bytes) -> None:
        self._out += self._http.data_to_send()
        self._out += frame

"""An HTTP/2 connection to a bot: the h2 library speaks the protocol, a guard stands before it, asyncio carries bytes.

gRPC's own client is not made for servers that want to harm it, and it cannot tell when a byte came. Here every byte
of a bot passes our guard first, the time is taken at the socket, and what ends a stream is seen and not reported.
"""

import asyncio
import socket
from collections.abc import Callable, Iterable
from typing import Protocol, cast

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import (
    ConnectionTerminated,
    DataReceived,
    Event,
    RemoteSettingsChanged,
    ResponseReceived,
    StreamEnded,
    StreamReset,
    TrailersReceived,
    WindowUpdated,
)
from h2.settings import SettingCodes, Settings

from arena.errors import BadMessage, BotFault, Disconnected
from arena.links.guard import MAX_HEADER_BYTES, Guard

Headers = Iterable[tuple[bytes, bytes]]

HUNG_UP = "closed the connection before the match was over"
READ_BYTES = 64 << 10
WINDOW = 2 << 20
"""What a bot may send before we grant more: room for the longest message, so that none waits for us."""
_FIRST_WINDOW = 65535
"""Of every connection, until it is widened."""
_CONFIG = H2Configuration(client_side=True, header_encoding=None)
_SETTINGS = {
    SettingCodes.ENABLE_PUSH: 0,
    SettingCodes.INITIAL_WINDOW_SIZE: WINDOW,
    SettingCodes.MAX_HEADER_LIST_SIZE: MAX_HEADER_BYTES,
}


class Listener(Protocol):
    """Whoever opened a stream; BotFault from any of these ends the whole connection."""

    def on_sent(self) -> None:
        """All that was to be sent is on its way."""
        ...

    def on_headers(self, headers: Headers) -> None:
        """The bot sent headers or trailers."""
        ...

    def on_data(self, data: bytes) -> None:
        """The bot sent these bytes."""
        ...

    def on_end(self, fault: BotFault | None) -> None:
        """Nothing more comes: for this reason, or because the bot ended the stream in good order."""
        ...


class Http2(asyncio.BufferedProtocol):
    """One connection; `fault` says what the bot did wrong on it."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.over = False
        """True when nothing is carried any more, whoever ended it."""
        self.fault: BotFault | None = None
        self.greeted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the bot has said what it grants, or when all is over."""
        self._http = H2Connection(_CONFIG)
        self._http.local_settings = Settings(client=True, initial_values=_SETTINGS)
        self._guard = Guard(now)
        self._transport: asyncio.Transport | None = None
        self._choked = False
        """True while the bot is too slow for what was written."""
        self._listeners: dict[int, Listener] = {}
        self._unsent: dict[int, tuple[bytearray, bool]] = {}
        """For every stream that waits for room: the bytes, and whether they are the last."""
        # A plain asyncio.Protocol allocates 256 KiB for every read, which costs more than all the rest here.
        self._buffer = memoryview(bytearray(READ_BYTES))

    @classmethod
    async def on(cls, sock: socket.socket, now: Callable[[], float]) -> "Http2":
        """A connection on a connected socket, which belongs to it from now on."""
        connection = cls(now)
        try:
            await asyncio.get_running_loop().connect_accepted_socket(lambda: connection, sock)
        except BaseException:
            sock.close()
            raise
        return connection

    # -- what its owner does ------------------------------------------------------------------------

    def has_room(self) -> bool:
        """Whether the bot lets us open one more stream."""
        return bool(self._http.open_outbound_streams < self._http.remote_settings.max_concurrent_streams)

    def open(self, headers: Headers, listener: Listener) -> int:
        """Open a stream; its number."""
        stream: int = self._http.get_next_available_stream_id()
        self._http.send_headers(stream, list(headers))
        self._listeners[stream] = listener
        self._flush()
        return stream

    def send(self, stream: int, data: bytes, *, last: bool = False) -> None:
        """Send bytes as soon as the bot has room for them; nothing happens on a stream that is over."""
        waiting, _ = self._unsent.get(stream, (bytearray(), False))
        self._unsent[stream] = (waiting + data, last)
        self._pump(stream)

    def reset(self, stream: int) -> None:
        """Break a stream off; its listener hears nothing more."""
        if self._listeners.pop(stream, None) and not self.over:
            self._unsent.pop(stream, None)
            self._http.reset_stream(stream, error_code=8)  # CANCEL
            self._flush()

    def close(self) -> None:
        """Hang up; streams that are open end."""
        self._end(Disconnected("the referee hung up"))

    # -- what the socket does -----------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Greet the bot."""
        self._transport = cast(asyncio.Transport, transport)
        self._http.initiate_connection()
        self._http.increment_flow_control_window(WINDOW - _FIRST_WINDOW)
        self._flush()

    def get_buffer(self, _sizehint: int) -> memoryview:
        """Where asyncio puts what it reads."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Take what was read, and answer; the first fault ends the connection."""
        if self.over:
            return
        try:
            self._take(self._buffer[:nbytes].tobytes())
        except BotFault as fault:
            self.fault = fault
            self._end(fault)
        else:
            self._flush()

    def pause_writing(self) -> None:
        """The bot reads too slowly."""
        self._choked = True

    def resume_writing(self) -> None:
        """The bot has caught up."""
        self._choked = False

    def connection_lost(self, _exc: Exception | None) -> None:
        """The bot, or its box, is gone."""
        self._end(Disconnected(HUNG_UP))

    # -- between them -------------------------------------------------------------------------------

    def _take(self, data: bytes) -> None:
        self._guard.watch(data, listens=not self._choked)
        try:
            events = self._http.receive_data(data)
        except Exception as error:  # whatever the library stumbles over, these bytes are not what it was promised
            if self._guard.farewell:  # the library wants to hear nothing after it, but gRPC servers go on a little
                raise Disconnected(HUNG_UP) from error
            raise BadMessage(f"sent what is no gRPC ({printable(str(error))})") from error
        for event in events:
            self._on_event(event)

    def _on_event(self, event: Event) -> None:
        match event:
            case DataReceived():
                self._http.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                if listener := self._listeners.get(event.stream_id):
                    listener.on_data(event.data)
            case ResponseReceived() | TrailersReceived():
                if listener := self._listeners.get(event.stream_id):
                    listener.on_headers(event.headers)
            case StreamEnded():
                self._end_stream(event.stream_id, None)
            case StreamReset():
                self._end_stream(event.stream_id, Disconnected("broke the stream off before the match was over"))
            case ConnectionTerminated():
                raise Disconnected(HUNG_UP)
            case WindowUpdated() | RemoteSettingsChanged():
                self._greet()
                for stream in list(self._unsent):
                    self._pump(stream)

    def _pump(self, stream: int) -> None:
        """Send what there is room for."""
        data, last = self._unsent.get(stream, (bytearray(), False))
        listener = self._listeners.get(stream)
        if self.over or listener is None:
            self._unsent.pop(stream, None)
            return
        while data or last:
            room = min(self._http.local_flow_control_window(stream), self._http.max_outbound_frame_size)
            if data and room <= 0:
                return
            piece = bytes(data[:room])
            del data[:room]
            self._http.send_data(stream, piece, end_stream=last and not data)
            last = last and bool(data)
            self._guard.asked()
        del self._unsent[stream]
        self._flush()
        listener.on_sent()

    def _flush(self) -> None:
        if self._transport and (data := self._http.data_to_send()):
            self._transport.write(data)

    def _greet(self) -> None:
        if not self.greeted.done():
            self.greeted.set_result(None)

    def _end_stream(self, stream: int, fault: BotFault | None) -> None:
        self._unsent.pop(stream, None)
        if listener := self._listeners.pop(stream, None):
            listener.on_end(fault)

    def _end(self, fault: BotFault) -> None:
        if self.over:
            return
        self.over = True
        self._greet()
        if self._transport:
            self._transport.abort()
        for stream in list(self._listeners):
            self._end_stream(stream, fault)


def printable(text: str, limit: int = 200) -> str:
    """A bot's text without anything that a terminal, a log or a page might obey."""
    return text[:limit].encode("unicode_escape").decode("ascii")

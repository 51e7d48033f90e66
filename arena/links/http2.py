"""An HTTP/2 connection to a bot: the h2 library speaks the protocol, a guard stands before it, asyncio carries bytes.

gRPC's own client is not made for servers that want to harm it, and it cannot tell when a byte came. Here every frame
of a bot passes our guard first, the time is taken at the socket, and what ends a stream is seen and not reported.

A bot's bytes are worked on only while somebody waits for that bot. What it sends behind its reply stays where it is
until its own next turn, so no bot makes the referee busy while the clock of another runs.
"""

import asyncio
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, cast

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import (
    ConnectionTerminated,
    DataReceived,
    Event,
    InformationalResponseReceived,
    RemoteSettingsChanged,
    ResponseReceived,
    StreamEnded,
    StreamReset,
    TrailersReceived,
    WindowUpdated,
)
from h2.settings import SettingCodes, Settings

from arena.errors import BadMessage, BotFault, Disconnected
from arena.links.frames import Frames
from arena.links.guard import FULL_FRAME, MAX_HEADER_BYTES, Guard
from arena.play import looptime

Headers = Iterable[tuple[bytes, bytes]]

HUNG_UP = "closed the connection before the match was over"
READ_BYTES = 64 << 10
WINDOW = 2 << 20
"""What a bot may send before we grant more: room for the longest message, so that none waits for us."""
SHORT_WORK = 0.0005
CATCH_UP_READS = 8
"""How often we read before a request, to be done with what was sent before it; more than a socket holds."""
GLANCE_S, GLANCE_BYTES, GLANCE_FRAMES = 5.0, 1 << 10, 16
"""How often, and how far, we look at a bot that nobody waits for: servers hang up if their pings stay unanswered."""
_FIRST_WINDOW = 65535
"""Of every connection, until it is widened."""
_CONFIG = H2Configuration(client_side=True, header_encoding=None)
_SETTINGS = {
    SettingCodes.ENABLE_PUSH: 0,
    SettingCodes.INITIAL_WINDOW_SIZE: WINDOW,
    SettingCodes.MAX_HEADER_LIST_SIZE: MAX_HEADER_BYTES,
}


class Stopwatch:
    """How much processor time our work took; short work is not worth the system call, and is taken by the wall.

    The wall alone would not do: a referee that is held up in the middle of its work must not blame the bot.
    """

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._since: float | None = None
        """The processor time when it became worth asking for."""

    def check(self) -> None:
        """Begin to ask once the work is no longer short; to be called now and then meanwhile."""
        if self._since is None and time.perf_counter() - self._began > SHORT_WORK:
            self._since = time.thread_time()

    def spent(self) -> float:
        """The seconds so far."""
        short = min(time.perf_counter() - self._began, SHORT_WORK)
        return short if self._since is None else short + time.thread_time() - self._since


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

    def __init__(self, sock: socket.socket, now: Callable[[], float]) -> None:
        self.over = False
        """True when nothing is carried any more, whoever ended it."""
        self.fault: BotFault | None = None
        self.stamp = 0.0
        """When the bytes that were worked on last came."""
        self.worked = 0.0
        """Processor seconds that the work on this bot's bytes took so far."""
        self._loop = asyncio.get_running_loop()
        self.settings_received: asyncio.Future[None] = self._loop.create_future()
        """Done when the bot has said what it grants, or when all is over."""
        self._http = H2Connection(_CONFIG)
        self._http.local_settings = Settings(client=True, initial_values=_SETTINGS)
        self._http.decoder.max_header_list_size = MAX_HEADER_BYTES
        self._now = now
        self._looks = looptime.current()
        self._guard = Guard(now)
        self._frames = Frames(self._guard.on_head)
        self._sock = sock
        self._transport: asyncio.Transport | None = None
        self._glances: asyncio.TimerHandle | None = None
        self._waiting: set[object] = set()
        """Who waits for something from the bot; while nobody does, nothing that it sends is looked at."""
        self._paused = False
        """True when the bot sent something that nobody waited for: asyncio reads no more until somebody does."""
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
        connection = cls(sock, now)
        try:
            await asyncio.get_running_loop().connect_accepted_socket(lambda: connection, sock)
        except BaseException:
            sock.close()
            raise
        return connection

    # -- what its owner does ------------------------------------------------------------------------

    def start_reading(self, who: object) -> None:
        """Read while this one waits; what the bot sent before is worked off at once."""
        self._waiting.add(who)
        if self._paused and self._transport:
            self._paused = False
            self._guarded(self._catch_up)
            self._transport.resume_reading()
        elif len(self._frames):
            self._guarded(self._work)

    def stop_reading(self, who: object) -> None:
        """Nothing more for this one; if nobody else waits, not even what was read already is looked at."""
        self._waiting.discard(who)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read as long as this lasts."""
        who = object()
        self.start_reading(who)
        try:
            yield
        finally:
            self.stop_reading(who)

    def has_room(self) -> bool:
        """Whether the bot lets us open one more stream."""
        return bool(self._http.open_outbound_streams < self._http.remote_settings.max_concurrent_streams)

    def open(self, headers: Headers, listener: Listener) -> int:
        """Open a stream; its number."""
        stream: int = self._http.get_next_available_stream_id()
        self._http.send_headers(stream, list(headers))
        self._guard.opened(stream)
        self._listeners[stream] = listener
        self._flush()
        return stream

    def send(self, stream: int, data: bytes, *, last: bool = False) -> None:
        """Send bytes as soon as the bot has room for them; nothing happens on a stream that is over."""
        waiting, _ = self._unsent.get(stream, (bytearray(), False))
        self._unsent[stream] = (waiting + data, last)
        self._guard.asked()
        self._guarded(self._pump, stream)

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
        self._glances = self._loop.call_later(GLANCE_S, self._glance)

    def get_buffer(self, _sizehint: int) -> memoryview:
        """Where asyncio puts what it reads: a little, if nobody waits for it."""
        return self._buffer if self._waiting else self._buffer[:GLANCE_BYTES]

    def buffer_updated(self, nbytes: int) -> None:
        """Take what was read, and answer; the first fault ends the connection."""
        self._guarded(self._take if self._waiting else self._keep, nbytes)

    def pause_writing(self) -> None:
        """The bot reads too slowly."""
        self._choked = True

    def resume_writing(self) -> None:
        """The bot has caught up."""
        self._choked = False

    def connection_lost(self, _exc: Exception | None) -> None:
        """The bot, or its box, is gone."""
        self._end(Disconnected(HUNG_UP))

    # -- reading ------------------------------------------------------------------------------------

    def _guarded(self, step: Callable[..., None], *arguments: int) -> None:
        """Do this, and send what it left to be sent; a fault of the bot ends the connection."""
        if self.over:
            return
        try:
            step(*arguments)
        except BotFault as fault:
            self.fault = fault
            self._end(fault)
        else:
            self._flush()

    def _take(self, count: int) -> None:
        """Work on the bytes that were just read into our buffer."""
        arrival = self._looks.arrival if self._looks else self._now()
        # Time that we spent on this bot's earlier bytes is its own: it is never taken to have sent these before that.
        self.stamp = max(arrival, self.stamp)
        self._hold(count)
        self._work()

    def _keep(self, count: int) -> None:
        """Nobody waits for these bytes, so none of them is looked at, and no more are read."""
        self._hold(count)
        if self._transport:
            self._paused = True
            self._transport.pause_reading()

    def _hold(self, count: int) -> None:
        self._guard.on_bytes(count, listens=not self._choked)
        self._frames.feed(self._buffer[:count])

    def _work(self, uncalled: int = 0) -> None:
        """Work on whole frames while somebody waits for the bot, or on so many that nobody waits for."""
        stopwatch = Stopwatch()
        try:
            while (self._waiting or uncalled > 0) and (taken := self._frames.take()):
                uncalled -= 1
                self._guard.on_frame(*taken)
                self._on_frame(taken[1])
                stopwatch.check()
        finally:
            spent = stopwatch.spent()
            self.worked += spent
            self.stamp += spent
        self._guard.on_work(spent)

    def _catch_up(self) -> None:
        """Work off what came while nobody waited."""
        self._work()
        for _ in range(CATCH_UP_READS):
            count = self._read(READ_BYTES)
            if count:
                self._take(count)
            if count < READ_BYTES:
                return

    def _glance(self) -> None:
        """Look a little at a bot that nobody waits for."""
        self._glances = self._loop.call_later(GLANCE_S, self._glance)
        if not self._waiting:
            self._guarded(self._take_little)

    def _take_little(self) -> None:
        if len(self._frames) < GLANCE_BYTES and (count := self._read(GLANCE_BYTES)):
            self._hold(count)
        self._work(uncalled=GLANCE_FRAMES)

    def _read(self, most: int) -> int:
        """Read beside asyncio, which does not while it is paused; 0 when nothing is there."""
        try:
            count = self._sock.recv_into(self._buffer[:most])
        except BlockingIOError:
            return 0
        except OSError as error:
            raise Disconnected(HUNG_UP) from error
        if not count:
            raise Disconnected(HUNG_UP)
        return count

    def _on_frame(self, frame: bytes) -> None:
        try:
            events = self._http.receive_data(frame)
        except Exception as error:  # whatever the library stumbles over, these bytes are not what it was promised
            if self._guard.goaway_received:  # h2 accepts nothing after it, but gRPC servers go on
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
            case InformationalResponseReceived() | ResponseReceived() | TrailersReceived():
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

    # -- writing ------------------------------------------------------------------------------------

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
            if len(piece) >= FULL_FRAME:  # a bot that grants us single bytes earns nothing by it
                self._guard.asked()
        del self._unsent[stream]
        self._flush()
        listener.on_sent()

    def _flush(self) -> None:
        if self._transport and not self.over and (data := self._http.data_to_send()):
            self._transport.write(data)

    def _greet(self) -> None:
        if not self.settings_received.done():
            self.settings_received.set_result(None)

    def _end_stream(self, stream: int, fault: BotFault | None) -> None:
        self._unsent.pop(stream, None)
        if listener := self._listeners.pop(stream, None):
            listener.on_end(fault)

    def _end(self, fault: BotFault) -> None:
        if self.over:
            return
        self.over = True
        self._greet()
        if self._glances:
            self._glances.cancel()
        if self._transport:
            self._transport.abort()
        for stream in list(self._listeners):
            self._end_stream(stream, fault)


def printable(text: str, limit: int = 200) -> str:
    """A bot's text without anything that a terminal, a log or a page might obey."""
    return text[:limit].encode("unicode_escape").decode("ascii")

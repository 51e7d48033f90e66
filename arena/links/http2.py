"""An HTTP/2 connection to a bot: asyncio reads the socket, a guard checks every frame, the h2 library parses it.

gRPC's own client is not made for hostile servers, and does not say when a byte arrived. Here every frame passes our
guard before h2 sees it, times are taken at the socket, and the end of a stream is observed, not reported by the bot.

A bot's bytes are processed only while somebody waits for that bot. What it sends after its reply stays in the socket
until its own next turn, so no bot makes the referee busy while the clock of another runs. Only pings are answered
meanwhile, without h2, from a look at a few bytes now and then: servers close connections whose pings are not answered.
"""

import asyncio
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from struct import Struct
from typing import Protocol, cast

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
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
from arena.links.fast_path import FastPath
from arena.links.frames import GOAWAY, HEADER_BYTES, MAX_HEADER_BYTES, FrameHeader, Frames, HeaderBlocks
from arena.links.guard import FULL_FRAME, Guard
from arena.referee import looptime
from arena.untrusted.text import escaped

Headers = Iterable[tuple[bytes, bytes]]

CONNECTION_CLOSED = "closed the connection before the match was over"
NO_STREAM = "does not accept another stream"
READ_BYTES = 64 << 10
WINDOW = 2 << 20
"""Our flow-control window: larger than the longest message, so that no message waits for us."""
SHORT_WORK = 0.0005
CATCH_UP_READS = 8
"""How often we read before a request, to be done with what was sent before it; more than a socket holds."""
IDLE_LOOK_S, IDLE_BYTES = 0.25, 1 << 10
"""How long what came from a bot that nobody waits for lies unseen, and how much of it is read at a time."""
MAX_STREAM = (1 << 31) - 1
_GOAWAY = Struct(">II")
"""The last stream that the bot will have seen, and why it closes the connection."""
_FIRST_WINDOW = 65535
"""Of every connection, until it is widened."""
_CONFIG = H2Configuration(client_side=True, header_encoding=None)
_SETTINGS = {
    SettingCodes.ENABLE_PUSH: 0,
    SettingCodes.INITIAL_WINDOW_SIZE: WINDOW,
    SettingCodes.MAX_HEADER_LIST_SIZE: MAX_HEADER_BYTES,
}


class Stopwatch:
    """Measures processor time; for short work, which is not worth the system call, it takes the wall-clock time.

    Wall-clock time alone would not do: a referee that is descheduled in the middle must not blame the bot.
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

    def __init__(self, sock: socket.socket, now: Callable[[], float], before: "Http2 | None" = None) -> None:
        self.over = False
        """Whether the connection has ended, on either side."""
        self.leaving = False
        """Whether the bot will close the connection: streams that are open go on, and no other is opened."""
        self.fault: BotFault | None = None
        self.received_at = 0.0
        """When the bytes that were processed last had arrived."""
        self.cpu_seconds = 0.0
        """Processor seconds spent on this bot's bytes so far."""
        self._loop = asyncio.get_running_loop()
        self.settings_received: asyncio.Future[None] = self._loop.create_future()
        """Done when the bot's SETTINGS have arrived, or when the connection is over."""
        self._http = H2Connection(_CONFIG)
        self._http.local_settings = Settings(client=True, initial_values=_SETTINGS)
        self._http.decoder.max_header_list_size = MAX_HEADER_BYTES
        self._fast = FastPath(self._http, WINDOW)
        self._now = now
        self._selector = looptime.current()
        self._guard: Guard = Guard(now, before._guard if before else None)
        self._frames = Frames(self._guard.on_header)
        self._blocks = HeaderBlocks()
        self._sock = sock
        self._transport: asyncio.Transport | None = None
        self._look: asyncio.TimerHandle | None = None
        """Due when a bot that nobody waits for sent something."""
        self._unseen_since = 0.0
        """When that came, on the loop's clock."""
        self._waiting: set[object] = set()
        """Callers that wait for the bot; while there are none, nothing that it sends is processed."""
        self._paused = False
        """True when the bot sent something that nobody waited for: asyncio reads no more until somebody does."""
        self._writing_paused = False
        """True while the bot is too slow for what was written."""
        self._listeners: dict[int, Listener] = {}
        self._unsent: dict[int, tuple[bytearray, bool]] = {}
        """For every stream that waits for flow control: the bytes, and whether they are the last."""
        # A plain asyncio.Protocol allocates 256 KiB for every read, which costs more than all the rest here.
        self._buffer = memoryview(bytearray(READ_BYTES))

    @classmethod
    async def on(cls, sock: socket.socket, now: Callable[[], float], before: "Http2 | None" = None) -> "Http2":
        """A connection on a connected socket, which belongs to it from now on, perhaps in the place of another."""
        connection = cls(sock, now, before)
        try:
            await asyncio.get_running_loop().connect_accepted_socket(lambda: connection, sock)
        except BaseException:
            sock.close()
            raise
        return connection

    # -- what its owner does ------------------------------------------------------------------------

    def start_reading(self, waiter: object) -> None:
        """Read while this caller waits; what the bot sent before is processed at once."""
        self._waiting.add(waiter)
        if self._selector:
            self._selector.callers.add(waiter)
        if self._paused and self._transport:
            self._paused = False
            self._run_guarded(self._catch_up)
            self._transport.resume_reading()
        elif len(self._frames):
            self._run_guarded(self._process_frames)

    def hold(self, waiter: object) -> None:
        """Process no more for a caller that will go on; while nobody waits, not even buffered bytes are processed."""
        self._waiting.discard(waiter)

    def stop_reading(self, waiter: object) -> None:
        self.hold(waiter)
        if self._selector:
            self._selector.callers.discard(waiter)
        if len(self._frames) and not self._waiting and not self.over:
            self._look_later()  # a ping may stand behind the reply

    def read_soon(self) -> bool:
        """Read what the bot sends within a moment, without a turn of the event loop; False leaves it to the loop."""
        if self.over or self._paused or not self._selector or not self._selector.wait_for(self._sock.fileno()):
            return False
        self._run_guarded(self._read_and_receive)
        return True

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read for as long as the context lasts."""
        waiter = object()
        self.start_reading(waiter)
        try:
            yield
        finally:
            self.stop_reading(waiter)

    def is_ended(self) -> bool:
        """Whether no further stream can be opened here, now or later."""
        return self.over or self.leaving

    def is_unused(self) -> bool:
        return not self._listeners

    def can_open_stream(self) -> bool:
        """Whether the bot lets us open one more stream at present."""
        return bool(self._http.open_outbound_streams < self._http.remote_settings.max_concurrent_streams)

    def open(self, headers: Headers, listener: Listener) -> int:
        """Open a stream; its number, or 0 if the bot lets us open none, which its listener is told."""
        if self.is_ended():
            listener.on_end(self.fault or Disconnected(CONNECTION_CLOSED))
            return 0
        if not self.can_open_stream():  # h2 would raise, and that would be our fault
            listener.on_end(Disconnected(NO_STREAM))
            return 0
        stream: int = self._http.get_next_available_stream_id()
        self._http.send_headers(stream, list(headers))
        self._guard.opened(stream)
        self._listeners[stream] = listener
        self._flush()
        return stream

    def send(self, stream: int, data: bytes, *, last: bool = False) -> None:
        """Send bytes as soon as the bot has room for them; nothing happens on a stream that is over."""
        self._guard.asked()
        if not last and self._fits(stream, len(data)):  # as nearly every request does
            self._fast.send(stream, data)
            self._flush()
            self._listeners[stream].on_sent()
            return
        waiting, _ = self._unsent.get(stream, (bytearray(), False))
        self._unsent[stream] = (waiting + data, last)
        self._run_guarded(self._pump, stream)

    def reset(self, stream: int) -> None:
        """Break a stream off; its listener hears nothing more."""
        if self._listeners.pop(stream, None) and not self.over:
            self._unsent.pop(stream, None)
            self._fast.close(stream)
            self._http.reset_stream(stream, error_code=ErrorCodes.CANCEL)
            self._flush()

    def close(self) -> None:
        """Hang up; streams that are open end."""
        self._end(Disconnected("the referee hung up"))

    # -- what the socket does -----------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the connection preface and our SETTINGS."""
        self._transport = cast(asyncio.Transport, transport)
        self._http.initiate_connection()
        self._http.increment_flow_control_window(WINDOW - _FIRST_WINDOW)
        self._flush()

    def get_buffer(self, _sizehint: int) -> memoryview:
        """The buffer that asyncio reads into: a small part of it if nobody waits."""
        return self._buffer if self._waiting else self._buffer[:IDLE_BYTES]

    def buffer_updated(self, nbytes: int) -> None:
        """Process or buffer what was read; the first fault ends the connection."""
        self._run_guarded(self._receive if self._waiting else self._buffer_and_pause, nbytes)

    def pause_writing(self) -> None:
        self._writing_paused = True

    def resume_writing(self) -> None:
        self._writing_paused = False

    def connection_lost(self, _exc: Exception | None) -> None:
        """The bot closed the connection, or its sandbox was removed."""
        self._end(Disconnected(CONNECTION_CLOSED))

    # -- reading ------------------------------------------------------------------------------------

    def _run_guarded(self, step: Callable[..., object], *arguments: int) -> None:
        """Run a step and flush what it wants to send; a fault of the bot ends the connection."""
        if self.over:
            return
        try:
            step(*arguments)
        except BotFault as fault:
            self.fault = fault
            self._end(fault)
        else:
            self._flush()

    def _receive(self, count: int) -> None:
        """Stamp and process the bytes that were just read into our buffer."""
        arrival = self._selector.arrival if self._selector else self._now()
        # Time that we spent on this bot's earlier bytes is its own: it is never taken to have sent these before that.
        self.received_at = max(arrival, self.received_at)
        self._buffer_bytes(count)
        self._process_frames()

    def _buffer_and_pause(self, count: int) -> None:
        """Store bytes that nobody waits for without processing them, and read no more for a while."""
        self._buffer_bytes(count)
        if self._transport:
            self._paused = True
            self._transport.pause_reading()
            self._look_later()

    def _look_later(self) -> None:
        """Look at what came just now when it has lain unseen for a while."""
        self._unseen_since = self._loop.time()
        if self._look is None:
            self._look = self._loop.call_later(IDLE_LOOK_S, self._look_at_unseen)

    def _buffer_bytes(self, count: int) -> None:
        self._guard.on_bytes(count, listens=not self._writing_paused)
        self._frames.feed(self._buffer[:count])

    def _process_frames(self) -> None:
        """Process complete frames while somebody waits for the bot."""
        stopwatch = Stopwatch()
        try:
            while self._waiting and (taken := self._frames.take()):
                if whole := self._blocks.join(*taken):
                    self._guard.on_frame(*whole)
                    self._on_frame(*whole)
                stopwatch.check()
        finally:
            spent = self._note_work(stopwatch)
        self._guard.on_work(spent)

    def _note_work(self, stopwatch: Stopwatch) -> float:
        """Count the time of work on this bot's bytes as its own; the seconds."""
        spent = stopwatch.spent()
        self.cpu_seconds += spent
        self.received_at += spent
        return spent

    def _catch_up(self) -> None:
        """Process what arrived while nobody waited."""
        self._process_frames()
        for _ in range(CATCH_UP_READS):
            if self._read_and_receive() < READ_BYTES:
                return

    def _read_and_receive(self) -> int:
        """Read and process what is there; how many bytes."""
        if count := self._read(READ_BYTES):
            self._receive(count)
        return count

    def _look_at_unseen(self) -> None:
        """Answer the pings of a bot that nobody has waited for since they came, and read a little more."""
        self._look = None
        if self.over or self._waiting or not self._transport:
            return
        if (left := self._unseen_since + IDLE_LOOK_S - self._loop.time()) > 0:
            self._look = self._loop.call_later(left, self._look_at_unseen)
            return
        if len(self._frames) < 2 * IDLE_BYTES:  # more was not read idly, but came with a reply: let it wait
            self._run_guarded(self._answer_pings)
        if self._paused and not self.over and len(self._frames) < IDLE_BYTES:
            self._paused = False
            self._transport.resume_reading()

    def _answer_pings(self) -> None:
        stopwatch = Stopwatch()
        for ping in self._frames.cut_pings():
            self._fast.answer_ping(ping)
        self._guard.on_work(self._note_work(stopwatch))

    def _read(self, most: int) -> int:
        """Read beside asyncio, which does not while it is paused; 0 when nothing is there."""
        try:
            count = self._sock.recv_into(self._buffer[:most])
        except BlockingIOError:
            return 0
        except OSError as error:
            raise Disconnected(CONNECTION_CLOSED) from error
        if not count:
            raise Disconnected(CONNECTION_CLOSED)
        return count

    def _on_frame(self, head: FrameHeader, frame: bytes) -> None:
        if (data := self._fast.data(head, frame)) is not None:
            self._listeners[head.stream].on_data(data)
            return
        if self._fast.widen(head, frame):
            self._on_room()
            return
        if head.kind == GOAWAY and head.length >= _GOAWAY.size and not head.stream:
            self._on_goaway(*_GOAWAY.unpack_from(frame, HEADER_BYTES))
            return
        try:
            events = self._http.receive_data(frame)
        except Exception as error:  # whatever h2 raises, the bytes are no valid HTTP/2
            raise BadMessage(f"sent invalid gRPC ({escaped(str(error))})") from error
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
                    if isinstance(event, ResponseReceived):
                        self._fast.on_response(event.stream_id, event.headers)
            case StreamEnded():
                self._end_stream(event.stream_id, None)
                self._end_our_half(event.stream_id)
            case StreamReset():
                self._end_stream(event.stream_id, Disconnected("broke the stream off before the match was over"))
            case WindowUpdated() | RemoteSettingsChanged():
                self._on_room()

    def _on_goaway(self, last: int, why: int) -> None:
        """The bot closes the connection: in good order, and then it still serves the streams that it has seen, or not.

        h2 is not told, because it accepts nothing after a GOAWAY.
        """
        if why != ErrorCodes.NO_ERROR:
            raise Disconnected(CONNECTION_CLOSED)
        self.leaving = True
        for stream in [number for number in self._listeners if number > last & MAX_STREAM]:
            self._end_stream(stream, Disconnected(CONNECTION_CLOSED))

    def _end_our_half(self, stream: int) -> None:
        """End a stream that the bot has ended; half open, it would stay among those that the bot counts."""
        ended = self._http.streams.get(stream)
        if ended and not ended.closed:
            self._http.reset_stream(stream, error_code=ErrorCodes.NO_ERROR)

    def _on_room(self) -> None:
        """Send what waited, now that the bot has room for more."""
        self._set_settings_received()
        for stream in list(self._unsent):
            self._pump(stream)

    # -- writing ------------------------------------------------------------------------------------

    def _fits(self, stream: int, size: int) -> bool:
        """Whether so many bytes can be sent on an open stream at once, in one small frame."""
        return (
            size < FULL_FRAME
            and stream in self._listeners
            and not self._unsent
            and size <= self._http.local_flow_control_window(stream)
        )

    def _pump(self, stream: int) -> None:
        """Send as much as flow control allows."""
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
            if last and not data:
                self._send_last(stream, piece)
                last = False
            else:
                self._fast.send(stream, piece)
            if len(piece) >= FULL_FRAME:  # a bot that grants us single bytes earns nothing by it
                self._guard.asked()
        del self._unsent[stream]
        self._flush()
        listener.on_sent()

    def _send_last(self, stream: int, piece: bytes) -> None:
        """End our half of a stream; an empty frame needs no room, but h2 4.1 wants some in `send_data`."""
        if piece:
            self._http.send_data(stream, piece, end_stream=True)
        else:
            self._http.end_stream(stream)

    def _flush(self) -> None:
        if self._transport and not self.over and (data := self._fast.data_to_send()):
            self._transport.write(data)

    def _set_settings_received(self) -> None:
        if not self.settings_received.done():
            self.settings_received.set_result(None)

    def _end_stream(self, stream: int, fault: BotFault | None) -> None:
        self._unsent.pop(stream, None)
        self._fast.close(stream)
        if listener := self._listeners.pop(stream, None):
            listener.on_end(fault)

    def _end(self, fault: BotFault) -> None:
        if self.over:
            return
        self.over = True
        self._set_settings_received()
        if self._look:
            self._look.cancel()
        if self._transport:
            self._transport.abort()
        for stream in list(self._listeners):
            self._end_stream(stream, fault)

"""A gRPC server without gRPC: just enough HTTP/2 to be polite, so that a bot can then do one thing wrong.

`serve(Attack)` answers the health check, the start of a match and every turn as a good bot would; an attack is a
`Peer` with one of these methods replaced. `play(turn=attack)` plays a good match with an attack on the side; unlike
the SDK it has no threads of gRPC that a fork would leave in pieces.
"""

import importlib
import os
import socket
import struct
import threading
import time

from chosen_game import NAME

from arena.match import MatchStart, Moves, Ready, Turn

GAME = importlib.import_module(f"engines.{NAME}").GAME
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS = 0x1, 0x1, 0x4
SERVING, NOT_SERVING = b"\x08\x01", b"\x08\x02"
PREFACE = 24
EVER = 600.0


def frame(kind, payload=b"", *, flags=0, stream=0):
    """One HTTP/2 frame."""
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def message(data, *, compressed=0, size=None):
    """One gRPC message, with a lie about its size if one is given."""
    return struct.pack(">BI", compressed, len(data) if size is None else size) + data


def field(name, value):
    """One header in HPACK, as a literal that touches no table."""
    raw = value if isinstance(value, bytes) else value.encode()
    return b"\0" + _length(len(name)) + name.encode() + _length(len(raw)) + raw


def _length(number):
    """A length in HPACK's coding with a prefix of 7 bits."""
    if number < 127:
        return bytes([number])
    number, coded = number - 127, b"\x7f"
    while number >= 128:
        coded, number = coded + bytes([number % 128 + 128]), number // 128
    return coded + bytes([number])


def varint(number):
    """A number in protobuf's coding."""
    coded = b""
    while number >= 128:
        coded, number = coded + bytes([number % 128 + 128]), number // 128
    return coded + bytes([number])


def moves(turn, *cards):
    """The reply to a turn with these cards."""
    return GAME.codec.write_reply(Moves(turn.number, cards))


def good(turn):
    """A legal reply to a turn."""
    return moves(turn, turn.legal[0])


class Peer:
    """One connection from the referee."""

    def __init__(self, sock):
        self.sock = sock
        self.buffers = {}

    # -- what an attack may replace ---------------------------------------------------------------------

    def on_connection(self):
        """The referee is connected."""
        self.raw(frame(SETTINGS))

    def on_health(self, stream):
        """The referee asks whether we are ready."""
        self.headers(stream)
        self.reply(stream, SERVING)
        self.trailers(stream)

    def on_start(self, stream, start):
        """A match begins."""
        self.headers(stream)
        self.reply(stream, GAME.codec.write_reply(Ready(True)))

    def on_turn(self, stream, turn):
        """It is our turn."""
        self.reply(stream, good(turn))

    def on_end(self, stream, end):
        """The match is over."""
        self.trailers(stream)

    # -- sending ----------------------------------------------------------------------------------------

    def raw(self, data):
        """Send these bytes as they are."""
        self.sock.sendall(data)

    def reply(self, stream, data, **lies):
        """Send one message."""
        self.raw(frame(DATA, message(data, **lies), stream=stream))

    def headers(self, stream, extra=b""):
        """Begin an answer."""
        block = b"\x88" + field("content-type", "application/grpc") + extra
        self.raw(frame(HEADERS, block, flags=END_HEADERS, stream=stream))

    def trailers(self, stream, status="0", text="", extra=b""):
        """End an answer."""
        block = field("grpc-status", status) + field("grpc-message", text) + extra
        self.raw(frame(HEADERS, block, flags=END_HEADERS | END_STREAM, stream=stream))

    def drain(self):
        """Read and forget all that comes, beside whatever else is done."""
        threading.Thread(target=lambda: all(iter(lambda: self.sock.recv(65536), b"")), daemon=True).start()

    # -- receiving --------------------------------------------------------------------------------------

    def run(self):
        """Serve until the referee hangs up."""
        self.on_connection()
        self.take(PREFACE)
        while True:
            head = self.take(9)
            payload = self.take(int.from_bytes(head[:3], "big"))
            self.on_frame(head[3], head[4], int.from_bytes(head[5:], "big"), payload)

    def take(self, size):
        """Exactly so many bytes; the thread ends with the connection."""
        data = b""
        while len(data) < size:
            more = self.sock.recv(size - len(data))
            if not more:
                raise SystemExit
            data += more
        return data

    def on_frame(self, kind, flags, stream, payload):
        """Keep HTTP/2 going, and find the messages."""
        if kind in (SETTINGS, PING) and not flags & ACK:
            self.raw(frame(kind, payload if kind == PING else b"", flags=ACK))
        elif kind == DATA and payload:
            grant = struct.pack(">I", len(payload))
            self.raw(frame(WINDOW_UPDATE, grant) + frame(WINDOW_UPDATE, grant, stream=stream))
            self.buffers[stream] = self.buffers.get(stream, b"") + payload
            self.on_data(stream)

    def on_data(self, stream):
        """Hand every complete message of a stream to its method."""
        buffer = self.buffers[stream]
        while len(buffer) >= 5 and len(buffer) >= 5 + int.from_bytes(buffer[1:5], "big"):
            size = int.from_bytes(buffer[1:5], "big")
            request, buffer = buffer[5 : 5 + size], buffer[5 + size :]
            self.buffers[stream] = buffer
            self.on_message(stream, request)

    def on_message(self, stream, request):
        """Only the request of the health check is empty."""
        if not request:
            self.on_health(stream)
            return
        said = GAME.codec.read_request(request)
        if isinstance(said, MatchStart):
            self.on_start(stream, said)
        elif isinstance(said, Turn):
            self.on_turn(stream, said)
        else:
            self.on_end(stream, said)


def listen(backlog=16):
    """The socket that the referee looks for."""
    door = socket.socket(socket.AF_UNIX)
    door.bind(os.environ["ARENA_SOCKET"])
    door.listen(backlog)
    return door


def serve(kind=Peer, door=None):
    """Answer every connection with a peer of this kind."""
    door = door or listen()
    while True:
        sock, _ = door.accept()
        threading.Thread(target=_run, args=(kind, sock), daemon=True).start()


def play(*, start=None, turn=None, end=None):
    """Play legal moves; call `start(start)`, `turn(turn)` and `end(end)` at their moments."""

    class Polite(Peer):
        def on_start(self, stream, asked):
            if start:
                start(asked)
            super().on_start(stream, asked)

        def on_turn(self, stream, asked):
            if turn:
                turn(asked)
            super().on_turn(stream, asked)

        def on_end(self, stream, over):
            if end:
                end(over)
            super().on_end(stream, over)

    serve(Polite)


def once(attack):
    """The attack as a function of a turn that acts on the first turn only."""
    done = []

    def turn(_asked):
        if not done:
            done.append(True)
            attack()

    return turn


def _run(kind, sock):
    try:
        kind(sock).run()
    except OSError as error:
        print("connection lost:", error, flush=True)


def hang():
    """Do nothing, for longer than any match."""
    time.sleep(EVER)

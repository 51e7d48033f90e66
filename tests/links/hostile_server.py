"""A bot that is hostile at the level of HTTP/2: `python hostile_server.py ATTACK` listens on ARENA_SOCKET.

Most attacks are polite until the first turn: they pass the health check and answer the start of the match.
"""

import gzip
import os
import socket
import struct
import sys
import threading
import time

import h2.config
import h2.connection
import h2.events
import h2.settings

from arena.match import MatchStart, Moves, Ready
from engines.claim import GAME

PLAY = "/arena.wire.v1.ClaimBotService/Play"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)


def frame(kind, payload=b"", *, flags=0, stream=0):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def message(data, *, flag=0):
    return struct.pack(">BI", flag, len(data)) + data


class Peer:
    """One connection from the referee; `turn(peer, stream, number, request)` is what the attack does when asked."""

    def __init__(self, sock, turn, *, headers=(), ready=None, before=b"", end=None):
        self.sock = sock
        self.turn = turn
        self.headers = list(headers)
        self.ready = ready
        self.before = before
        self.end = end
        self.http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        self.buffers = {}
        self.counts = {}
        self.health = set()

    def flush(self):
        self.sock.sendall(self.http.data_to_send())

    def raw(self, data):
        self.flush()
        self.sock.sendall(data)

    def reply(self, stream, data):
        self.raw(frame(DATA, message(data), stream=stream))

    def finish(self, stream, status, text=""):
        self.http.send_headers(stream, [("grpc-status", str(status)), ("grpc-message", text)], end_stream=True)
        self.flush()

    def run(self):
        self.http.initiate_connection()
        self.flush()
        while data := self.sock.recv(65536):
            for event in self.http.receive_data(data):
                self.on(event)
            self.flush()

    def on(self, event):
        if isinstance(event, h2.events.RequestReceived):
            path = dict(event.headers)[":path"]
            self.buffers[event.stream_id], self.counts[event.stream_id] = b"", 0
            headers = [(":status", "200"), ("content-type", "application/grpc")]
            if path == PLAY:
                headers += self.headers
                self.raw(self.before)
            else:
                self.health.add(event.stream_id)
            self.http.send_headers(event.stream_id, headers)
        elif isinstance(event, h2.events.DataReceived):
            self.http.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            if event.stream_id not in self.health:
                self.buffers[event.stream_id] += event.data
                self.messages(event.stream_id)
        elif isinstance(event, h2.events.StreamEnded) and event.stream_id in self.health:
            self.reply(event.stream_id, b"\x08\x01")
            self.finish(event.stream_id, 0)

    def messages(self, stream):
        while len(self.buffers[stream]) >= 5:
            size = int.from_bytes(self.buffers[stream][1:5], "big")
            if len(self.buffers[stream]) < 5 + size:
                return
            request, self.buffers[stream] = self.buffers[stream][5 : 5 + size], self.buffers[stream][5 + size :]
            number, self.counts[stream] = self.counts[stream], self.counts[stream] + 1
            if number == 0:
                (self.ready or ready)(self, stream)
            elif GAME.codec.type("Request").FromString(request).WhichOneof("event") == "turn":
                self.turn(self, stream, number, request)
            elif self.end:
                self.end(self, stream)


# -- polite behaviour -----------------------------------------------------------------------------------


def ready(peer, stream):
    peer.reply(stream, GAME.codec.write_reply(Ready(True)))


def answer(request, *, add=0):
    turn = GAME.codec.read_request(request)
    assert not isinstance(turn, MatchStart)
    return GAME.codec.write_reply(Moves(turn.number + add, turn.legal[:1]))


def polite(peer, stream, number, request):
    peer.reply(stream, answer(request))


# -- attacks on a turn ----------------------------------------------------------------------------------


def hang(peer, stream, number, request):
    time.sleep(60)


def slow_loris(peer, stream, number, request):
    for byte in message(answer(request)):
        peer.raw(frame(DATA, bytes([byte]), stream=stream))
        time.sleep(0.2)


def slow_frame(peer, stream, number, request):
    for byte in frame(DATA, message(answer(request)), stream=stream):
        peer.raw(bytes([byte]))
        time.sleep(0.2)


def close(peer, stream, number, request):
    peer.sock.shutdown(socket.SHUT_RDWR)


def goaway(peer, stream, number, request):
    peer.raw(frame(GOAWAY, struct.pack(">II", 0, 0)))
    time.sleep(60)


def goaway_calm(peer, stream, number, request):
    peer.raw(frame(GOAWAY, struct.pack(">II", 0, 0xB) + b"\x1b[31mtoo many pings"))
    time.sleep(60)


def rst(peer, stream, number, request):
    peer.raw(frame(RST_STREAM, struct.pack(">I", 8), stream=stream))


def rst_calm(peer, stream, number, request):
    peer.raw(frame(RST_STREAM, struct.pack(">I", 0xB), stream=stream))


def garbage(peer, stream, number, request):
    peer.raw(b"\xff" * 1000)
    time.sleep(60)


def http1(peer, stream, number, request):
    peer.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
    time.sleep(60)


def bad_hpack(peer, stream, number, request):
    peer.raw(frame(HEADERS, b"\xff\xff\xff\xff\xff\xff\xff\xff\xff", flags=0x4, stream=stream))
    time.sleep(60)


def padded(peer, stream, number, request):
    data = message(answer(request))
    peer.raw(frame(DATA, bytes([7]) + data + bytes(7), flags=0x8, stream=stream))
    time.sleep(60)


def two_gigabyte_prefix(peer, stream, number, request):
    peer.raw(frame(DATA, b"\0\x7f\xff\xff\xff" + bytes(1000), stream=stream))
    time.sleep(60)


def gigabyte_message(peer, stream, number, request):
    peer.raw(frame(DATA, b"\0" + struct.pack(">I", 1 << 30), stream=stream))
    chunk = frame(DATA, bytes(16384), stream=stream)
    for _ in range(1 << 16):
        peer.raw(chunk)


def just_too_long(peer, stream, number, request):
    peer.raw(frame(DATA, b"\0" + struct.pack(">I", (1 << 20) + 1), stream=stream))
    time.sleep(60)


def gzip_bomb(peer, stream, number, request):
    data = message(gzip.compress(bytes(200 << 20), 1), flag=1)
    for at in range(0, len(data), 16384):
        peer.raw(frame(DATA, data[at : at + 16384], stream=stream))
    time.sleep(60)


def compressed_flag(peer, stream, number, request):
    """Compressed without having said so in the headers."""
    peer.raw(frame(DATA, message(gzip.compress(answer(request)), flag=1), stream=stream))
    time.sleep(60)


def invalid_protobuf(peer, stream, number, request):
    peer.reply(stream, b"\xff\xff\xff\xff")


def empty_message(peer, stream, number, request):
    peer.reply(stream, b"")


def no_moves(peer, stream, number, request):
    peer.reply(stream, GAME.codec.write_reply(Moves(number, ())))


def deep_nesting(peer, stream, number, request):
    data = b""
    for _ in range(2000):
        size, prefix = len(data), b""
        while size >= 0x80:
            prefix, size = prefix + bytes([size & 0x7F | 0x80]), size >> 7
        data = b"\x12" + prefix + bytes([size]) + data
    peer.reply(stream, data)


def unknown_fields(peer, stream, number, request):
    peer.reply(stream, b"\x9a\x06\x80\x80\x20" + bytes(512 << 10))
    time.sleep(60)


def wrong_turn(peer, stream, number, request):
    peer.reply(stream, answer(request, add=1))


def old_turn(peer, stream, number, request):
    peer.reply(stream, answer(request, add=-1 if number > 1 else 0))


def ready_again(peer, stream, number, request):
    ready(peer, stream)


def huge_trailers(peer, stream, number, request):
    block = b"\x00\x05x-big\x7f\x80\xff\xb6\x01"  # a literal of 3 MB
    peer.raw(frame(HEADERS, block, flags=0x1, stream=stream))
    for _ in range(200):
        peer.raw(frame(CONTINUATION, b"a" * 16000, stream=stream))
    time.sleep(60)


def hpack_bomb(peer, stream, number, request):
    entry = b"\x40\x01x\x7f\xa1\x1e" + b"a" * 4000  # kept in the dynamic table, then named 8000 times over
    peer.raw(frame(HEADERS, entry + b"\xbe" * 8000, flags=0x4, stream=stream))
    time.sleep(60)


def long_status_text(peer, stream, number, request):
    peer.http.send_headers(stream, [("grpc-status", "2"), ("grpc-message", "a" * 12000)], end_stream=True)
    peer.flush()


def escape_codes(peer, stream, number, request):
    peer.finish(stream, 14, "%1B]0;owned%07%1B[2J\u202e%0d%0aINFO fake".encode("ascii", "replace").decode())


def early_end(peer, stream, number, request):
    peer.finish(stream, 0)


def forge(status):
    return lambda peer, stream, number, request: peer.finish(stream, status, "Deadline Exceeded")


def always_twice(peer, stream, number, request):
    for _ in range(2):
        peer.reply(stream, answer(request))


def thrice_twice(peer, stream, number, request):
    peer.raw(frame(DATA, message(answer(request)) * (2 if number <= 3 else 1), stream=stream))


def answers_ahead(peer, stream, number, request):
    # The number of the next turn, with a card that nobody holds: it would be an illegal move if it were used.
    ahead = message(GAME.codec.write_reply(Moves(number + 1, (4999,)))) if number <= 3 else b""
    peer.raw(frame(DATA, message(answer(request)) + ahead, stream=stream))


def skips(peer, stream, number, request):
    if number != 2:
        polite(peer, stream, number, request)


def late(peer, stream, number, request):
    time.sleep(1.4 if number == 2 else 0.0)
    polite(peer, stream, number, request)


def thinks(peer, stream, number, request):
    time.sleep(0.1)
    polite(peer, stream, number, request)


def behind(junk):
    """A good reply with something behind it, for the referee to work on while the opponent's clock runs."""

    def attack(peer, stream, number, request):
        peer.raw(frame(DATA, message(answer(request)), stream=stream) + junk(stream, number))

    return attack


def many_settings(stream, number):
    """All settings that there can be, and then single ones, each of which makes the library walk over all of them."""
    if number > 1:
        return frame(SETTINGS, struct.pack(">HI", 9999, number)) * 20
    ids = [struct.pack(">HI", number, 1) for number in range(16, 65000)]
    return b"".join(frame(SETTINGS, b"".join(ids[at : at + 2700])) for at in range(0, len(ids), 2700))


def new_settings(stream, number):
    """A few settings that were never seen before."""
    return frame(SETTINGS, b"".join(struct.pack(">HI", 100 + 10 * number + offset, 1) for offset in range(10)))


def resizings(stream, number):
    """Trailers that change the size of the header table thousands of times."""
    return frame(HEADERS, b"\x20" * 16000, flags=0x5, stream=stream)


def long_status(peer, stream, number, request):
    block = b"\0\x0bgrpc-status\x7f\xa9\x45" + b"9" * 9000
    peer.raw(frame(HEADERS, block, flags=0x5, stream=stream))


def grants_and_resets(peer, stream, number, request):
    peer.raw(frame(WINDOW_UPDATE, struct.pack(">I", 1), stream=stream) + frame(RST_STREAM, bytes(4), stream=stream))


def flood(data):
    def attack(peer, stream, number, request):
        filled = data(stream) * 64
        threading.Thread(target=lambda: [None for _ in iter(lambda: peer.sock.recv(65536), b"")], daemon=True).start()
        while True:
            peer.raw(filled)

    return attack


def deaf_flood(data):
    """Never reads, so that all answers to it pile up on our side."""

    def attack(peer, stream, number, request):
        while True:
            peer.raw(data(stream) * 64)

    return attack


def slow_ping_flood(peer, stream, number, request):
    while True:
        peer.raw(frame(PING, bytes(8)) * 50)
        time.sleep(0.1)


def shut_window(peer, stream):
    """Lets no further request out of the referee."""
    ready(peer, stream)
    peer.raw(frame(SETTINGS, struct.pack(">HI", 4, 0)))


def sticky_window(peer, stream):
    """Holds every request back for a while, to think off the clock."""
    shut_window(peer, stream)
    time.sleep(0.4)
    peer.raw(frame(SETTINGS, struct.pack(">HI", 4, 65535)))


def early_ready(peer, stream):
    replies = [Ready(True), Moves(1, (4999,)), Moves(2, (4999,)), Ready(True)]
    peer.raw(frame(DATA, b"".join(message(GAME.codec.write_reply(reply)) for reply in replies), stream=stream))


def end_first(peer, stream):
    """Ends its half of the stream as soon as the match is over, before the referee has ended its own."""
    peer.finish(stream, 0)


TURNS = {
    "polite": polite,
    **{
        attack.__name__: attack
        for attack in (
            hang, slow_loris, slow_frame, close, goaway, goaway_calm, rst, rst_calm, garbage, http1, bad_hpack, padded,
            two_gigabyte_prefix, gigabyte_message, just_too_long, gzip_bomb, compressed_flag, invalid_protobuf,
            empty_message, no_moves,
            deep_nesting, unknown_fields, wrong_turn, old_turn, ready_again, huge_trailers, hpack_bomb,
            long_status_text, escape_codes, early_end, always_twice, thrice_twice, answers_ahead, slow_ping_flood,
            skips, late, thinks, long_status, grants_and_resets,
        )
    },
    "many_settings": behind(many_settings),
    "new_settings": behind(new_settings),
    "resizings": behind(resizings),
    "junk_behind": behind(lambda stream, number: frame(0xEE, bytes(16000)) * 3),
    "pings_behind": behind(lambda stream, number: frame(PING, bytes(8)) * 6),
    **{f"forge_{status}": forge(status) for status in range(1, 17)},
    "ping_flood": flood(lambda stream: frame(PING, bytes(8))),
    "settings_flood": flood(lambda stream: frame(SETTINGS, struct.pack(">HI", 3, 100))),
    "window_update_flood": flood(lambda stream: frame(WINDOW_UPDATE, struct.pack(">I", 1))),
    "priority_flood": flood(lambda stream: frame(PRIORITY, struct.pack(">IB", 0, 1), stream=stream)),
    "empty_data_flood": flood(lambda stream: frame(DATA, stream=stream)),
    "tiny_data_flood": flood(lambda stream: frame(DATA, b"\0", stream=stream)),
    "headers_flood": flood(lambda stream: frame(HEADERS, b"\x88", flags=0x4, stream=stream)),
    "continuation_flood": flood(lambda stream: frame(CONTINUATION, b"", stream=stream)),
    "reset_flood": flood(lambda stream: frame(RST_STREAM, struct.pack(">I", 8), stream=stream + 1000)),
    "goaway_flood": flood(lambda stream: frame(GOAWAY, struct.pack(">II", 2**31 - 1, 0))),
    "unknown_flood": flood(lambda stream: frame(0xEE, bytes(16000))),
    "deaf_ping_flood": deaf_flood(lambda stream: frame(PING, bytes(8))),
    "deaf_settings_flood": deaf_flood(lambda stream: frame(SETTINGS)),
}  # fmt: skip

READY = {"answers_early": early_ready, "shut_window": shut_window, "sticky_window": sticky_window}
END = {"ends_first": end_first}
BEFORE = {"interim_headers": frame(HEADERS, b"\x08\x03103", flags=0x4, stream=3) * 100}
SETTING = {
    "no_window": {h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 0},
    "no_streams": {h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: 0},
    "ends_first": {h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: 10},
    "never_ends": {h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: 10},
}


def main(attack):
    path = os.environ["ARENA_SOCKET"]
    door = socket.socket(socket.AF_UNIX)
    door.bind(path)
    door.listen(0 if attack == "never_accepts" else 8)
    if attack == "never_accepts":
        time.sleep(60)
    while True:
        sock, _ = door.accept()
        threading.Thread(target=connection, args=(sock, attack), daemon=True).start()


def connection(sock, attack):
    if attack == "accepts_and_hangs":
        time.sleep(60)
    elif attack == "closes_at_once":
        sock.close()
    elif attack == "speaks_smtp":
        sock.sendall(b"220 mail.example.org ESMTP\r\n" * 1000)
        time.sleep(60)
    elif attack == "random_bytes":
        sock.sendall(os.urandom(4096))
        time.sleep(60)
    elif attack == "floods_at_once":
        sock.sendall(frame(SETTINGS))
        while True:
            sock.sendall(frame(PING, bytes(8)) * 64)
    else:
        headers = [("grpc-encoding", "gzip")] if attack == "gzip_bomb" else []
        if attack == "huge_headers":
            headers = [(f"x-{number}", "a" * 1000) for number in range(60)]
        peer = Peer(
            sock,
            TURNS.get(attack, polite),
            headers=headers,
            ready=READY.get(attack),
            before=BEFORE.get(attack, b""),
            end=END.get(attack),
        )
        peer.http.local_settings = h2.settings.Settings(client=False, initial_values=SETTING.get(attack))
        peer.run()


if __name__ == "__main__":
    main(sys.argv[1])

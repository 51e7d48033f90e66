"""Floods the referee with frames of one kind."""

import struct
import sys

from raw import (
    CONTINUATION,
    DATA,
    END_HEADERS,
    GOAWAY,
    HEADERS,
    PING,
    PRIORITY,
    PUSH_PROMISE,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    Peer,
    frame,
    serve,
)


def content(stream):
    return {
        "ping": frame(PING, bytes(8)),
        "settings": frame(SETTINGS, struct.pack(">HI", 3, 100)),
        "window_update": frame(WINDOW_UPDATE, struct.pack(">I", 1)),
        "priority": frame(PRIORITY, struct.pack(">IB", 0, 1), stream=stream),
        "empty_data": frame(DATA, stream=stream),
        "tiny_data": frame(DATA, b"\0", stream=stream),
        "headers": frame(HEADERS, b"\x88", flags=END_HEADERS, stream=stream),
        "continuation": frame(CONTINUATION, stream=stream),
        "reset": frame(RST_STREAM, struct.pack(">I", 8), stream=stream + 1000),
        "goaway": frame(GOAWAY, struct.pack(">II", 2**31 - 1, 0)),
        "push": frame(PUSH_PROMISE, struct.pack(">I", 2) + b"\x82", flags=END_HEADERS, stream=stream),
        "unknown": frame(0xEE, bytes(16000)),
        "stream_0": frame(DATA, bytes(16000)),
        "deaf_ping": frame(PING, bytes(8)),
        "deaf_settings": frame(SETTINGS),
    }[sys.argv[1]]


class Flood(Peer):
    def on_turn(self, stream, turn):
        if not sys.argv[1].startswith("deaf"):
            self.drain()
        burst = content(stream) * 64
        while True:
            self.raw(burst)


serve(Flood)

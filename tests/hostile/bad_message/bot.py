"""Replies that are no replies."""

import struct
import sys

from raw import Peer, moves, serve, varint

from arena.match import Ready
from engines.claim import GAME


def nested(depth):
    """A message in a message in a message."""
    data = b""
    for _ in range(depth):
        data = b"\x12" + varint(len(data)) + data
    return data


def content(turn):
    number = b"\x08" + varint(turn.number)
    return {
        "noise": b"\xff\xff\xff\xff",
        "empty": b"",
        "no_moves": moves(turn),
        "empty_move": b"\x12" + varint(len(number) + 2) + number + b"\x12\x00",
        "invalid_utf8": b"\x0a\x03\xff\xfe\xfd",
        "not_a_number": b"\x09" + struct.pack("<d", float("nan")) + b"\x11" + struct.pack("<d", float("inf")),
        "varint_of_ten_bytes": b"\x12\x0b\x08" + b"\xff" * 9 + b"\x01",
        "varint_of_eleven_bytes": b"\x12\x0c\x08" + b"\xff" * 10 + b"\x01",
        "deep": nested(4000),
        "groups": b"\x13" * 10_000,
        "unknown_fields": b"\x9a\x06" + varint(10_000) + bytes(10_000),
        "ready_again": GAME.codec.write_reply(Ready(True)),
        "both": GAME.codec.write_reply(Ready(True))[:-2] + b"\x12\x00\x0a\x00",
    }[sys.argv[1]]


class Babbler(Peer):
    def on_turn(self, stream, turn):
        self.reply(stream, content(turn))


serve(Babbler)

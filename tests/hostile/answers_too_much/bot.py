"""Replies that nobody asked for."""

import sys

from raw import DATA, Peer, frame, good, message, serve

from arena.match import Moves, Ready
from engines.claim import GAME


class Eager(Peer):
    def on_start(self, stream, start):
        self.headers(stream)
        data = message(GAME.codec.write_reply(Ready(True)))
        if sys.argv[1] == "before_being_asked":
            data += message(GAME.codec.write_reply(Moves(1, (4999,))))
        self.raw(frame(DATA, data, stream=stream))

    def on_turn(self, stream, turn):
        surplus = b""
        if sys.argv[1] == "always_twice":
            surplus = good(turn)
        if sys.argv[1] == "ahead" and turn.number <= 3:
            # The number of the next turn with a card that nobody holds: an illegal move, if it were ever used.
            surplus = GAME.codec.write_reply(Moves(turn.number + 1, (4999,)))
        # In one piece: what is sent later may be sent after a thaw, and then it is an answer like any other.
        data = message(good(turn)) + (message(surplus) if surplus else b"")
        self.raw(frame(DATA, data, stream=stream))


serve(Eager)

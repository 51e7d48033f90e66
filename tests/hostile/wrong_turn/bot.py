"""Echoes the number of another turn."""

import sys
from dataclasses import replace

from raw import Peer, good, serve

SHIFT = {"old": -1, "next": 1, "zero": None}


class Confused(Peer):
    def on_turn(self, stream, turn):
        if turn.number < 3:
            super().on_turn(stream, turn)
            return
        shift = SHIFT[sys.argv[1]]
        self.reply(stream, good(replace(turn, number=0 if shift is None else turn.number + shift)))


serve(Confused)

"""Grants the referee no room for its request until it has thought about the position that it can foresee."""

import struct
import time

from raw import SETTINGS, Peer, frame, good, serve


class Sticky(Peer):
    def on_turn(self, stream, turn):
        self.raw(frame(SETTINGS, struct.pack(">HI", 4, 0)))
        self.reply(stream, good(turn))
        time.sleep(1.0)
        self.raw(frame(SETTINGS, struct.pack(">HI", 4, 65535)))


serve(Sticky)

"""Answers in time, one byte at a time."""

import sys
import time

from raw import DATA, Peer, frame, good, message, serve


class Loris(Peer):
    def on_turn(self, stream, turn):
        data = message(good(turn))
        if sys.argv[1] == "bytes":
            pieces = [bytes([byte]) for byte in frame(DATA, data, stream=stream)]
        else:
            pieces = [frame(DATA, bytes([byte]), stream=stream) for byte in data]
        for piece in pieces:
            self.raw(piece)
            time.sleep(0.2)


serve(Loris)

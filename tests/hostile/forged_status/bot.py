"""Ends the stream with a status that would be our own fault, if we believed it."""

import sys

from raw import Peer, serve


class Forger(Peer):
    def on_turn(self, stream, turn):
        if turn.number < 2:
            super().on_turn(stream, turn)
        elif sys.argv[1] == "text":
            self.trailers(stream, "14", "%1B]0;owned%07%1B[2J%E2%80%AE%0d%0aERROR the referee failed %FF%FE%00")
        else:
            self.trailers(stream, sys.argv[1], "Deadline Exceeded")


serve(Forger)

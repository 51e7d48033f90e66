"""A flood of PING frames."""

from raw import PING, Peer, frame, serve


class Flood(Peer):
    def on_turn(self, stream, turn):
        self.drain()
        while True:
            self.raw(frame(PING, bytes(8)) * 64)


serve(Flood)

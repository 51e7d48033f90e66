from raw import PING, Peer, frame, serve


class Flood(Peer):
    def on_start(self, stream, start):
        self.drain()
        while True:
            self.raw(frame(PING, bytes(8)) * 64)


serve(Flood)

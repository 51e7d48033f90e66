"""The ways to leave in the middle of a match."""

import socket
import struct
import sys
import time

from raw import GOAWAY, RST_STREAM, Peer, frame, hang, serve


class Leaver(Peer):
    def on_turn(self, stream, turn):
        if turn.number < 3:
            super().on_turn(stream, turn)
            return
        match sys.argv[1]:
            case "close":
                self.sock.shutdown(socket.SHUT_RDWR)
            case "half_close":
                self.sock.shutdown(socket.SHUT_WR)
            case "goaway":
                self.raw(frame(GOAWAY, struct.pack(">II", 0, 0)))
            case "goaway_calm":
                self.raw(frame(GOAWAY, struct.pack(">II", 0, 0xB) + b"\x1b[31mtoo_many_pings"))
            case "reset":
                self.raw(frame(RST_STREAM, struct.pack(">I", 8), stream=stream))
            case "reset_refused":
                self.raw(frame(RST_STREAM, struct.pack(">I", 7), stream=stream))
            case "end":
                self.trailers(stream)
        time.sleep(0.1)
        hang()


serve(Leaver)

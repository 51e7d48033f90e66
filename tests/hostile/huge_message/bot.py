"""Messages that are too long, by their word or in truth."""

import gzip
import sys

from raw import DATA, Peer, field, frame, hang, message, serve


class Huge(Peer):
    def headers(self, stream, extra=b""):
        super().headers(stream, extra + (field("grpc-encoding", "gzip") if sys.argv[1] == "gzip_bomb" else b""))

    def on_turn(self, stream, turn):
        match sys.argv[1]:
            case "prefix_2gib":
                self.raw(frame(DATA, message(bytes(1000), size=2**31 - 1), stream=stream))
            case "prefix_4gib":
                self.raw(frame(DATA, message(bytes(1000), size=2**32 - 1), stream=stream))
            case "one_too_many":
                self.raw(frame(DATA, message(b"", size=(1 << 20) + 1), stream=stream))
            case "gibibyte":
                self.raw(frame(DATA, message(b"", size=1 << 30), stream=stream))
                for _ in range(1 << 16):
                    self.raw(frame(DATA, bytes(16384), stream=stream))
            case "gzip_bomb":
                data = message(gzip.compress(bytes(64 << 20), 9), compressed=1)
                for at in range(0, len(data), 16384):
                    self.raw(frame(DATA, data[at : at + 16384], stream=stream))
            case "frame_16mib":
                self.raw(b"\xff\xff\xff" + bytes([DATA, 0]) + stream.to_bytes(4, "big") + bytes(1 << 20))
        hang()


serve(Huge)

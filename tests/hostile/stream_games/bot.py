"""Legal-looking HTTP/2 that means something else to the relay than to our library."""

import os
import socket
import struct
import sys
import time

from raw import (
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    HEADERS,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    Peer,
    field,
    frame,
    good,
    message,
    serve,
)


class Player(Peer):
    def on_turn(self, stream, turn):
        data = message(good(turn))
        match sys.argv[1]:
            case "padded":
                self.raw(frame(DATA, b"\x07" + data + bytes(7), flags=0x8, stream=stream))
            case "reset_then_reply":
                self.raw(frame(RST_STREAM, struct.pack(">I", 8), stream=stream))
                self.raw(frame(DATA, data, stream=stream))
            case "end_with_reply":
                self.raw(frame(DATA, data, flags=END_STREAM, stream=stream))
            case "wrong_stream":
                self.raw(frame(DATA, data, stream=stream + 2))
            case "even_stream":
                self.raw(frame(DATA, data, stream=stream + 1))
            case "reserved_bit":
                self.raw(frame(DATA, data, stream=stream | 1 << 31))
            case "split_in_bytes":
                for byte in frame(DATA, data, stream=stream):
                    self.raw(bytes([byte]))
            case "many_frames":
                self.raw(b"".join(frame(DATA, bytes([byte]), stream=stream) for byte in data))
            case "trailers_in_two":
                block = field("grpc-status", "0")
                self.raw(frame(HEADERS, block[:4], flags=END_STREAM, stream=stream))
                self.raw(frame(DATA, data, stream=stream))
                self.raw(frame(CONTINUATION, block[4:], flags=END_HEADERS, stream=stream))
            case "huge_window":
                self.raw(frame(WINDOW_UPDATE, struct.pack(">I", 2**31 - 1)) * 3 + frame(DATA, data, stream=stream))
            case "zero_window":
                self.raw(frame(DATA, data, stream=stream) + frame(SETTINGS, struct.pack(">HI", 4, 0)))
            case "tiny_frames":
                self.raw(frame(SETTINGS, struct.pack(">HI", 5, 1)) + frame(DATA, data, stream=stream))
            case "table_bomb":
                entry = b"\x40\x01x\x7f\x81\x1e" + b"a" * 4000  # kept in the table, then named 8000 times over
                self.raw(frame(HEADERS, entry + b"\xbe" * 8000, flags=END_HEADERS | END_STREAM, stream=stream))
            case "out_of_band":
                self.sock.send(b"\0", socket.MSG_OOB)
                self.raw(frame(DATA, data, stream=stream))
            case "descriptors":
                gift = [os.open("/dev/null", os.O_RDONLY) for _ in range(50)]
                rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("50i", *gift))
                self.sock.sendmsg([frame(DATA, data, stream=stream)], [rights])
                for descriptor in gift:
                    os.close(descriptor)
        time.sleep(0.005)


serve(Player)

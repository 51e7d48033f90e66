"""Answers the health check with what it should not, or never with what it should."""

import sys

from raw import DATA, NOT_SERVING, PING, Peer, field, frame, message, serve


class Sick(Peer):
    def on_health(self, stream):
        self.headers(stream)
        match sys.argv[1]:
            case "not_serving":
                self.reply(stream, NOT_SERVING)
                self.trailers(stream)
            case "garbage":
                self.reply(stream, b"\xff\xff\xff\xff")
                self.trailers(stream)
            case "unknown_status":
                self.trailers(stream, status="99", text="%FF%FE%1B[2J")
            case "status_is_no_number":
                self.trailers(stream, status="many")
            case "two_answers":
                self.raw(frame(DATA, message(b"\x08\x01") + message(b"\x08\x02"), stream=stream))
                self.trailers(stream)
            case "huge":
                self.reply(stream, b"", size=2**31 - 1)
            case "odd_metadata":
                self.trailers(stream, status="13", extra=field("x-odd-bin", b"\xff\xfe") + field("x-odd", b"\xff\0"))
            case "flood":
                while True:
                    self.raw(frame(PING, bytes(8)) * 64)


serve(Sick)

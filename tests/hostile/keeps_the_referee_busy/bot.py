"""Sends what costs little to send and much to read, so that the referee is busy while the opponent's clock runs."""

import struct
import sys

from raw import END_HEADERS, END_STREAM, HEADERS, SETTINGS, Peer, frame, good, message, serve


def settings(numbers):
    return frame(SETTINGS, b"".join(struct.pack(">HI", number, 1) for number in numbers))


class Busy(Peer):
    def headers(self, stream, extra=b""):
        if sys.argv[1] == "interim" and stream > 1:
            self.raw(frame(HEADERS, b"\x08\x03103", flags=END_HEADERS, stream=stream) * 2000)
        super().headers(stream, extra)

    def on_turn(self, stream, turn):
        junk = {
            "interim": lambda: b"",
            "many_settings": lambda: b"".join(settings(range(at, at + 2500)) for at in range(100, 65000, 2500)),
            "new_settings": lambda: settings(range(1000 * turn.number, 1000 * turn.number + 30)),
            "one_setting": lambda: settings([turn.number]) * 1000,
            "resizings": lambda: frame(HEADERS, b"\x20" * 16000, flags=END_HEADERS | END_STREAM, stream=stream),
        }[sys.argv[1]]()
        self.raw(frame(0, message(good(turn)), stream=stream) + junk)


serve(Busy)

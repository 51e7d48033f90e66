"""Withholds the last bytes of every request by its window, thinks, and only then lets them come."""

import struct
import time

from raw import DATA, HEADERS, SETTINGS, WINDOW_UPDATE, Peer, frame, serve

PREFIX = 5
"""Bytes before every message, with its length."""
WITHHELD = 40
"""Bytes of every request that are missing while it thinks: too few to matter to it."""
THINK_S = 0.09


class Miser(Peer):
    def on_connection(self):
        self.raw(frame(SETTINGS, struct.pack(">HI", 4, 0)))

    def on_frame(self, kind, flags, stream, payload):
        if kind == HEADERS:
            self.grant(stream, PREFIX)
        if kind != DATA or not payload:
            super().on_frame(kind, flags, stream, payload)
            return
        heard = self.buffers[stream] = self.buffers.get(stream, b"") + payload
        missing = PREFIX + int.from_bytes(heard[1:PREFIX], "big") - len(heard)
        if missing > WITHHELD:
            self.grant(stream, missing - WITHHELD)
        elif missing:
            time.sleep(THINK_S)
            self.grant(stream, missing)
        else:
            self.on_data(stream)
            self.grant(stream, PREFIX)

    def grant(self, stream, amount):
        self.raw(frame(WINDOW_UPDATE, struct.pack(">I", amount), stream=stream))


serve(Miser)

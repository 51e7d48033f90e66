"""Prints a MiB of bytes that all have to be escaped, around each of its replies."""

import contextlib
import os
import sys

from raw import Peer, serve

WORST = {"control": b"\x01" * 4096, "invalid": b"\xff" * 4096, "mixed": "\x01a\\\u202e\u200b\n".encode() * 400}
WHEN, WHAT = sys.argv[1].split("_")


def noise():
    """As much as the pipe takes: a bot that waits for its reader would only lose by its own clock."""
    with contextlib.suppress(BlockingIOError):
        for _ in range(256):
            os.write(1, WORST[WHAT])


class Noisy(Peer):
    def on_turn(self, stream, turn):
        if WHEN == "before":
            noise()
        super().on_turn(stream, turn)
        if WHEN == "behind":
            noise()


os.set_blocking(1, False)
serve(Noisy)

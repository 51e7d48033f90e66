"""An honest bot outside of any sandbox: it thinks for ten milliseconds, and ends with the process that started it.

It writes down when it sent each reply: the match, the turn, and the monotonic clock, which all processes share.
"""

import os
import socket
import sys
import threading
import time

from raw import DATA, Peer, frame, good, message, serve

THINK_S = 0.01
NAME, STAMPS = sys.argv[1], int(sys.argv[2])


class Neighbour(Peer):
    match = ""

    def on_start(self, stream, start):
        self.match = start.match_id
        super().on_start(stream, start)

    def on_turn(self, stream, turn):
        time.sleep(THINK_S)
        reply = frame(DATA, message(good(turn)), stream=stream)
        # Before and not after: sending wakes the referee, which may run before this process does again.
        sent = time.monotonic()
        self.raw(reply)
        os.write(STAMPS, f"{self.match} {turn.number} {sent!r}\n".encode())


def end_with_the_parent():
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=end_with_the_parent, daemon=True).start()
door = socket.socket(socket.AF_UNIX)
door.bind("\0" + NAME)
door.listen()
print("ready", flush=True)
serve(Neighbour, door)

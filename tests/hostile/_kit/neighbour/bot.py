"""An honest bot outside of any sandbox: it thinks for ten milliseconds, and ends with the process that started it."""

import os
import socket
import sys
import threading
import time

from raw import Peer, serve

THINK_S = 0.01


class Neighbour(Peer):
    def on_turn(self, stream, turn):
        time.sleep(THINK_S)
        super().on_turn(stream, turn)


def end_with_the_parent():
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=end_with_the_parent, daemon=True).start()
door = socket.socket(socket.AF_UNIX)
door.bind("\0" + sys.argv[1])
door.listen()
print("ready", flush=True)
serve(Neighbour, door)

"""Plays on while its own socket is crowded, vanishes or comes back as another."""

import contextlib
import os
import socket
import sys
import threading
import time

from raw import Peer, listen, serve

PATH = os.environ["ARENA_SOCKET"]


def connect_thousands():
    while True:
        lines = []
        with contextlib.suppress(OSError):
            while True:
                lines.append(socket.socket(socket.AF_UNIX))
                lines[-1].setblocking(False)
                lines[-1].connect(PATH)
        for line in lines:
            line.close()
        time.sleep(0.01)


def vanish_and_return():
    while True:
        with contextlib.suppress(OSError):
            os.unlink(PATH)
            time.sleep(0.005)
            listen().close()
            time.sleep(0.005)


class Restless(Peer):
    started = False

    def on_turn(self, stream, turn):
        if not Restless.started:
            Restless.started = True
            action = {"connects": connect_thousands, "vanishes": vanish_and_return}[sys.argv[1]]
            threading.Thread(target=action, daemon=True).start()
        super().on_turn(stream, turn)


def greet(door):
    """Take connections and let go of those that say nothing, as fast as they come."""
    while True:
        with contextlib.suppress(OSError):
            sock, _ = door.accept()
            sock.close()


door = listen()
first = door.accept()[0]
if sys.argv[1] == "connects":
    threading.Thread(target=greet, args=(door,), daemon=True).start()


class OneConnection:
    """A listening socket that has given its only connection away."""

    def __init__(self):
        self.waiting = [first]

    def accept(self):
        while not self.waiting:
            time.sleep(1)
        return self.waiting.pop(), None


serve(Restless, OneConnection())

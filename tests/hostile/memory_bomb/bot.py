"""Uses more memory than it has, in every way that memory can be used."""

import fcntl
import mmap
import os
import sys
import time

from probe import say
from raw import once, play

MIB = 1 << 20
KEPT = []


def heap():
    while True:
        KEPT.append(b"x" * MIB)


def mapping():
    area = mmap.mmap(-1, 1024 * MIB)
    for at in range(0, len(area), 4096):
        area[at] = 1


def files(folder):
    for number in range(100):
        with open(f"{folder}/{number}", "wb", buffering=0) as file:
            for _ in range(32):
                file.write(bytes(MIB))


def memfd():
    while True:
        KEPT.append(os.memfd_create("x"))
        os.write(KEPT[-1], bytes(32 * MIB))


def children():
    for _ in range(20):
        if os.fork() == 0:
            KEPT.append(b"x" * (32 * MIB))
            time.sleep(600)
    time.sleep(0.5)
    heap()


def pipes():
    while True:
        writing = os.pipe()[1]
        fcntl.fcntl(writing, 1031, MIB)  # F_SETPIPE_SZ
        os.set_blocking(writing, False)
        try:
            while True:
                os.write(writing, bytes(MIB))
        except BlockingIOError:
            pass


def attack():
    name = sys.argv[1]
    try:
        {
            "heap": heap,
            "mapping": mapping,
            "memfd": memfd,
            "children": children,
            "pipes": pipes,
            "tmp_and_heap": lambda: (quietly(files, "/tmp"), heap()),
            "shm_and_heap": lambda: (quietly(files, "/dev/shm"), heap()),
        }[name]()
    except OSError as error:
        say(f"{name} ended: {error}")
        heap()


def quietly(function, *arguments):
    try:
        function(*arguments)
    except OSError as error:
        say(f"{arguments} ended: {error}")


play(turn=once(attack))

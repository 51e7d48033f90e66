"""Fills every place that it may write to."""

import os
import sys

from probe import say
from raw import once, play


def big_file(folder):
    with open(f"{folder}/big", "wb", buffering=0) as file:
        for _ in range(1000):
            file.write(bytes(1 << 20))
    return "ESCAPED: a gigabyte fits"


def many_files(folder):
    for number in range(1_000_000):
        os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY))
    return "ESCAPED: a million files fit"


def sparse(folder):
    descriptor = os.open(f"{folder}/sparse", os.O_CREAT | os.O_RDWR)
    os.ftruncate(descriptor, 1 << 40)
    return "ESCAPED: a terabyte fits"


def attack():
    kind, _, place = sys.argv[1].partition(".")
    folder = {"tmp": "/tmp", "shm": "/dev/shm", "run": os.path.dirname(os.environ["ARENA_SOCKET"])}[place]
    try:
        say({"big": big_file, "many": many_files, "sparse": sparse}[kind](folder))
    except OSError as error:
        say("held:", error)


play(turn=once(attack))

"""Leaves a mark in every place that it can write to, and looks for the marks of its last life."""

import glob
import os

from probe import call, say
from raw import play

MARK = "arena-was-here"


def look(_start):
    marks = [
        path
        for top in ("/tmp", "/dev/shm", "/run", "/var", "/bot", "/hostile")
        for path in glob.glob(f"{top}/**/{MARK}*", recursive=True)
    ]
    say(f"ESCAPED: remembers {marks}" if marks else "remembers nothing")
    for top in (
        "/tmp",
        "/dev/shm",
        "/var/tmp",
        "/run",
        "/bot",
        os.path.dirname(os.environ["ARENA_SOCKET"]),
        "/dev/mqueue",
    ):
        try:
            with open(f"{top}/{MARK}", "w") as file:
                file.write("x")
            say("marked", top)
        except OSError as error:
            say("cannot mark", top, error)
    for number, *arguments in ((29, 0x4B4B, 4096, 0o1666), (248, b"user", MARK.encode(), b"x", 1, -4)):
        try:
            say(f"ESCAPED: system call {number} keeps something: {call(number, *arguments)}")
        except OSError as error:
            say("cannot keep", number, error)


play(start=look)

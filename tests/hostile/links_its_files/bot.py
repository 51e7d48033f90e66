"""Makes hard links of one file, which take no room and which the kernel must clear away one by one."""

import os
import sys

from probe import say
from raw import once, play

MANY = 200_000


def attack():
    folder = {"tmp": "/tmp", "shm": "/dev/shm"}[sys.argv[1]]
    try:
        os.close(os.open(f"{folder}/file", os.O_CREAT | os.O_WRONLY))
        for number in range(MANY):
            os.link(f"{folder}/file", f"{folder}/{number}")
        say(f"ESCAPED: {MANY} links fit")
    except OSError as error:
        say("held:", error)


play(turn=once(attack))

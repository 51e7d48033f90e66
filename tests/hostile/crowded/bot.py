"""Takes every process that it may have, and then plays on."""

import os
import time

from probe import say
from raw import once, play


def crowd():
    made = 0
    try:
        while True:
            if os.fork() == 0:
                time.sleep(600)
                os._exit(0)
            made += 1
    except OSError:
        say("ESCAPED: more processes than allowed" if made > 60 else "the sandbox is full")


play(turn=once(crowd))

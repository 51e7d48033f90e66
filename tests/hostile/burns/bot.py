"""Burns processor time with as much as it has, on its own turn and on every other."""

import os
import threading
import time

from raw import play


def burn():
    while True:
        pass


def begin(_start):
    for _ in range(8):
        if os.fork() == 0:
            for _ in range(3):
                threading.Thread(target=burn, daemon=True).start()
            burn()


play(start=begin, turn=lambda _: time.sleep(0.05))

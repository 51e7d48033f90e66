import os

from raw import once, play


def flood():
    while True:
        os.write(1, b"spam " * 10_000)


play(turn=once(flood))

import os

from raw import once, play


def close():
    for descriptor in (0, 1, 2):
        os.close(descriptor)
    os.open("/dev/null", os.O_RDWR)


play(turn=once(close))

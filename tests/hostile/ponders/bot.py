"""Thinks on the opponent's time with threads, processes or a chain of forks, and counts how far it got."""

import mmap
import os
import struct
import sys
import threading
import time

from probe import say
from raw import play

COUNT = mmap.mmap(-1, 8)
"""Rounds of thought, shared by all of our processes."""
THINKERS = 2
"""As many as use all the processor time that a bot may have; more would only slow down our own replies."""
ROUND_S = 0.002
MAX_SHARE = 0.4
seen = {"at": 0.0, "rounds": 0, "asleep": 0.0, "thought": 0.0}


def rounds():
    return struct.unpack("Q", COUNT[:])[0]


def think():
    """One round: a little processor time, then a note that it was spent."""
    until = time.thread_time() + ROUND_S
    while time.thread_time() < until:
        pass
    COUNT[:] = struct.pack("Q", rounds() + 1)


def for_ever():
    while True:
        think()


def chain():
    """Every link thinks for one round and is gone before a signal can find it."""
    while True:
        think()
        if os.fork():
            os._exit(0)
        os.setpgrp()


def begin(_start):
    match sys.argv[1]:
        case "threads":
            if os.fork() == 0:  # apart from the thread that answers, which they would only keep from answering
                for _ in range(THINKERS):
                    threading.Thread(target=for_ever).start()
                threading.Event().wait()
        case "processes":
            for _ in range(THINKERS):
                if os.fork() == 0:
                    for_ever()
        case "chain":
            for _ in range(THINKERS):
                if os.fork() == 0:
                    chain()


def awake(turn):
    """What was thought since our last reply, while only the opponent should have run."""
    if seen["at"]:
        seen["asleep"] += time.monotonic() - seen["at"]
        seen["thought"] += (rounds() - seen["rounds"]) * ROUND_S
    time.sleep(0.02)
    seen["at"], seen["rounds"] = time.monotonic(), rounds()


def end(_end):
    share = seen["thought"] / max(seen["asleep"], 0.001)
    say(f"thought for {seen['thought']:.3f} s of the {seen['asleep']:.3f} s of the opponent")
    if share > MAX_SHARE:
        say(f"ESCAPED: {share:.0%} of the opponent's time")


play(start=begin, turn=awake, end=end)

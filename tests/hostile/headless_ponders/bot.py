"""Ends its first thread, so that /proc calls it a zombie, and thinks on the opponent's time in another."""

import threading
import time

from probe import call, say
from raw import play

MAX_SHARE = 0.1
thought = [0.0]
seen = {"at": 0.0, "thought": 0.0, "asleep": 0.0, "pondered": 0.0}


def ponder():
    while True:
        began = time.thread_time()
        while time.thread_time() < began + 0.002:
            pass
        thought[0] += 0.002


def turn(_turn):
    if seen["at"]:
        seen["asleep"] += time.monotonic() - seen["at"]
        seen["pondered"] += thought[0] - seen["thought"]
    time.sleep(0.02)
    seen["at"], seen["thought"] = time.monotonic(), thought[0]


def end(_end):
    share = seen["pondered"] / max(seen["asleep"], 0.001)
    say(f"thought for {seen['pondered']:.3f} s of the {seen['asleep']:.3f} s of the opponent")
    if share > MAX_SHARE:
        say(f"ESCAPED: {share:.0%} of the opponent's time")


threading.Thread(target=ponder).start()
threading.Thread(target=play, kwargs={"turn": turn, "end": end}).start()
call(60, 0)  # the system call ends this thread only

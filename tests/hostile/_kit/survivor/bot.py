"""A bot that means to outlive its referee: daemons in groups of their own, deaf to signals, and no end in choose."""

import os
import signal
import time

from arena.sdk import Bot, serve

DAEMONS = 3


class Survivor(Bot):
    def choose(self, turn):
        time.sleep(600)


for _ in range(DAEMONS):
    if os.fork() == 0:
        os.setpgrp()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
        while True:
            time.sleep(0.01)
serve(Survivor, game="claim")

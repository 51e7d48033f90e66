import time

from polite import play

play(turn=lambda _: time.sleep(0.175))

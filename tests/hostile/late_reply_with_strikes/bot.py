import time

from polite import play

play(turn=lambda turn: time.sleep(0.8) if turn.number == 1 else None)

"""An honest bot that takes a tenth of a second for every move."""

import time

from polite import play

play(turn=lambda _: time.sleep(0.1))

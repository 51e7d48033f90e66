from polite import play
from raw import hang

play(turn=lambda _: hang())

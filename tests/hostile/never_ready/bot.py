from polite import play
from raw import hang

play(start=lambda _: hang())

"""A bot on the SDK that plays by the rules, with an attack at a moment of your choice."""

import random

from chosen_game import NAME

from arena.sdk import Bot, serve


def play(*, start=None, turn=None, end=None, game=NAME):
    """Play legal moves; call `start(start)`, `turn(turn)` and `end(end)` at their moments.

    What `turn` returns is played, unless it is None.
    """

    class Polite(Bot):
        def begin(self, begin):
            if start:
                start(begin)

        def choose(self, asked):
            chosen = turn(asked) if turn else None
            return random.choice(asked.legal) if chosen is None else chosen

        def end(self, over):
            if end:
                end(over)

    serve(Polite, game=game)

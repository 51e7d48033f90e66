"""Plays every game by a rule of thumb of one page: it takes what looks best now, and never looks ahead."""

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Any

import assassins
import claim
import kingdoms
import rrr

from arena.sdk import Bot, Turn, serve

Choose = Callable[[Any, Sequence[Any], Random], Any]
"""A rule of thumb: the observation, the legal moves and a source of chance give the move."""

RULES: dict[str, Choose] = {
    "assassins": assassins.choose,
    "claim": claim.choose,
    "kingdoms": kingdoms.choose,
    "rrr": rrr.choose,
}


class GreedyBot(Bot[Any, Any]):
    """Asks the rule of thumb of its game."""

    def __init__(self, rule: Choose) -> None:
        self.rule = rule
        self.rng = Random()

    def choose(self, turn: Turn[Any, Any]) -> Any:
        """What the rule says to this observation."""
        return self.rule(turn.observation, turn.legal or (), self.rng)


if __name__ == "__main__":
    serve({game: partial(GreedyBot, rule) for game, rule in RULES.items()})

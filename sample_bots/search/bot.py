"""Searches in every game: imagines positions that fit what it knows, and tries moves in them as long as it may."""

import gc
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import assassins
import kingdoms
import rrr

from arena.clock import Meter
from arena.registry import find, games
from arena.sdk import Bot, MatchStart, Turn, serve
from arena.sdk.search import Search

OPTIONS: dict[str, dict[str, Any]] = {
    "assassins": assassins.OPTIONS,
    "kingdoms": kingdoms.OPTIONS,
    "rrr": rrr.OPTIONS,
}
"""What the search knows about a game besides its rules; without it, play-outs are random and go to the end."""

WHOLE_TURNS = {"assassins"}
"""Games in which a seat makes several moves in a row and learns nothing new between them."""
SURE = 3
"""How often the search must have tried an action of such a turn to play it without thinking again."""


class SearchBot(Bot[Any, Any]):
    """Information-set Monte Carlo tree search, with what the game's module here knows about the game."""

    wants_legal = False

    def __init__(self, game: str) -> None:
        self.game = game

    def begin(self, start: MatchStart[Any]) -> None:
        """Make a new search for every match, which counts the same time as the referee."""
        # Trees have no cycles, and to look for some in the middle of a decision can cost more than the time to spare.
        gc.collect()
        gc.disable()
        now = time.process_time if start.control.meter is Meter.CPU else time.monotonic
        self.search = Search(find(self.game), seed=start.seat, now=now, **OPTIONS.get(self.game, {}))

    def choose(self, turn: Turn[Any, Any]) -> Any:
        """The move that was tried most."""
        return self.search.choose(turn)

    def choose_several(self, turn: Turn[Any, Any]) -> Sequence[Any]:
        """In King & Assassins, as many actions of this turn as the search is sure of; elsewhere one move."""
        if self.game in WHOLE_TURNS:
            return self.search.plan(turn, SURE)
        return super().choose_several(turn)


if __name__ == "__main__":
    serve({name: partial(SearchBot, name) for name in games()})

"""Searches in every game: imagines positions that fit what it knows, and tries moves in them as long as it may."""

import gc
import time
from collections.abc import Sequence
from functools import partial
from random import Random
from typing import Any

import kingdoms
import rrr
from assassins import turns

from arena.clock import Meter
from arena.registry import find, games
from arena.rng import choice
from arena.sdk import Bot, MatchStart, Turn, serve
from arena.sdk.search import Search, budget
from engines.assassins.rules import KINGS_TURN

OPTIONS: dict[str, dict[str, Any]] = {"kingdoms": kingdoms.OPTIONS, "rrr": rrr.OPTIONS}
"""What the search knows about a game besides its rules; without it, play-outs are random and go to the end."""

PLANNING, ANSWERING = 0.95, 0.8
"""In King & Assassins, the share of its time in which a turn is planned, and in which to begin with another answer."""


class SearchBot(Bot[Any, Any]):
    """Information-set Monte Carlo tree search, with what the game's module here knows about the game."""

    wants_legal = False

    def __init__(self, game: str) -> None:
        self.game = find(game)
        self.options = OPTIONS.get(game, {})

    def begin(self, start: MatchStart[Any]) -> None:
        """Make a new search for every match, which counts the same time as the referee."""
        # Trees have no cycles, and to look for some in the middle of a decision can cost more than the time to spare.
        gc.collect()
        gc.disable()
        self.now = time.process_time if start.control.meter is Meter.CPU else time.monotonic
        self.search = self.new_search(start.seat)

    def new_search(self, seed: int) -> Search:
        """The search for one match."""
        return Search(self.game, seed=seed, now=self.now, **self.options)

    def choose(self, turn: Turn[Any, Any]) -> Any:
        """The move that was tried most."""
        return self.search.choose(turn)


class TurnsBot(SearchBot):
    """The same in King & Assassins, where the search decides about whole turns."""

    def new_search(self, seed: int) -> Search:
        """The search for one match, in the game of whole turns."""
        self.rng = Random()
        self.turns = turns.Turns(self.now)
        return Search(self.turns, seed=seed, now=self.now, **turns.OPTIONS)

    def choose(self, turn: Turn[Any, Any]) -> Any:
        """The first action of the turn."""
        return self.choose_several(turn)[0]

    def choose_several(self, turn: Turn[Any, Any]) -> Sequence[Any]:
        """All actions of a turn; the secret choice and the king's start by lot, as a habit would give them away."""
        if turn.observation.phase < KINGS_TURN:
            return [choice(self.rng, self.game.imagine(turn.observation, self.rng).legal())]
        seconds = budget(turn, decisions_left=turn.observation.deck_size + 1)
        self.turns.begin_turn(until=self.now() + PLANNING * seconds)
        plan: Sequence[Any] = self.search.think(turn.observation, ANSWERING * seconds)
        return plan


BOTS = {name: partial(TurnsBot if name == "assassins" else SearchBot, name) for name in games()}

if __name__ == "__main__":
    serve(BOTS)

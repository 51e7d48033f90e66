"""Searches in every game: imagines positions that fit what it knows, and tries moves in them as long as it may."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from arena.registry import find, games
from arena.sdk import Bot, MatchStart, Turn, serve
from arena.sdk.search import Search

WHOLE_TURNS = {"assassins"}
"""Games in which a seat makes several moves in a row and learns nothing new between them."""


class SearchBot(Bot[Any, Any]):
    """Information-set Monte Carlo tree search with random play-outs; it knows nothing about the game but its rules."""

    wants_legal = False

    def __init__(self, game: str) -> None:
        self.game = find(game)

    def begin(self, start: MatchStart[Any]) -> None:
        """Make a new search for every match."""
        self.search = Search(self.game, seed=start.seat)

    def choose(self, turn: Turn[Any, Any]) -> Any:
        """The move that was tried most."""
        return self.search.choose(turn)

    def choose_several(self, turn: Turn[Any, Any]) -> Sequence[Any]:
        """In King & Assassins, as many actions of this turn as the search is sure of; elsewhere one move."""
        if self.game.info.name in WHOLE_TURNS:
            return self.search.plan(turn)
        return super().choose_several(turn)


if __name__ == "__main__":
    serve({name: partial(SearchBot, name) for name in games()})

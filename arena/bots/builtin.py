"""Players that need no program of their own; they know only the contract, so they play every game."""

from collections.abc import Callable, Mapping
from typing import Any

from arena.match import MatchStart, Turn
from arena.rng import choice, stream
from arena.sdk import Bot


class RandomBot(Bot[Any, Any]):
    """Chooses uniformly among the legal moves."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def begin(self, start: MatchStart[Any]) -> None:
        """Draw from a stream of this seat's own, so that two random bots do not mirror each other."""
        self._rng = stream(self._seed, "random-bot", start.seat)

    def choose(self, turn: Turn[Any, Any]) -> Any:
        return choice(self._rng, turn.legal or ())


class FirstBot(Bot[Any, Any]):
    """Always plays the first legal move: the plainest opponent there is."""

    def __init__(self, seed: int) -> None:
        """Take a seed like every built-in bot, though nothing here is random."""

    def choose(self, turn: Turn[Any, Any]) -> Any:
        return (turn.legal or ())[0]


BUILTIN: Mapping[str, Callable[[int], Bot[Any, Any]]] = {"first": FirstBot, "random": RandomBot}

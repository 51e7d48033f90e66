"""Positions given by root, world and moves, with caches of what earlier calls computed."""

from collections.abc import Iterable
from functools import lru_cache
from random import Random
from typing import Any

from arena.errors import BadMessage, EngineFault, IllegalMove
from arena.game import AnyGame, AnyState
from arena.match import Outcome
from arena.rng import stream

WORLDS = 1024
"""Worlds of one root that are kept: a few MiB, and more than any search has open at once."""
MOVES = 1 << 14
"""Moves of one game that are kept in both forms: writing one takes longer than playing it."""


class MoveCache:
    """A game with cached conversions of its moves to and from bytes."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self.read = lru_cache(MOVES)(game.codec.load_move)
        self.write = lru_cache(MOVES)(game.codec.dump_move)


class Root:
    """A parsed observation, state or config, with a cache of the worlds made from it."""

    def __init__(self, move_cache: MoveCache, kind: str, data: bytes) -> None:
        """Read the bytes of an "observation", a "state" or a "config"."""
        self.move_cache = move_cache
        self._kind = kind
        self._known: Any = getattr(move_cache.game.codec, f"load_{kind}")(data)
        self._worlds: dict[int, AnyState] = {}

    def position(self, world: int, moves: Iterable[bytes]) -> AnyState:
        """A copy of the position after these moves in this world; the caller may change it."""
        state = self._world(world).clone()
        for number, data in enumerate(moves, start=1):
            try:
                state.apply(self.move_cache.read(data))
            except (BadMessage, IllegalMove) as error:
                raise type(error)(f"move {number}: {error}") from error
        return state

    def _world(self, number: int) -> AnyState:
        if number not in self._worlds:
            if len(self._worlds) >= WORLDS:
                # The oldest: a search that goes on has left it behind.
                del self._worlds[next(iter(self._worlds))]
            self._worlds[number] = self._make(number)
        return self._worlds[number]

    def _make(self, number: int) -> AnyState:
        game = self.move_cache.game
        match self._kind:
            case "observation":
                return game.imagine(self._known, stream(number, "world"))
            case "config":
                return game.start(self._known, number)
        state: AnyState = self._known
        return state


def play_out(state: AnyState, rng: Random) -> Outcome:
    """Play random moves to the end of the game."""
    random = rng.random
    while legal := state.legal():
        state.apply(legal[int(random() * len(legal))])
    outcome = state.outcome()
    if outcome is None:
        raise EngineFault("a game that goes on has no legal move")
    return outcome

"""Nim as the arena sees it."""

from collections.abc import Mapping
from random import Random
from typing import cast

from arena.game import Game, GameInfo, Option, State
from arena.match import Seat
from engines.nim.rules import NimState, View


class Nim(Game[int, int, View]):
    """One pile of sticks."""

    info = GameInfo(
        name="nim",
        title="Nim",
        summary="Take one to three sticks; whoever takes the last one wins.",
        version="1",
        min_seats=2,
        max_seats=2,
        max_moves=21,
        hidden=False,
        options=(Option("sticks", ("7", "13", "21"), "21", "how many sticks there are at the start"),),
    )

    def configure(self, seats: int, options: Mapping[str, str]) -> int:
        """The number of sticks."""
        self.info.check_seats(seats)
        return int(self.info.choose(options)["sticks"])

    def start(self, config: int, seed: int) -> NimState:  # noqa: ARG002
        """All sticks lie there and seat 0 begins; nothing is left to chance."""
        return NimState(config, 0)

    def imagine(self, observation: View, rng: Random) -> NimState:  # noqa: ARG002
        """Nothing is hidden, so there is one state only."""
        return NimState(*observation)

    def show(self, state: State[int, View]) -> str:
        """The sticks as strokes."""
        return "| " * cast(NimState, state).sticks or "no sticks"

    def describe_move(self, state: State[int, View], move: int, seat: Seat | None = None) -> str:  # noqa: ARG002
        """Who takes how many; nothing is hidden from any seat."""
        return f"seat {state.to_move()} takes {move}"


GAME = Nim()

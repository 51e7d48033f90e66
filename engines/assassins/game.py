"""King & Assassins as the arena sees it."""

from collections.abc import Mapping
from random import Random
from typing import cast

from arena.game import Game, GameInfo, Option, State
from arena.match import Seat
from engines.assassins import determinize, terminal
from engines.assassins.moves import Move, shown_to_all
from engines.assassins.rules import AssassinsState, Config, Observation


class Assassins(Game[Config, Move, Observation]):
    """A king and his knights against a crowd with three hidden assassins."""

    info = GameInfo(
        name="assassins",
        title="King & Assassins",
        summary="A hated king walks home through a crowd in which three assassins hide.",
        version="1",
        min_seats=2,
        max_seats=2,
        # On side A: the choice, one action per point of all cards (19, 86 and 68), a free way down after each of the
        # crowd's points and from the first roof of each assassin, 3 reveals, 30 ends of a turn. Side B has less of all.
        max_moves=1 + 19 + 86 + 68 + 68 + 3 + 3 + 30,
        hidden=True,
        roles=("king", "assassins"),
        options=(
            Option("board", ("a", "b"), "a", "the side of the board: a as published, b with a layout of Arena's own"),
        ),
    )

    def configure(self, seats: int, options: Mapping[str, str]) -> Config:
        self.info.check_seats(seats)
        return Config(board=self.info.choose(options)["board"])

    def start(self, config: Config, seed: int) -> AssassinsState:
        """Shuffle the deck and put the figures on their squares."""
        return AssassinsState.deal(config, seed)

    def imagine(self, observation: Observation, rng: Random) -> AssassinsState:
        """Choose the unknown assassins and shuffle the rest of the deck anew."""
        return determinize.imagine(observation, rng)

    def show(self, state: State[Move, Observation]) -> str:
        return terminal.show(cast(AssassinsState, state))

    def describe_move(self, state: State[Move, Observation], move: Move, seat: Seat | None = None) -> str:
        return terminal.describe_move(cast(AssassinsState, state), move, seat)

    def redact_move(self, state: State[Move, Observation], move: Move, seat: Seat) -> Move:  # noqa: ARG002
        """Which citizens are the assassins is known to seat 1 only."""
        return move if seat == 1 else shown_to_all(move)

    def render_observation(self, observation: Observation) -> str:
        """The position as this seat knows it."""
        return terminal.show(determinize.imagine(observation, Random(0)), observation.seat)


GAME = Assassins()

"""RRR as the arena sees it."""

from collections.abc import Mapping
from random import Random
from typing import cast

from arena.game import Game, GameInfo, Option, State
from arena.match import Seat
from engines.rrr import determinize, terminal
from engines.rrr.moves import Move
from engines.rrr.rules import MOST_PLACEMENTS, SECRET_DRAFT_ORDER, Config, Observation, RrrState, Setup, Victory

MOST_ROUNDS = 9


class Rrr(Game[Config, Move, Observation]):
    """Rounds of tiles with powers on a 3x3 board."""

    info = GameInfo(
        name="rrr",
        title="RRR – Regality vs. Religion: Revolution",
        summary="A duel on a 3x3 board: place tiles, turn the opponent's to your side, and own most of a full board.",
        version="1",
        min_seats=2,
        max_seats=2,
        max_moves=MOST_ROUNDS * (1 + len(SECRET_DRAFT_ORDER) + MOST_PLACEMENTS),
        hidden=True,
        options=(
            Option(
                "setup", tuple(setup.value for setup in Setup), "neutral-zone", "how neutral tiles come into a round"
            ),
            Option("victory", ("rounds", "points"), "rounds", "first to win two rounds, or points of all rounds"),
            Option(
                "rounds", tuple(map(str, range(1, MOST_ROUNDS + 1))), "3", "rounds with victory=points, else ignored"
            ),
            Option("first", ("0", "1"), "0", "the first player of round 1"),
        ),
    )

    def configure(self, seats: int, options: Mapping[str, str]) -> Config:
        self.info.check_seats(seats)
        chosen = self.info.choose(options)
        return Config(
            Setup(chosen["setup"]), Victory(chosen["victory"]), rounds=int(chosen["rounds"]), first=int(chosen["first"])
        )

    def start(self, config: Config, seed: int) -> RrrState:
        """Shuffle the neutral tiles and set up round 1."""
        return RrrState.deal(config, seed)

    def imagine(self, observation: Observation, rng: Random) -> RrrState:
        return determinize.imagine(observation, rng)

    def show(self, state: State[Move, Observation]) -> str:
        return terminal.show(cast(RrrState, state))

    def describe_move(self, state: State[Move, Observation], move: Move, seat: Seat | None = None) -> str:
        return terminal.describe_move(cast(RrrState, state), move, seat)

    def redact_move(self, state: State[Move, Observation], move: Move, seat: Seat) -> Move:
        """What is picked in a secret draft is known to the mover only."""
        rrr = cast(RrrState, state)
        return move if rrr.mover == seat else rrr.without_secrets(move)

    def render_observation(self, observation: Observation) -> str:
        """The position as this seat knows it."""
        return terminal.show(determinize.imagine(observation, Random(0)), observation.seat)


GAME = Rrr()

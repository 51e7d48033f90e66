"""7 Kingdoms as the arena sees it."""

from collections.abc import Mapping
from random import Random
from typing import cast

from arena.game import Game, GameInfo, State
from arena.match import Seat
from engines.kingdoms import determinize, terminal
from engines.kingdoms.cards import LAST_ROUND, SLOTS, Move
from engines.kingdoms.rules import KingdomsState
from engines.kingdoms.table import Config, Observation

MOST_SEATS = 4
# Each seat plays a card and uses its power, and at most seven taken cards are put away in a round; a token is
# chosen once for each coat.
MOST_MOVES = LAST_ROUND * (2 * MOST_SEATS + SLOTS) + SLOTS


class Kingdoms(Game[Config, Move, Observation]):
    """Rounds of playing one card and taking others, for majorities in seven coats of arms."""

    info = GameInfo(
        name="kingdoms",
        title="7 Kingdoms",
        summary="Play title cards, take others with their powers, and hold the majority in seven coats of arms.",
        version="1",
        min_seats=2,
        max_seats=MOST_SEATS,
        max_moves=MOST_MOVES,
        hidden=True,
    )

    def configure(self, seats: int, options: Mapping[str, str]) -> Config:
        """The configuration for this number of seats; there are no options."""
        self.info.check_seats(seats)
        self.info.choose(options)
        return Config(seats)

    def start(self, config: Config, seed: int) -> KingdomsState:
        return KingdomsState.deal(config, seed)

    def imagine(self, observation: Observation, rng: Random) -> KingdomsState:
        """Deal the unseen cards and tokens anew."""
        return determinize.imagine(observation, rng)

    def show(self, state: State[Move, Observation]) -> str:
        return terminal.show(cast(KingdomsState, state))

    def describe_move(self, state: State[Move, Observation], move: Move, seat: Seat | None = None) -> str:  # noqa: ARG002
        """One line about a move; every seat sees all of it."""
        return terminal.describe_move(cast(KingdomsState, state), move)

    def render_observation(self, observation: Observation) -> str:
        """The position as this seat knows it."""
        return terminal.show(determinize.imagine(observation, Random(0)), observation.seat)


GAME = Kingdoms()

"""Claim as the arena sees it."""

from collections.abc import Mapping
from random import Random
from typing import cast

from arena.game import Game, GameInfo, Option, State
from arena.match import Seat
from engines.claim import determinize, terminal
from engines.claim.rules import Card, ClaimState, Config, Observation


class Claim(Game[Config, Card, Observation]):
    """Two phases of 13 tricks for the votes of five factions."""

    info = GameInfo(
        name="claim",
        title="Claim",
        summary="A trick-taking duel: win followers in 13 tricks, then win the factions' votes with them.",
        version="1",
        min_seats=2,
        max_seats=2,
        max_moves=52,
        hidden=True,
        options=(Option("first_leader", ("0", "1"), "0", "the seat that leads the first trick"),),
    )

    def configure(self, seats: int, options: Mapping[str, str]) -> Config:
        self.info.check_seats(seats)
        return Config(first_leader=int(self.info.choose(options)["first_leader"]))

    def start(self, config: Config, seed: int) -> ClaimState:
        return ClaimState.deal(config, seed)

    def imagine(self, observation: Observation, rng: Random) -> ClaimState:
        return determinize.imagine(observation, rng)

    def show(self, state: State[Card, Observation]) -> str:
        return terminal.show(cast(ClaimState, state))

    def describe_move(self, state: State[Card, Observation], move: Card, seat: Seat | None = None) -> str:  # noqa: ARG002
        """One line about a move; every seat sees all of it."""
        return terminal.describe_move(cast(ClaimState, state), move)

    def render_observation(self, observation: Observation) -> str:
        """The position as this seat knows it."""
        return terminal.show(determinize.imagine(observation, Random(0)), observation.seat)


GAME = Claim()

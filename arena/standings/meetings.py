"""Who beat whom: points of two bots against each other, two seats of a match at a time."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from arena.ratings.model import ENVIRONMENT
from arena.store.base import BotEntry, Tally

Points = Mapping[tuple[int, int], tuple[float, int]]
"""By two bots: the points of the first, 1 for a win and a half for a draw, and the games of both."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """How a bot fared against another."""

    bot: BotEntry
    """The other."""
    games: int
    points: float
    expected: float | None
    """The expected share of points from the two ratings."""

    @property
    def share(self) -> float:
        """Points for each game."""
        return self.points / self.games


@dataclass(frozen=True, slots=True)
class Seating:
    """How the first of two bots fared when they sat like this."""

    seats: tuple[int, int]
    games: int
    wins: int
    draws: int
    losses: int

    @property
    def share(self) -> float:
        """Points of the first bot for each game."""
        return (self.wins + self.draws / 2) / self.games


def points_of_pairs(tallies: Iterable[Tally]) -> Points:
    """Points and games of every bot against every other in these results."""
    found: dict[tuple[int, int], tuple[float, int]] = defaultdict(lambda: (0.0, 0))
    for bot_ids, ranks, matches in tallies:
        for bot, rank in zip(bot_ids, ranks):
            for other, theirs in zip(bot_ids, ranks):
                if bot != other:
                    points, games = found[bot, other]
                    won = (rank < theirs) + 0.5 * (rank == theirs)
                    found[bot, other] = points + matches * won, games + matches
    return dict(found)


def seatings(tallies: Iterable[Tally], one: int, two: int) -> list[Seating]:
    """How a bot fared against another, by the seats of both."""
    counted: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0, 0])
    for tally in tallies:
        for seat, bot in enumerate(tally.bot_ids):
            for place, other in enumerate(tally.bot_ids):
                if (bot, other) == (one, two):
                    mine, theirs = tally.ranks[seat], tally.ranks[place]
                    counted[seat, place][(mine >= theirs) + (mine > theirs)] += tally.matches
    return [Seating(seats, sum(three), *three) for seats, three in sorted(counted.items())]


def expected_share(mine: float, theirs: float) -> float:
    """The expected share of points of a bot with the first rating against one with the second."""
    return 0.5 * (1 + math.erf((mine - theirs) / (math.sqrt(2) * ENVIRONMENT.beta) / math.sqrt(2)))

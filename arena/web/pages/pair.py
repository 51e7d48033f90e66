"""The page of two bots: every meeting of theirs, by seat and by deal."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from arena.game import GameInfo
from arena.standings.meetings import Seating, points_of_pairs, seatings
from arena.standings.table import Standings
from arena.store.base import BotEntry, Tally
from arena.web.links import file_of, pair_name
from arena.web.pages.views import MatchView
from arena.web.rendering import Page

UNMET = "They have met neither in a rated match nor in a test."


@dataclass(frozen=True, slots=True)
class PairInGame:
    """The meetings of two bots in one game."""

    info: GameInfo
    points: float
    games: int
    """That are rated."""
    tested: tuple[float, int]
    """Points of the first bot and games in tests, which are not rated."""
    seatings: Sequence[tuple[str, str, Seating]]
    """With the names of the seats of both."""
    deals: Sequence[tuple[int, Sequence[MatchView]]]
    """The latest matches by their seeds: the same deal, played from both sides."""

    @property
    def words(self) -> str:
        """Their points in a line."""
        rated = [f"{self.points:g}:{self.games - self.points:g}"] if self.games else []
        points, games = self.tested
        return " and ".join([*rated, *([f"{points:g}:{games - points:g} in tests"] if games else [])])


@dataclass(frozen=True, slots=True)
class Pair:
    """Two bots, and their meetings in each game."""

    one: BotEntry
    two: BotEntry
    parts: Sequence[PairInGame]
    unmet: str = UNMET


def pair_page(one: BotEntry, two: BotEntry, parts: Sequence[PairInGame]) -> Page:
    results = "; ".join(f"{part.info.title} {part.words}" for part in parts) or UNMET
    title = f"{one.label} – {two.label}"
    description = f"Every meeting of {one.label} and {two.label}. {results}"
    path, pair = file_of("pair", pair_name(one.id, two.id)), Pair(one, two, parts)
    return Page(path, "pair.html", title, description, pair, part="bots")


def pair_in_game(
    info: GameInfo, table: Standings, tests: Sequence[Tally], one: int, two: int, matches: Sequence[MatchView]
) -> PairInGame:
    """What the two did in this game, in rated matches and in tests."""
    points, games = table.points.get((one, two), (0.0, 0))
    deals: dict[int, list[MatchView]] = defaultdict(list)
    for match in matches:
        deals[match.seed].append(match)
    name = info.roles or tuple(f"seat {seat}" for seat in range(info.max_seats))
    found = seatings([*table.tallies_of.get(one, ()), *tests], one, two)
    named = [(name[seating.seats[0]], name[seating.seats[1]], seating) for seating in found]
    tested = points_of_pairs(tests).get((one, two), (0.0, 0))
    return PairInGame(info, points, games, tested, named, list(deals.items()))

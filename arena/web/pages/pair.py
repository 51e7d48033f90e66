"""The page of two bots: every meeting of theirs, by seat and by deal."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from arena.game import GameInfo
from arena.standings.meetings import Seating, seatings
from arena.standings.table import Standings
from arena.store.base import BotEntry
from arena.web.links import file_of, pair_name
from arena.web.pages.views import MatchView
from arena.web.rendering import Page


@dataclass(frozen=True, slots=True)
class PairInGame:
    """The meetings of two bots in one game."""

    info: GameInfo
    points: float
    games: int
    seatings: Sequence[tuple[str, str, Seating]]
    """With the names of the seats of both."""
    deals: Sequence[tuple[int, Sequence[MatchView]]]
    """The latest matches by their seeds: the same deal, played from both sides."""

    @property
    def share(self) -> float:
        """Points of the first bot for each game."""
        return self.points / self.games


def pair_page(one: BotEntry, two: BotEntry, parts: Sequence[PairInGame]) -> Page:
    """The page of the two."""
    results = "; ".join(f"{part.info.title} {part.points:g}:{part.games - part.points:g}" for part in parts)
    title = f"{one.label} – {two.label}"
    description = f"Every meeting of {one.label} and {two.label}. {results or 'They have not met yet.'}"
    data = {"one": one, "two": two, "parts": parts}
    return Page(file_of("pair", pair_name(one.id, two.id)), "pair.html", title, description, data, part="bots")


def pair_in_game(
    info: GameInfo, table: Standings, one: int, two: int, matches: Sequence[MatchView]
) -> PairInGame | None:
    """What the two did in this game; nothing if they never met in it."""
    points, games = table.points.get((one, two), (0.0, 0))
    if not games:
        return None
    deals: dict[int, list[MatchView]] = defaultdict(list)
    for match in matches:
        deals[match.seed].append(match)
    name = info.roles or tuple(f"seat {seat}" for seat in range(info.max_seats))
    found = seatings(table.tallies_of[one], one, two)
    named = [(name[seating.seats[0]], name[seating.seats[1]], seating) for seating in found]
    return PairInGame(info, points, games, named, list(deals.items()))

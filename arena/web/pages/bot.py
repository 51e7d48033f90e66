"""The page of a bot: how good it is, against whom it is weak, what it did best, how it uses its time, what broke."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from arena.game import GameInfo
from arena.standings.ladder import newest_versions
from arena.standings.meetings import Meeting
from arena.standings.seat_use import SeatUse, fault_kinds, seat_uses
from arena.standings.table import Row, Standings
from arena.store.base import BotEntry
from arena.web.formats import counted
from arena.web.links import file_of, pair_name
from arena.web.pages.ladder import bars_of, columns_of
from arena.web.pages.views import MatchView, TournamentView
from arena.web.rendering import Page

SURPRISE = 0.15
"""A share that differs this much from the expected one is marked."""


@dataclass(frozen=True, slots=True)
class Opponent:
    """How the bot fared against another."""

    meeting: Meeting
    pair: str
    """How the page of the two is called."""
    surprise: float
    """More or fewer points than expected, for each game; 0 if it is not worth a mark."""


@dataclass(frozen=True, slots=True)
class BotInGame:
    """All about a bot in one game."""

    info: GameInfo
    row: Row
    results: str
    """What is counted of its results: won, drawn and lost, or places."""
    versions: Sequence[Row]
    bars: Mapping[int, Markup]
    scale: Markup
    history: Markup | None
    opponents: Sequence[Opponent]
    seats: Sequence[tuple[str, SeatUse]]
    """With the names of the seats."""
    faults: Sequence[tuple[str, int]]
    best: Sequence[MatchView]
    worst: Sequence[MatchView]


@dataclass(frozen=True, slots=True)
class BotProfile:
    """A version of a bot, with its results in each game."""

    bot: BotEntry
    versions: Sequence[BotEntry]
    parts: Sequence[BotInGame]
    latest: Sequence[MatchView]
    tournaments: Sequence[TournamentView]


@dataclass(frozen=True, slots=True)
class BotList:
    """The newest version of each bot."""

    rows: Sequence[BotEntry]
    versions: Mapping[str, int]
    """How many there are, by the name of the bot."""
    rated: Mapping[int, Sequence[tuple[GameInfo, Row]]]


def bot_page(profile: BotProfile, owner_name: Callable[[str], str]) -> Page:
    """The page of one version of a bot."""
    bot, parts = profile.bot, profile.parts
    rated = "; ".join(f"{part.info.title}: {_place(part.row)}" for part in parts)
    description = f"{bot.label} by {owner_name(bot.owner)}. {rated or 'It is not rated yet.'}"
    return Page(file_of("bot", bot.id), "bot.html", bot.label, description, profile, part="bots")


def bots_page(bots: Sequence[BotEntry], rated: Mapping[int, Sequence[tuple[GameInfo, Row]]]) -> Page:
    """The list of all bots, the newest version of each with its ratings."""
    versions = Counter(bot.name for bot in bots if bot.on_ladder)
    rows = sorted(newest_versions(bots, retired=True), key=lambda bot: bot.name.lower())
    words, listed = f"{counted(len(rows), 'bot')} and where they stand.", BotList(rows, versions, rated)
    return Page(file_of("bots"), "bots.html", "Bots", words, listed, part="bots")


def in_game(
    info: GameInfo, table: Standings, bot: BotEntry, history: Markup | None, best: Sequence[MatchView],
    worst: Sequence[MatchView],
) -> BotInGame:  # fmt: skip
    """All about a bot in a game that it has played."""
    versions = [row for row in table.row_of.values() if row.bot.name == bot.name]
    versions.sort(key=lambda row: row.bot.ladder_number, reverse=True)
    bars, scale = bars_of(list(table.row_of.values()), versions)
    uses = seat_uses(bot.id, table.tallies_of.get(bot.id, ()), table.seat_tallies)
    results = next(column.label for column in columns_of(table) if column.key == "share")
    return BotInGame(
        info, table.row_of[bot.id], results, versions, bars, scale, history,
        [_opponent(bot, meeting) for meeting in table.meetings(bot.id)],
        [(info.roles[use.seat] if info.roles else f"seat {use.seat}", use) for use in uses],
        fault_kinds(bot.id, table.seat_tallies), best, worst,
    )  # fmt: skip


def _place(row: Row) -> str:
    rating = f"rating {row.rating.mu:.1f}, " if row.comparable else ""
    return rating + (f"place {row.place}" if row.place else f"not ranked ({row.status})")


def _opponent(bot: BotEntry, meeting: Meeting) -> Opponent:
    surprise = 0.0 if meeting.expected is None else meeting.share - meeting.expected
    marked = surprise if abs(surprise) > max(SURPRISE, meeting.games**-0.5) else 0.0
    return Opponent(meeting, pair_name(bot.id, meeting.bot.id), marked)

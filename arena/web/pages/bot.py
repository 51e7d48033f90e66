"""The page of a bot: how good it is, against whom it is weak, what it did best, how it uses its time, what broke."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from arena.game import GameInfo
from arena.store.base import BotEntry, SeatTally
from arena.web import charts, formats
from arena.web.links import file_of, pair_name
from arena.web.pages.ladder import bars_of, columns_of
from arena.web.pages.views import MatchView, TournamentView
from arena.web.rendering import Page
from arena.web.tables import Duel, Row, Table

SURPRISE = 0.15
"""A share that differs this much from what ratings let expect is marked."""


@dataclass(frozen=True, slots=True)
class Opponent:
    """How the bot fared against another."""

    duel: Duel
    pair: str
    """How the page of the two is called."""
    surprise: float
    """More or fewer points than expected, for each game; 0 if it is not worth a mark."""


@dataclass(frozen=True, slots=True)
class SeatUse:
    """What a bot did in one seat."""

    name: str
    games: int
    share: float
    wall_us: float
    """For each of its games."""
    cpu_us: float
    faults: int


@dataclass(frozen=True, slots=True)
class BotInGame:
    """All about a bot in one game."""

    info: GameInfo
    row: Row
    field: int
    """How many bots are in the table."""
    results: str
    """What is counted of its results: won, drawn and lost, or places."""
    versions: Sequence[Row]
    bars: Mapping[int, Markup]
    scale: Markup
    history: Markup | None
    opponents: Sequence[Opponent]
    seats: Sequence[SeatUse]
    faults: Sequence[tuple[str, int]]
    best: Sequence[MatchView]
    worst: Sequence[MatchView]


def bot_page(
    bot: BotEntry, versions: Sequence[BotEntry], parts: Sequence[BotInGame], latest: Sequence[MatchView],
    tournaments: Sequence[TournamentView],
) -> Page:  # fmt: skip
    """The page of one version of a bot."""
    data = {"bot": bot, "versions": versions, "parts": parts, "latest": latest, "tournaments": tournaments}
    rated = "; ".join(f"{part.info.title}: rating {part.row.rating.mu:.1f}, place {part.row.place}" for part in parts)
    description = f"{bot.label} by {bot.owner}. {rated or 'It is not rated yet.'}"
    return Page(file_of("bot", bot.id), "bot.html", bot.label, description, data, part="bots")


def bots_page(bots: Sequence[BotEntry], rated: Mapping[int, Sequence[tuple[GameInfo, Row]]]) -> Page:
    """The list of all bots, the newest version of each with its ratings."""
    on_ladder = [bot for bot in bots if bot.on_ladder]
    newest = {bot.name: bot for bot in sorted(on_ladder, key=lambda bot: (not bot.retired, bot.ladder_number))}
    versions = Counter(bot.name for bot in on_ladder)
    rows = sorted(newest.values(), key=lambda bot: bot.name.lower())
    data = {"rows": rows, "versions": versions, "rated": rated}
    return Page(file_of("bots"), "bots.html", "Bots", f"{len(rows)} bots and where they stand.", data, part="bots")


def in_game(
    info: GameInfo, table: Table, bot: BotEntry, history: Markup | None, best: Sequence[MatchView],
    worst: Sequence[MatchView],
) -> BotInGame:  # fmt: skip
    """All about a bot in a game that it has played."""
    versions = [row for row in table.rows if row.bot.name == bot.name]
    bars, scale = bars_of(table.rows, versions)
    seats = [tally for tally in table.seats if tally.bot_id == bot.id]
    results = next(column.label for column in columns_of(table) if column.key == "share")
    return BotInGame(
        info, table.row_of[bot.id], len(table.rows), results, versions, bars, scale, history,
        [_opponent(bot, duel) for duel in table.opponents(bot.id)], list(_seat_uses(info, table, bot, seats)),
        _faults(seats), best, worst,
    )  # fmt: skip


def history_chart(
    courses: Mapping[BotEntry, Sequence[tuple[int, float, float]]], bot: BotEntry, matches: int
) -> Markup | None:
    """The ratings of a bot's versions over the matches of the game; points are a number of matches, mean and doubt."""
    lines = [
        charts.Line(
            formats.version(version.version),
            [(count, charts.Interval("", mu - 2 * sigma, mu, mu + 2 * sigma)) for count, mu, sigma in points],
            earlier=version.id != bot.id,
        )
        for version, points in courses.items()
        if len(points) > 1
    ]
    if not lines:
        return None
    return charts.lines(lines, matches, "Rating over the matches of the game", f"{matches:,} matches")


def _opponent(bot: BotEntry, duel: Duel) -> Opponent:
    surprise = 0.0 if duel.expected is None else duel.share - duel.expected
    marked = surprise if abs(surprise) > max(SURPRISE, duel.games**-0.5) else 0.0
    return Opponent(duel, pair_name(bot.id, duel.bot.id), marked)


def _seat_uses(info: GameInfo, table: Table, bot: BotEntry, tallies: Sequence[SeatTally]) -> list[SeatUse]:
    points: dict[int, float] = defaultdict(float)
    for tally in table.tallies_of.get(bot.id, ()):
        for seat, bot_id in enumerate(tally.bot_ids):
            if bot_id == bot.id and tally.ranks[seat] == 1:
                points[seat] += tally.matches / tally.ranks.count(1)
    uses = []
    for seat in sorted({tally.seat for tally in tallies}):
        own = [tally for tally in tallies if tally.seat == seat]
        games = sum(tally.matches for tally in own)
        wall, cpu = (sum(getattr(tally, name) for tally in own) / games for name in ("wall_us", "cpu_us"))
        faults = sum(tally.matches for tally in own if tally.at_fault)
        name = info.roles[seat] if info.roles else f"seat {seat}"
        uses.append(SeatUse(name, games, points[seat] / games, wall, cpu, faults))
    return uses


def _faults(tallies: Sequence[SeatTally]) -> list[tuple[str, int]]:
    found: Counter[str] = Counter()
    for tally in tallies:
        if tally.at_fault:
            found[tally.ending] += tally.matches
    return found.most_common()

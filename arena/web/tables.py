"""Rating tables as pages show them: from counted results to rows with a bot, its rating, faults and trend."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from arena.ratings import Advantage, Rating
from arena.ratings.model import ENVIRONMENT
from arena.ratings.table import places_in_groups
from arena.standings.ladder import Selection, notes_on
from arena.standings.table import standings
from arena.store.base import BotEntry, SeatTally, Tally

FEW_GAMES = 10
"""With fewer a bot is shown as unsettled."""


@dataclass(frozen=True, slots=True)
class Row:
    """A bot in a table."""

    place: int
    bot: BotEntry
    rating: Rating
    faults: int
    trend: float | None
    """How much better it is than its version before, if it had one."""
    noise: float
    """What the trend must exceed to mean anything."""

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self.rating.mu - 2 * self.rating.field_sigma

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval."""
        return self.rating.mu + 2 * self.rating.field_sigma

    @property
    def unsettled(self) -> bool:
        """Whether it has played too little to be taken at its number."""
        return self.rating.games < FEW_GAMES

    @property
    def share(self) -> float:
        """Points for each game: 1 for a first place alone, a half for a shared one."""
        return (self.rating.wins + self.rating.draws / 2) / max(self.rating.games, 1)


@dataclass(frozen=True, slots=True)
class Duel:
    """How a bot fared against another, two seats of a match at a time."""

    bot: BotEntry
    games: int
    points: float
    expected: float | None
    """The share of points that both ratings let expect."""

    @property
    def share(self) -> float:
        """Points for each game."""
        return self.points / self.games


@dataclass(frozen=True)
class Table:
    """The ratings of a field with all that is counted about it."""

    rows: tuple[Row, ...] = ()
    """Everybody whose results count."""
    ladder: tuple[Row, ...] = ()
    """The newest version of every bot, ranked among these; in a tournament the same as all rows."""
    by_role: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)
    advantages: tuple[Advantage, ...] = ()
    tallies: Sequence[Tally] = ()
    seats: Sequence[SeatTally] = ()
    matches: int = 0
    notes: Sequence[str] = ()
    """What a reader must know about it."""

    @property
    def groups(self) -> int:
        """How many groups of bots there are that never met."""
        return max((row.rating.group for row in self.ladder), default=0)

    @property
    def places(self) -> int:
        """How many places the matches had, at most."""
        return max((len(row.rating.places) for row in self.rows), default=0)

    @cached_property
    def row_of(self) -> Mapping[int, Row]:
        """The row of every bot."""
        return {row.bot.id: row for row in self.rows}

    @cached_property
    def duels(self) -> Mapping[tuple[int, int], tuple[float, int]]:
        """Points and games of every bot against every other."""
        points: dict[tuple[int, int], float] = defaultdict(float)
        games: Counter[tuple[int, int]] = Counter()
        for tally in self.tallies:
            for bot, rank in zip(tally.bot_ids, tally.ranks):
                for other, theirs in zip(tally.bot_ids, tally.ranks):
                    if bot != other:
                        points[bot, other] += tally.matches * ((rank < theirs) + 0.5 * (rank == theirs))
                        games[bot, other] += tally.matches
        return {pair: (points[pair], played) for pair, played in games.items()}

    @cached_property
    def tallies_of(self) -> Mapping[int, Sequence[Tally]]:
        """The results of every bot."""
        found: dict[int, list[Tally]] = defaultdict(list)
        for tally in self.tallies:
            for bot_id in set(tally.bot_ids):
                found[bot_id].append(tally)
        return found

    def opponents(self, bot_id: int) -> list[Duel]:
        """How a bot fared against each of the others, the strongest first."""
        found = []
        for row in self.rows:
            points, games = self.duels.get((bot_id, row.bot.id), (0.0, 0))
            if games:
                found.append(Duel(row.bot, games, points, self._expected(bot_id, row.bot.id)))
        return found

    def crosstable(self, most: int) -> list[list[tuple[float, int] | None]]:
        """Points and games of the first bots against each other, in the order of the rows."""
        ids = [row.bot.id for row in self.rows[:most]]
        return [[None if one == two else self.duels.get((one, two), (0.0, 0)) for two in ids] for one in ids]

    def _expected(self, one: int, two: int) -> float | None:
        mine, theirs = self.row_of.get(one), self.row_of.get(two)
        if mine is None or theirs is None:
            return None
        spread = math.sqrt(2) * ENVIRONMENT.beta
        return 0.5 * (1 + math.erf((mine.rating.mu - theirs.rating.mu) / spread / math.sqrt(2)))


def make_table(
    tallies: Sequence[Tally], seats: Sequence[SeatTally], selection: Selection, roles: tuple[str, ...],
    weak_limits: tuple[str, ...] = (),
) -> Table:  # fmt: skip
    """The table of these results."""
    if not tallies:
        return Table()
    everybody = standings(tallies, seats, selection.counted, roles)
    same = len(selection.shown) == len(selection.counted)
    shown = everybody if same else standings(tallies, seats, selection.counted, roles, selection.shown)
    bot_of = {bot.label: bot for bot in selection.counted}
    rows = rows_of(everybody.rows, bot_of, everybody.faults)
    return Table(
        rows,
        rows if same else _with_trends(rows_of(shown.rows, bot_of, shown.faults), rows),
        {role: rows_of(ratings, bot_of, {}) for role, ratings in shown.by_role.items()},
        shown.advantages,
        tallies,
        seats,
        shown.matches,
        notes_on(replace(shown, weak_limits=weak_limits)),
    )


def _with_trends(rows: Sequence[Row], everybody: Sequence[Row]) -> tuple[Row, ...]:
    """The rows with the trends that need older versions, which only the table of everybody has."""
    known = {row.bot.id: row for row in everybody}
    return tuple(replace(row, trend=known[row.bot.id].trend, noise=known[row.bot.id].noise) for row in rows)


def rows_of(ratings: Sequence[Rating], bot_of: Mapping[str, BotEntry], faults: Mapping[str, int]) -> tuple[Row, ...]:
    """Rows with the bots behind the labels."""
    known = {bot_of[rating.bot].id: rating for rating in ratings}
    before = _versions_before(bot_of.values())
    rows = []
    for place, rating in places_in_groups(ratings):
        bot = bot_of[rating.bot]
        earlier = known.get(before.get(bot.id, 0))
        trend = None if earlier is None else rating.mu - earlier.mu
        noise = 0.0 if earlier is None else 2 * math.hypot(rating.field_sigma, earlier.field_sigma)
        rows.append(Row(place, bot, rating, faults.get(bot.label, 0), trend, noise))
    return tuple(rows)


def _versions_before(bots: Iterable[BotEntry]) -> dict[int, int]:
    """For every version of a bot the one before it, among these."""
    latest: dict[str, int] = {}
    before = {}
    for bot in sorted(bots, key=lambda bot: bot.id):
        if bot.name in latest:
            before[bot.id] = latest[bot.name]
        latest[bot.name] = bot.id
    return before

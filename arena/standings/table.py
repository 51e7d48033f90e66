"""The table of some matches: every bot with its rating, rank, trend and faults, and all that is counted about it."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby

import numpy as np

from arena.ratings import Advantage, Posterior, Rating, Results, advantages, fit, rank, rate_by_role
from arena.ratings.model import ENVIRONMENT, ROLE_SIGMA
from arena.ratings.table import field_sigmas
from arena.standings.ladder import Selection, playing_in, select, status_of, versions_before
from arena.standings.meetings import Meeting, Points, expected_share, points_of_pairs
from arena.standings.results import connected, results_of
from arena.store.base import BotEntry, SeatTally, Tally
from arena.store.scope import Scope
from arena.store.sql import Store

FEW_GAMES = 10
"""With fewer a bot is shown as unsettled."""

Trends = Mapping[Hashable, tuple[float, float]]
"""By the id of a bot how much better it is than the version before it, and what that must exceed to mean anything."""


@dataclass(frozen=True, slots=True)
class Row:
    """A bot in a table."""

    bot: BotEntry
    rating: Rating
    place: int = 0
    """In its group, 1 for the best; 0 if it is not ranked."""
    ranked: int = 0
    """How many are ranked in its group."""
    faults: int = 0
    trend: float | None = None
    """How much better it is than its version before, if it had one."""
    noise: float = 0.0
    """What the trend must exceed to mean anything."""
    status: str = ""
    """Why it is not ranked: an older version, or a retired one."""

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
class _Fitted:
    """What ratings are taken from."""

    results: Results
    posterior: Posterior
    faults: Mapping[int, int]
    trends: Trends


@dataclass(frozen=True)
class Standings:
    """The table of some matches, best bot first."""

    rows: tuple[Row, ...]
    """Those that are ranked: on a ladder the newest versions, in a tournament everybody."""
    by_role: Mapping[str, tuple[Row, ...]]
    """A table of its own for each role, if the game has roles."""
    advantages: tuple[Advantage, ...]
    selection: Selection
    tallies: Sequence[Tally]
    seat_tallies: Sequence[SeatTally]
    weak_limits: tuple[str, ...]
    """What was not fully held in some of the matches."""
    _fitted: _Fitted = field(repr=False, compare=False)

    @property
    def matches(self) -> int:
        """How many count."""
        return self._fitted.results.matches

    @property
    def groups(self) -> int:
        """How many groups of bots there are that never met."""
        return max((row.rating.group for row in self.rows), default=0)

    @property
    def seats(self) -> int:
        """How many seats the matches had, at most."""
        return max((len(row.rating.places) for row in self.rows), default=0)

    @property
    def notes(self) -> list[str]:
        """What a reader must know: groups that never met, and limits that were not enforced."""
        notes = []
        if self.groups > 1:
            notes.append(
                f"These are {self.groups} groups of bots that never met, not even by way of others: "
                "ratings of different groups cannot be compared."
            )
        if self.weak_limits:
            weak = "; ".join(self.weak_limits)
            notes.append(
                f"Not fully held in some of these matches: {weak}; see `arena doctor` and `arena docs sandboxes`."
            )
        return notes

    @cached_property
    def row_of(self) -> Mapping[int, Row]:
        """The row of every version whose results count, best first; those that are off the ladder have no rank."""
        rows = {row.bot.id: row for row in self.rows}
        others = [bot for bot in self.selection.counted if bot.id not in rows]
        if others:
            fitted = self._fitted
            groups = connected(fitted.results, fitted.results.bots)
            ratings = [rating for rating in rank(fitted.results, fitted.posterior, groups) if rating.bot not in rows]
            for row in rows_of(ratings, others, fitted.faults, fitted.trends):
                rows[row.bot.id] = replace(row, place=0, ranked=0, status=status_of(row.bot, ()))
        return {row.bot.id: row for row in sorted(rows.values(), key=lambda row: -row.rating.mu)}

    @cached_property
    def points(self) -> Points:
        """Points and games of every bot against every other."""
        return points_of_pairs(self.tallies)

    @cached_property
    def tallies_of(self) -> Mapping[int, Sequence[Tally]]:
        """The results of every bot."""
        found: dict[int, list[Tally]] = defaultdict(list)
        for tally in self.tallies:
            for bot_id in set(tally.bot_ids):
                found[bot_id].append(tally)
        return found

    def meetings(self, bot_id: int) -> list[Meeting]:
        """How a bot fared against each of the others, the strongest first."""
        found = []
        for other, row in self.row_of.items():
            points, games = self.points.get((bot_id, other), (0.0, 0))
            if games:
                own = self.row_of.get(bot_id)
                expected = None if own is None else expected_share(own.rating.mu, row.rating.mu)
                found.append(Meeting(row.bot, games, points, expected))
        return found

    def crosstable(self, most: int | None = None) -> list[list[tuple[float, int]]]:
        """Points and games of the first rows against each other."""
        ids = [row.bot.id for row in self.rows[:most]]
        return [[self.points.get((one, two), (0.0, 0)) for two in ids] for one in ids]


def read_standings(
    store: Store, scope: Scope, roles: tuple[str, ...], bots: Iterable[BotEntry] | None = None,
    field: Sequence[BotEntry] | None = None,
) -> Standings:  # fmt: skip
    """The table of these matches.

    `bots` are all of the store, where somebody has read them already; `field` are those of the table, also if they have
    not played, where that is known.
    """
    tallies = store.tallies(scope)
    if field is not None:
        selection = Selection(field, field)
    else:
        selection = select(scope, tallies, store.all_bots() if bots is None else bots)
    return make_standings(tallies, store.seat_tallies(scope), selection, roles, store.weak_limits(scope))


def make_standings(
    tallies: Sequence[Tally], seat_tallies: Sequence[SeatTally], selection: Selection, roles: tuple[str, ...] = (),
    weak_limits: tuple[str, ...] = (),
) -> Standings:  # fmt: skip
    """The table of these results between the bots that count."""
    results = results_of(tallies, selection.counted, roles)
    posterior = fit(results, ENVIRONMENT, role_sigma=ROLE_SIGMA)
    groups = connected(results, {bot.id for bot in selection.shown})
    fitted = _Fitted(results, posterior, faults_of(seat_tallies), _trends(results, posterior, selection.counted))
    by_role = rate_by_role(results, ENVIRONMENT, role_sigma=ROLE_SIGMA, groups=groups) if roles else {}
    return Standings(
        rows_of(rank(results, posterior, groups), selection.shown, fitted.faults, fitted.trends),
        {role: rows_of(ratings, selection.shown) for role, ratings in by_role.items()},
        advantages(posterior),
        selection,
        tallies,
        seat_tallies,
        weak_limits,
        fitted,
    )


def rows_of(
    ratings: Sequence[Rating], bots: Iterable[BotEntry], faults: Mapping[int, int] | None = None,
    trends: Trends | None = None,
) -> tuple[Row, ...]:  # fmt: skip
    """Ratings as rows, each with its bot and its place in its group."""
    bot_of: dict[Hashable, BotEntry] = {bot.id: bot for bot in bots}
    rows = list[Row]()
    for _, group in groupby(ratings, key=lambda rating: rating.group):
        members = list(group)
        for place, rating in enumerate(members, 1):
            bot = bot_of[rating.bot]
            trend, noise = (trends or {}).get(bot.id, (None, 0.0))
            rows.append(Row(bot, rating, place, len(members), (faults or {}).get(bot.id, 0), trend, noise))
    return tuple(rows)


def faults_of(seat_tallies: Iterable[SeatTally]) -> Counter[int]:
    """How many matches each bot lost by a fault."""
    faults = Counter[int]()
    for tally in seat_tallies:
        if tally.at_fault:
            faults[tally.bot_id] += tally.matches
    return faults


def _trends(results: Results, posterior: Posterior, bots: Collection[BotEntry]) -> Trends:
    """How versions on the ladder compare with those before them; those that never met cannot be compared."""
    before = versions_before(bots)
    if not before:
        return {}
    number = {bot: place for place, bot in enumerate(results.bots)}
    trends = dict[Hashable, tuple[float, float]]()
    for group in connected(results, results.bots):
        places = [number[bot] for bot in group]
        sigmas = dict(zip(group, field_sigmas(posterior.skills[np.ix_(places, places)]).tolist()))
        for bot_id, earlier in before.items():
            if bot_id in sigmas and earlier in sigmas:
                better = float(posterior.mu[number[bot_id]] - posterior.mu[number[earlier]])
                trends[bot_id] = better, 2 * math.hypot(sigmas[bot_id], sigmas[earlier])
    return trends


def leader_of(tallies: Sequence[Tally], bots: Sequence[BotEntry]) -> BotEntry | None:
    """The bot with the highest rating, without all else that a table has."""
    results = results_of(tallies, playing_in(tallies, bots), ())
    if not results.blocks:
        return None
    best = results.bots[int(np.argmax(fit(results, ENVIRONMENT, role_sigma=ROLE_SIGMA).mu))]
    return next(bot for bot in bots if bot.id == best)

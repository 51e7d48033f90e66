"""The table of some matches: every bot with its rating, rank, trend and faults, and all that is counted about it."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

import numpy as np

from arena.ratings import Advantage, Posterior, Rating, Results, advantages, fit, rank, rate_by_role
from arena.ratings.model import ENVIRONMENT, ROLE_SIGMA
from arena.ratings.results import BotKey
from arena.ratings.table import field_sigmas
from arena.standings.ladder import Selection, playing_in, select, status_of, versions_before
from arena.standings.meetings import Meeting, Points, expected_share, points_of_pairs
from arena.standings.results import connected, results_of
from arena.store.base import BotEntry, SeatTally, Tally, TournamentEntry
from arena.store.scope import Scope
from arena.store.sql import Store

FEW_GAMES = 10
"""With fewer a bot is shown as unsettled."""
MOST = 0.75
"""Ratings compare bots that have met, if only by way of others. If more than this share of those that have played are
one such group, they are ranked and the others are not; otherwise nobody is. So two newcomers that met only each other
do not take the ladder its places, and early in a tournament no group is taken for the whole field."""
UNPLAYED, UNCONNECTED = "has not played", "has not met the others"
"""Why a bot has neither a rating to be shown nor a rank."""

Trends = Mapping[Hashable, tuple[float, float]]
"""By the id of a bot how much better it is than the version before it, and what that must exceed to mean anything."""


@dataclass(frozen=True, slots=True)
class Row:
    """A bot in a table."""

    bot: BotEntry
    rating: Rating
    place: int = 0
    """1 for the best; 0 if it is not ranked."""
    ranked: int = 0
    """How many are ranked."""
    faults: int = 0
    trend: float | None = None
    """How much better it is than its version before, if it had one."""
    noise: float = 0.0
    """What the trend must exceed to mean anything."""
    status: str = ""
    """Why it is not ranked: an older version, a retired one, UNPLAYED or UNCONNECTED."""

    @property
    def comparable(self) -> bool:
        """Whether its rating says anything beside those of others; if not, games and points are all that is known."""
        return self.status not in (UNPLAYED, UNCONNECTED)

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
    ranked: AbstractSet[BotKey]
    """The bots that have met, if they are MOST of those that have played."""
    faults: Mapping[int, int]
    trends: Trends


@dataclass(frozen=True)
class Standings:
    """The table of some matches, best bot first."""

    rows: tuple[Row, ...]
    """On a ladder the newest versions, in a tournament everybody: who is ranked, then the others by their points."""
    by_role: Mapping[str, tuple[Row, ...]]
    """A table of its own for each role, if the game has roles."""
    advantages: tuple[Advantage, ...]
    selection: Selection
    tallies: Sequence[Tally]
    seat_tallies: Sequence[SeatTally]
    weak_limits: tuple[str, ...]
    """What was not fully enforced in some of the matches."""
    _fitted: _Fitted = field(repr=False, compare=False)
    excluded: tuple[str, ...] = ()
    """Bots that were excluded from the tournament while it was played."""

    @property
    def matches(self) -> int:
        """How many count."""
        return self._fitted.results.matches

    @property
    def posterior(self) -> Posterior:
        """What is known of all skills together."""
        return self._fitted.posterior

    @property
    def leader(self) -> Row | None:
        """The first of the table, if anybody is ranked."""
        return self.rows[0] if self.rows and self.rows[0].place else None

    @property
    def unconnected(self) -> int:
        """How many have played and are not ranked, because they have not met the others."""
        return sum(row.status == UNCONNECTED for row in self.rows)

    @property
    def seats(self) -> int:
        """How many seats the matches had, at most."""
        return max((len(row.rating.places) for row in self.rows), default=0)

    @property
    def notes(self) -> list[str]:
        """What a reader must know: who was excluded, why ratings are missing, and limits that were not enforced."""
        notes = []
        if self.excluded:
            notes.append(f"Excluded while it was played: {', '.join(self.excluded)}; what they had played counts.")
        if self.unconnected and self.leader:
            notes.append(
                f"Without a rating: {self.unconnected} that have not met the others, not even by way of third ones."
            )
        elif self.unconnected:
            notes.append("In order of points: ratings and ranks are known when all have met, if only by way of others.")
        if self.weak_limits:
            weak = "; ".join(_by_sandbox(self.weak_limits))
            notes.append(
                f"Not fully enforced in some of these matches: {weak}; see `arena doctor` and `arena docs sandboxes`."
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
            met = next((group for group in groups if not fitted.ranked.isdisjoint(group)), ())
            ratings = [rating for rating in rank(fitted.results, fitted.posterior, groups) if rating.bot not in rows]
            for row in rows_of(ratings, others, set(met), fitted.faults, fitted.trends):
                rows[row.bot.id] = replace(row, place=0, ranked=0, status=row.status or status_of(row.bot, ()))
        return {row.bot.id: row for row in sorted(rows.values(), key=lambda row: -row.rating.mu)}

    @cached_property
    def points(self) -> Points:
        """Points and games of every bot against every other."""
        return points_of_pairs(self.tallies)

    @cached_property
    def tallies_of(self) -> Mapping[int, Sequence[Tally]]:
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
    store: Store, scope: Scope, roles: tuple[str, ...], bots: Iterable[BotEntry] | None = None
) -> Standings:
    """The table of these matches; `bots` are all of the store, where somebody has read them already."""
    tallies, bots = store.tallies(scope), store.all_bots() if bots is None else bots
    selection, excluded = select(scope, tallies, bots), tuple[str, ...]()
    if scope.tournament_id is not None:
        entry = store.tournament(scope.tournament_id)
        field = _field_of(entry, selection.shown, bots)
        selection = Selection(field, field)
        excluded = tuple(sorted(f"{name} {version}" for name, version, _ in entry.excluded))
    table = make_standings(tallies, store.seat_tallies(scope), selection, roles, store.weak_limits(scope))
    return replace(table, excluded=excluded)


def _field_of(entry: TournamentEntry, playing: Sequence[BotEntry], bots: Iterable[BotEntry]) -> list[BotEntry]:
    """Everybody of a tournament: who has played, and who is still to play."""
    known = {bot.id for bot in playing}
    named = {(name, version) for name, version, _ in entry.field}
    return [bot for bot in bots if bot.id in known or (bot.name, bot.version) in named]


def make_standings(
    tallies: Sequence[Tally], seat_tallies: Sequence[SeatTally], selection: Selection, roles: tuple[str, ...] = (),
    weak_limits: tuple[str, ...] = (),
) -> Standings:  # fmt: skip
    """The table of these results between the bots that count."""
    results = results_of(tallies, selection.counted, roles)
    posterior = fit(results, ENVIRONMENT, role_sigma=ROLE_SIGMA)
    shown = {bot.id for bot in selection.shown}
    groups = connected(results, shown)
    ranked, trends = _ranked_in(groups), _trends(results, posterior, selection.counted)
    fitted = _Fitted(results, posterior, ranked, faults_of(seat_tallies), trends)
    groups.append([bot for bot in results.bots if bot in shown.difference(chain.from_iterable(groups))])
    by_role = rate_by_role(results, ENVIRONMENT, role_sigma=ROLE_SIGMA, groups=groups) if roles else {}
    return Standings(
        rows_of(rank(results, posterior, groups), selection.shown, ranked, fitted.faults, trends),
        {
            role: rows_of(ratings, selection.shown, ranked, faults_of(seat_tallies, roles, role))
            for role, ratings in by_role.items()
        },
        advantages(posterior),
        selection,
        tallies,
        seat_tallies,
        weak_limits,
        fitted,
    )


def _ranked_in(groups: Sequence[Sequence[BotKey]]) -> AbstractSet[BotKey]:
    """Who is ranked, if these groups have played, the largest first."""
    return set(groups[0]) if groups and len(groups[0]) > MOST * sum(map(len, groups)) else set()


def rows_of(
    ratings: Sequence[Rating], bots: Iterable[BotEntry], ranked: AbstractSet[BotKey], faults: Mapping[int, int],
    trends: Trends | None = None,
) -> tuple[Row, ...]:  # fmt: skip
    """Ratings as rows: those that can be ranked, best first, then the others by their points, then who did not play."""
    bot_of: dict[Hashable, BotEntry] = {bot.id: bot for bot in bots}
    rows = list[Row]()
    for rating in ratings:
        bot = bot_of[rating.bot]
        trend, noise = (trends or {}).get(bot.id, (None, 0.0))
        status = UNPLAYED if not rating.games else "" if rating.bot in ranked else UNCONNECTED
        rows.append(Row(bot, rating, faults=faults.get(bot.id, 0), trend=trend, noise=noise, status=status))
    best = sorted((row for row in rows if row.comparable), key=lambda row: -row.rating.mu)
    others = sorted((row for row in rows if not row.comparable), key=lambda row: (-row.share, -row.rating.games))
    return (*(replace(row, place=place, ranked=len(best)) for place, row in enumerate(best, 1)), *others)


def faults_of(seat_tallies: Iterable[SeatTally], roles: Sequence[str] = (), role: str = "") -> Counter[int]:
    """How many matches each bot lost by a fault; of a game with roles those in one of them."""
    faults = Counter[int]()
    for tally in seat_tallies:
        if tally.at_fault and (not role or roles[tally.seat] == role):
            faults[tally.bot_id] += tally.matches
    return faults


def _by_sandbox(weak_limits: Iterable[str]) -> list[str]:
    """Every kind of sandbox once, with all that was weak in it on one machine or another."""
    found: dict[str, set[str]] = defaultdict(set)
    for phrase in weak_limits:
        kind, _, limits = phrase.removesuffix(")").partition(" (")
        found[kind].update(limits.split(", "))
    return [f"{kind} ({', '.join(sorted(limits))})" for kind, limits in found.items()]


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
    """The first bot of the table of a tournament, without all else that a table has; None if nobody is ranked."""
    results = results_of(tallies, playing_in(tallies, bots), ())
    ranked = _ranked_in(connected(results, results.bots))
    if not ranked:
        return None
    mu = dict(zip(results.bots, fit(results, ENVIRONMENT, role_sigma=ROLE_SIGMA).mu))
    best = max((bot for bot in results.bots if bot in ranked), key=mu.__getitem__)
    return next(bot for bot in bots if bot.id == best)

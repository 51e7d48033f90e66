"""From kept matches to the rating table: what counts, under which names, and how often bots were at fault."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import trueskill

from arena.errors import UsageError
from arena.match import Ending
from arena.ratings import Advantage, Rating, Results, block, fit, rate, rate_by_role
from arena.ratings.results import Ints
from arena.store.base import BotEntry, MatchResult, SeatTally, Store, Tally

ENVIRONMENT = trueskill.TrueSkill(tau=0.0)
"""Bots of one version do not drift, so tau is 0; all else is TrueSkill's default."""
ROLE_SIGMA = 3.0
"""How much, in units of skill, a seat or role may be worth before any game is seen."""


@dataclass(frozen=True, slots=True)
class Standings:
    """The table of a field, best bot first."""

    rows: tuple[Rating, ...]
    advantages: tuple[Advantage, ...]
    by_role: Mapping[str, tuple[Rating, ...]]
    """A table of its own for each role, if the game has roles."""
    faults: Mapping[str, int]
    """How many matches each bot lost by a fault."""
    matches: int
    weak_limits: tuple[str, ...] = ()
    """What was not fully enforced in some of the matches."""

    @property
    def groups(self) -> int:
        """How many groups of bots there are that never met."""
        return max((row.group for row in self.rows), default=0)

    @property
    def seats(self) -> int:
        """How many seats the matches had, at most."""
        return max((len(row.places) for row in self.rows), default=0)


def stored_standings(
    store: Store,
    bots: Sequence[BotEntry],
    roles: tuple[str, ...],
    *,
    tournament_id: int | None = None,
    game: str | None = None,
) -> Standings:
    """The table of a tournament, or of all rated matches of a game, between these bots."""
    tallies = store.tallies(tournament_id=tournament_id, game=game)
    table = standings(tallies, store.seat_tallies(tournament_id=tournament_id, game=game), bots, roles)
    return replace(table, weak_limits=store.weak_limits(tournament_id=tournament_id, game=game))


def standings(
    tallies: Sequence[Tally], seats: Iterable[SeatTally], bots: Sequence[BotEntry], roles: tuple[str, ...] = (),
    shown: Collection[BotEntry] | None = None,
) -> Standings:  # fmt: skip
    """The table of these results between these bots; the tallies of seats tell their faults.

    All results between the bots count; only those of `shown`, if it is given, have a row and are ranked.
    """
    results = results_of(tallies, bots, roles)
    if not results.blocks:
        everybody = [bot.label for bot in (bots if shown is None else shown)]
        return Standings(rate(results, ENVIRONMENT, groups=[everybody]).rows, (), {}, {}, 0)
    groups = connected(tallies, bots, shown)
    table = rate(results, ENVIRONMENT, role_sigma=ROLE_SIGMA, groups=groups)
    by_role = rate_by_role(results, ENVIRONMENT, role_sigma=ROLE_SIGMA, groups=groups) if roles else {}
    return Standings(table.rows, table.advantages, by_role, _faults(seats, bots), results.matches)


def connected(
    tallies: Iterable[Tally], bots: Sequence[BotEntry], shown: Collection[BotEntry] | None = None
) -> list[list[str]]:
    """The labels of bots that have met, if only by way of others, group by group, the largest group first.

    Those who have not played at all are a group of their own, the last one.
    """
    parent = {bot.id: bot.id for bot in bots}

    def root(bot_id: int) -> int:
        while parent[bot_id] != bot_id:
            parent[bot_id] = bot_id = parent[parent[bot_id]]
        return bot_id

    played = set[int]()
    for bot_ids in {tally.bot_ids for tally in tallies}:
        if parent.keys() >= set(bot_ids):
            played.update(bot_ids)
            for other in bot_ids[1:]:
                parent[root(other)] = root(bot_ids[0])
    groups: dict[int, list[str]] = defaultdict(list)
    for bot in bots if shown is None else shown:
        groups[root(bot.id) if bot.id in played else 0].append(bot.label)
    idle = groups.pop(0, [])
    met = sorted((sorted(group) for group in groups.values()), key=lambda group: (-len(group), group))
    return [*met, sorted(idle)] if idle else met


def best_of(tallies: Sequence[Tally], bots: Sequence[BotEntry]) -> str | None:
    """The label of the bot with the highest rating, without all else that a table has."""
    results = results_of(tallies, bots, ())
    if not results.blocks:
        return None
    posterior = fit(results, ENVIRONMENT, role_sigma=ROLE_SIGMA)
    return min(zip(-posterior.mu, posterior.bots))[1]


def results_of(tallies: Iterable[Tally], bots: Sequence[BotEntry], roles: tuple[str, ...]) -> Results:
    """The results in the form that ratings take, with bots by their labels."""
    names = tuple(sorted(bot.label for bot in bots))
    number = {bot.id: names.index(bot.label) for bot in bots}
    by_seats: dict[int, list[Tally]] = defaultdict(list)
    for tally in tallies:
        if all(map(number.__contains__, tally.bot_ids)):
            by_seats[len(tally.bot_ids)].append(tally)
    seat_roles = roles or tuple(f"seat {seat}" for seat in range(max(by_seats, default=0)))
    role_names = tuple(sorted(set(seat_roles))) if by_seats else ()
    if roles and set(by_seats) - {len(roles)}:
        raise UsageError(f"there are {len(roles)} roles, and so every match must have as many seats")
    blocks = (
        block(
            _columns((number[bot] for tally in rows for bot in tally.bot_ids), seats),
            _columns((rank for tally in rows for rank in tally.ranks), seats),
            np.broadcast_to([role_names.index(role) for role in seat_roles[:seats]], (len(rows), seats)),
            [tally.matches for tally in rows],
        )
        for seats, rows in sorted(by_seats.items())
    )
    return Results(names, role_names, tuple(blocks))


def _columns(values: Iterable[int], seats: int) -> Ints:
    """The values, one match after the other, as an array with a column for each seat."""
    return np.fromiter(values, dtype=np.int64).reshape(-1, seats)


def _faults(seats: Iterable[SeatTally], bots: Sequence[BotEntry]) -> Counter[str]:
    label, faults = {bot.id: bot.label for bot in bots}, Counter[str]()
    for tally in seats:
        if tally.ending != Ending.NORMAL.name and tally.bot_id in label:
            faults[label[tally.bot_id]] += tally.matches
    return faults


def rating_course(
    results: Iterable[MatchResult],
    bots: Sequence[BotEntry],
    roles: tuple[str, ...],
    *,
    bot: BotEntry,
    games: int,
    steps: int,
) -> list[tuple[int, Rating]]:
    """The rating of a bot after the first so many of its games, in a few steps, with all else that was known then."""
    if not games:
        return []
    chosen = sorted({1 + (games - 1) * step // max(steps - 1, 1) for step in range(steps)})
    counts, played, course = Counter[tuple[tuple[int, ...], tuple[int, ...]]](), 0, list[tuple[int, Rating]]()
    for result in results:
        counts[result.bot_ids, result.ranks] += 1
        if bot.id not in result.bot_ids:
            continue
        played += 1
        if played == chosen[len(course)]:
            known = [Tally(bot_ids, ranks, matches) for (bot_ids, ranks), matches in counts.items()]
            table = rate(results_of(known, bots, roles), ENVIRONMENT, role_sigma=ROLE_SIGMA)
            course.append((played, next(row for row in table.rows if row.bot == bot.label)))
            if len(course) == len(chosen):
                break
    return course

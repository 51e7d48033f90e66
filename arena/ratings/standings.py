"""From kept matches to the rating table: what counts, under which names, and how often bots were at fault."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import trueskill

from arena.errors import UsageError
from arena.ratings import Advantage, Block, Rating, Results, block, fit, rate, rate_by_role
from arena.ratings.results import Bools
from arena.store.base import BotEntry, MatchResult, SeatTally, Tally
from arena.store.sql import Store

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
    """What was not fully held in some of the matches."""

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
    groups = connected(results, {bot.label for bot in (bots if shown is None else shown)})
    table = rate(results, ENVIRONMENT, role_sigma=ROLE_SIGMA, groups=groups)
    by_role = rate_by_role(results, ENVIRONMENT, role_sigma=ROLE_SIGMA, groups=groups) if roles else {}
    return Standings(table.rows, table.advantages, by_role, _faults(seats, bots), results.matches)


def connected(results: Results, shown: Collection[str]) -> list[list[str]]:
    """Of the bots shown those that have met, if only by way of others, group by group, the largest group first.

    Those who have not played at all are a group of their own, the last one.
    """
    met = _met(results)
    idle: Bools = np.logical_not(met.any(axis=1))
    placed, groups = idle.copy(), list[list[str]]()
    for number in range(len(met)):
        if not placed[number]:
            group = _reached(met, number)
            placed |= group
            groups.append(_named(results, group, shown))
    groups.sort(key=lambda group: (-len(group), group))
    return [group for group in (*groups, _named(results, idle, shown)) if group]


def _met(results: Results) -> Bools:
    """Who has played with whom at the same table."""
    met = np.zeros((len(results.bots), len(results.bots)), dtype=bool)
    for part in results.blocks:
        for other in part.bots[1:]:
            met[part.bots[0], other] = met[other, part.bots[0]] = True
    return met


def _reached(met: Bools, number: int) -> Bools:
    """Everybody whom a bot has met, if only by way of others, and itself."""
    reached, more = np.zeros(len(met), dtype=bool), met[number]
    while (more & ~reached).any():
        reached = reached | more
        more = met[reached].any(axis=0)
    return reached


def _named(results: Results, chosen: Bools, shown: Collection[str]) -> list[str]:
    """The names of the bots chosen, in their order, if they are shown."""
    return [name for name, wanted in zip(results.bots, chosen.tolist()) if wanted and name in shown]


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
    known, by_seats = set(number), defaultdict[int, list[Tally]](list)
    for tally in tallies:
        if known.issuperset(tally.bot_ids):
            by_seats[len(tally.bot_ids)].append(tally)
    seat_roles = roles or tuple(f"seat {seat}" for seat in range(max(by_seats, default=0)))
    role_names = tuple(sorted(set(seat_roles))) if by_seats else ()
    if roles and set(by_seats) - {len(roles)}:
        raise UsageError(f"there are {len(roles)} roles, and so every match must have as many seats")
    role_numbers = [role_names.index(role) for role in seat_roles]
    blocks = (_block(rows, number, role_numbers[:seats]) for seats, rows in sorted(by_seats.items()))
    return Results(names, role_names, tuple(blocks))


def _block(rows: Sequence[Tally], number: Mapping[int, int], roles: Sequence[int]) -> Block:
    """The results of these matches, which all have a seat for each of these roles."""
    bot_ids, ranks, matches = zip(*rows)
    shape = len(rows), len(roles)
    # There may be tens of thousands: whole columns are handed on, so that no step of Python's is taken for each.
    bots = np.fromiter(map(number.__getitem__, chain.from_iterable(bot_ids)), dtype=np.int64).reshape(shape)
    places = np.fromiter(chain.from_iterable(ranks), dtype=np.int64).reshape(shape)
    return block(bots, places, np.broadcast_to(roles, shape), matches)


def _faults(seats: Iterable[SeatTally], bots: Sequence[BotEntry]) -> Counter[str]:
    label, faults = {bot.id: bot.label for bot in bots}, Counter[str]()
    for tally in seats:
        if tally.at_fault and tally.bot_id in label:
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

"""From kept matches to the rating table: what counts, under which names, and how often bots were at fault."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import trueskill

from arena.errors import UsageError
from arena.match import Ending
from arena.ratings import Advantage, Rating, Results, block, rate, rate_by_role
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


def stored_standings(
    store: Store,
    bots: Sequence[BotEntry],
    roles: tuple[str, ...],
    *,
    tournament_id: int | None = None,
    game: str | None = None,
) -> Standings:
    """The table of a tournament, or of all tournaments of a game, between these bots."""
    tallies = store.tallies(tournament_id=tournament_id, game=game)
    return standings(tallies, store.seat_tallies(tournament_id=tournament_id, game=game), bots, roles)


def standings(
    tallies: Sequence[Tally], seats: Iterable[SeatTally], bots: Sequence[BotEntry], roles: tuple[str, ...] = ()
) -> Standings:
    """The table of these results between these bots; the tallies of seats tell their faults."""
    results = results_of(tallies, bots, roles)
    if not tallies:
        return Standings(rate(results, ENVIRONMENT).rows, (), {}, {}, 0)
    table = rate(results, ENVIRONMENT, role_sigma=ROLE_SIGMA)
    by_role = rate_by_role(results, ENVIRONMENT, role_sigma=ROLE_SIGMA) if roles else {}
    matches = sum(tally.matches for tally in tallies)
    return Standings(table.rows, table.advantages, by_role, _faults(seats, bots), matches)


def results_of(tallies: Iterable[Tally], bots: Sequence[BotEntry], roles: tuple[str, ...]) -> Results:
    """The results in the form that ratings take, with bots by their labels."""
    names = tuple(sorted(bot.label for bot in bots))
    number = {bot.id: names.index(bot.label) for bot in bots}
    by_seats: dict[int, list[Tally]] = defaultdict(list)
    for tally in tallies:
        if number.keys() >= set(tally.bot_ids):
            by_seats[len(tally.bot_ids)].append(tally)
    seat_roles = roles or tuple(f"seat {seat}" for seat in range(max(by_seats, default=0)))
    role_names = tuple(sorted(set(seat_roles))) if by_seats else ()
    if roles and set(by_seats) - {len(roles)}:
        raise UsageError(f"there are {len(roles)} roles, and so every match must have as many seats")
    blocks = (
        block(
            [[number[bot] for bot in tally.bot_ids] for tally in rows],
            [tally.ranks for tally in rows],
            [[role_names.index(role) for role in seat_roles[:seats]]] * len(rows),
            [tally.matches for tally in rows],
        )
        for seats, rows in sorted(by_seats.items())
    )
    return Results(names, role_names, tuple(blocks))


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

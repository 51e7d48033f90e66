"""From kept matches to the rating table: what counts, under which names, and how often bots were at fault."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import trueskill

from arena.match import Ending
from arena.ratings import Advantage, Rating, Result, Results, collect, rate, rate_by_role
from arena.store.base import BotEntry, MatchEntry

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


def standings(matches: Iterable[MatchEntry], bots: Sequence[BotEntry], roles: tuple[str, ...] = ()) -> Standings:
    """The table of these matches between these bots."""
    kept = list(matches)
    results = results_of(kept, bots, roles)
    if not kept:
        return Standings(rate(results, ENVIRONMENT).rows, (), {}, {}, 0)
    table = rate(results, ENVIRONMENT, role_sigma=ROLE_SIGMA)
    by_role = rate_by_role(results, ENVIRONMENT, role_sigma=ROLE_SIGMA) if roles else {}
    return Standings(table.rows, table.advantages, by_role, _faults(kept, bots), len(kept))


def results_of(matches: Iterable[MatchEntry], bots: Sequence[BotEntry], roles: tuple[str, ...]) -> Results:
    """The results in the form that ratings take, with bots by their labels."""
    label = {bot.id: bot.label for bot in bots}
    counted = Counter(
        (tuple(label[seat.bot_id] for seat in match.seats), tuple(seat.rank for seat in match.seats))
        for match in matches
        if all(seat.bot_id in label for seat in match.seats)
    )
    return collect((Result(names, ranks, roles, times) for (names, ranks), times in counted.items()), label.values())


def _faults(matches: Iterable[MatchEntry], bots: Sequence[BotEntry]) -> Counter[str]:
    label = {bot.id: bot.label for bot in bots}
    return Counter(
        label[seat.bot_id]
        for match in matches
        for seat in match.seats
        if seat.ending != Ending.NORMAL.name and seat.bot_id in label
    )


def rating_course(
    matches: Sequence[MatchEntry], bots: Sequence[BotEntry], roles: tuple[str, ...], *, bot: BotEntry, steps: int
) -> list[tuple[int, Rating]]:
    """The rating of a bot after the first so many of its matches, in a few steps, with all else that was known then."""
    places = [place for place, match in enumerate(matches, 1) if any(seat.bot_id == bot.id for seat in match.seats)]
    chosen = sorted({1 + (len(places) - 1) * step // max(steps - 1, 1) for step in range(steps)}) if places else []
    course = []
    for count in chosen:
        table = rate(results_of(matches[: places[count - 1]], bots, roles), ENVIRONMENT, role_sigma=ROLE_SIGMA)
        course.append((count, next(row for row in table.rows if row.bot == bot.label)))
    return course

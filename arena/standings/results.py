"""Counted results as ratings take them, and which bots have met in them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

import numpy as np

from arena.errors import UsageError
from arena.ratings import Block, Results, block
from arena.ratings.results import Bools, BotKey
from arena.store.base import BotEntry, Tally


def results_of(tallies: Iterable[Tally], bots: Sequence[BotEntry], roles: tuple[str, ...]) -> Results:
    """The results between these bots, which stand in the order of their labels: it is the same in every store."""
    ids = tuple(bot.id for bot in sorted(bots, key=lambda bot: bot.label))
    number = {bot_id: place for place, bot_id in enumerate(ids)}
    known, by_seats = set(number), defaultdict[int, list[Tally]](list)
    for tally in tallies:
        if known.issuperset(tally.bot_ids):
            by_seats[len(tally.bot_ids)].append(tally)
    seat_roles = roles or tuple(f"seat {seat}" for seat in range(max(by_seats, default=0)))
    role_names = tuple(sorted(set(seat_roles))) if by_seats else ()
    if roles and set(by_seats) - {len(roles)}:
        raise UsageError(f"there are {len(roles)} roles, and so every match must have as many seats")
    role_numbers = [role_names.index(role) for role in seat_roles] if by_seats else []
    blocks = (_block(rows, number, role_numbers[:seats]) for seats, rows in sorted(by_seats.items()))
    return Results(ids, role_names, tuple(blocks))


def _block(rows: Sequence[Tally], number: Mapping[int, int], roles: Sequence[int]) -> Block:
    """The results of these matches, which all have a seat for each of these roles."""
    bot_ids, ranks, matches = zip(*rows)
    shape = len(rows), len(roles)
    # There may be tens of thousands: whole columns are handed on, so that no step of Python's is taken for each.
    bots = np.fromiter(map(number.__getitem__, chain.from_iterable(bot_ids)), dtype=np.int64).reshape(shape)
    places = np.fromiter(chain.from_iterable(ranks), dtype=np.int64).reshape(shape)
    return block(bots, places, np.broadcast_to(roles, shape), matches)


def connected(results: Results, shown: Collection[BotKey]) -> list[list[BotKey]]:
    """Of the bots shown those that have met, if only by way of others, group by group, the largest group first.

    Those who have not played at all are in none.
    """
    wanted = np.array([bot in shown for bot in results.bots], dtype=bool)
    met = _met(results)
    placed: Bools = np.logical_not(met.any(axis=1))
    groups = list[list[int]]()
    for number in range(len(met)):
        if not placed[number]:
            group = _reached(met, number)
            placed |= group
            groups.append(np.flatnonzero(group & wanted).tolist())
    groups.sort(key=lambda group: (-len(group), group))
    return [[results.bots[number] for number in group] for group in groups if group]


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

"""Results of matches, counted: equal results become one row with a count, whatever order they came in.

A row lists the seats of a match best first, seats of equal rank in the order of the table; that is all the model
of TrueSkill looks at. Names are numbered in alphabetical order and rows are sorted, so the same set of results is
the same arrays to the last bit and every number computed from them is too. Bots may be known by anything else than a
name; whoever makes the arrays then gives them an order.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.errors import UsageError

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
BotKey = Hashable
"""By what a bot is known: its id in the store, or a name."""

_DENSE = 8
"""A table over all conceivable rows is faster than sorting the rows until it is this many times longer."""


@dataclass(frozen=True, slots=True)
class Result:
    """A match that counts: the bot, the rank (1 is best, ties share) and the role of every seat."""

    bots: tuple[str, ...]
    ranks: tuple[int, ...]
    roles: tuple[str, ...] = ()
    """Left empty, the role of a seat is its number: `seat 0`, `seat 1` and so on."""
    count: int = 1
    """How many matches ended in exactly this way."""


@dataclass(frozen=True, slots=True)
class Block:
    """The different results of matches with one number of seats; every array has a column per result."""

    bots: Ints
    """Seats by results, best first."""
    roles: Ints
    ties: Bools
    """One row less than seats: does this seat share its rank with the next?"""
    counts: Ints

    @property
    def seats(self) -> int:
        """How many bots sit at the table."""
        return len(self.bots)


@dataclass(frozen=True, slots=True)
class Results:
    """A set of results over numbered bots and roles."""

    bots: tuple[BotKey, ...]
    roles: tuple[str, ...]
    blocks: tuple[Block, ...]

    @property
    def matches(self) -> int:
        return sum(int(block.counts.sum()) for block in self.blocks)


def collect(results: Iterable[Result], bots: Iterable[str] = ()) -> Results:
    """Count the results; `bots` names those that belong to the field even without a match."""
    by_seats: dict[int, list[Result]] = defaultdict(list)
    for result in results:
        by_seats[len(result.bots)].append(result)
    names, labels = set(bots), set[str]()
    for rows in by_seats.values():
        names.update(name for row in rows for name in row.bots)
        labels.update(label for row in rows for label in _roles(row))
    bot_names, role_names = tuple(sorted(names)), tuple(sorted(labels))
    bot_number, role_number = _numbers(bot_names), _numbers(role_names)
    blocks = (
        block(
            [[bot_number[name] for name in row.bots] for row in rows],
            [row.ranks for row in rows],
            [[role_number[label] for label in _roles(row)] for row in rows],
            [row.count for row in rows],
        )
        for _, rows in sorted(by_seats.items())
    )
    return Results(bot_names, role_names, tuple(blocks))


def block(bots: ArrayLike, ranks: ArrayLike, roles: ArrayLike | None = None, counts: ArrayLike | None = None) -> Block:
    """Count results given as arrays of numbers with a row per match and a column per seat; roles default to seats."""
    seats, places = np.asarray(bots, dtype=np.int64).T, np.asarray(ranks, dtype=np.int64).T
    if seats.ndim != 2 or len(seats) < 2 or places.shape != seats.shape:
        raise UsageError("a result needs two seats or more, and a rank for each")
    labels = np.arange(len(seats))[:, None] if roles is None else np.asarray(roles, dtype=np.int64).T
    weights = np.ones(seats.shape[1], dtype=np.int64) if counts is None else np.asarray(counts, dtype=np.int64)
    # Counting comes first: sorting by rank costs more, and few results are different.
    chosen, totals = _counted([*seats, *places, *(labels if roles is not None else ())], weights)
    seats, places = seats[:, chosen], places[:, chosen]
    labels = np.broadcast_to(labels if roles is None else labels[:, chosen], seats.shape)
    order = np.argsort(places, axis=0, kind="stable")
    seats, places, labels = (np.take_along_axis(rows, order, axis=0) for rows in (seats, places, labels))
    return merged(seats, labels, places[1:] == places[:-1], totals)


def merged(bots: Ints, roles: Ints, ties: Bools, counts: Ints) -> Block:
    """The block of these columns, equal ones counted together."""
    chosen, totals = _counted([*bots, *roles, *ties.astype(np.int64)], counts)
    return Block(bots[:, chosen], roles[:, chosen], ties[:, chosen], totals)


def without_roles(part: Block) -> Block:
    """The same results with every seat in role 0."""
    bots = part.bots
    if part.seats == 2:
        # A draw of two reads the same from both sides, so its sides need not be told apart.
        bots = np.where(part.ties, np.sort(bots, axis=0), bots)
    return merged(bots, np.zeros_like(part.roles), part.ties, part.counts)


def split_by_role(results: Results) -> tuple[Results, tuple[tuple[BotKey, str], ...]]:
    """The same results with each bot in each of its roles as a contestant of its own, and who these are."""
    roles = len(results.roles)
    numbers = [part.bots * roles + part.roles for part in results.blocks]
    used = np.unique(np.concatenate([number.ravel() for number in (*numbers, np.zeros(0, dtype=np.int64))]))
    pairs = tuple((results.bots[number // roles], results.roles[number % roles]) for number in used.tolist())
    blocks = (
        Block(np.searchsorted(used, number), part.roles, part.ties, part.counts)
        for number, part in zip(numbers, results.blocks)
    )
    return Results(pairs, results.roles, tuple(blocks)), pairs


def _counted(columns: Sequence[Ints], counts: Ints) -> tuple[Ints, Ints]:
    """Of each different row one number, in the order of the rows' values, and the sum of their counts."""
    keys, size = np.zeros(len(counts), dtype=np.int64), 1
    for column in columns:
        values = int(column.max(initial=0)) + 1
        if size * values >= 2**62:
            known, keys = np.unique(keys, return_inverse=True)
            size = len(known)
        keys, size = keys * values + column, size * values
    if size > _DENSE * (len(keys) + 1):
        known, keys = np.unique(keys, return_inverse=True)
        size = len(known)
    totals = np.bincount(keys, weights=counts, minlength=size).astype(np.int64)
    rows = np.zeros(size, dtype=np.int64)
    rows[keys] = np.arange(len(keys))  # any of several equal rows will do
    present = np.flatnonzero(totals)
    return rows[present], totals[present]


def _numbers(names: Sequence[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names)}


def _roles(result: Result) -> tuple[str, ...]:
    roles = result.roles or tuple(f"seat {seat}" for seat in range(len(result.bots)))
    if not len(roles) == len(result.ranks) == len(result.bots):
        raise UsageError(f"a rank and a role are needed for each of the seats of {', '.join(result.bots)}")
    return roles

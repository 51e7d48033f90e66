"""Tallies: the results and the sums that tables are made of, counted when a match is kept.

They say nothing that the matches do not say, and a recount must find the same; they exist because nobody wants to count
a million matches for every table. Each match is counted twice: for its tournament, and for all rated tournaments of its
game; or, if two bots were tested, for all tests of its game. Those of tournaments that are apart are counted once. The
result of a match that ended at a fault, although two or more fair seats were left, is not counted; its times are.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cache
from importlib import import_module
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, and_, func, select
from sqlalchemy.sql.dml import Insert

from arena.store.base import MatchEntry, SeatResult, SeatTally, Tally
from arena.store.schema import ALL, TESTS, matches, seat_tallies, seats, tallies, tournaments
from arena.store.scope import Scope

PIECE = 5_000
"""How many rows are read at a time."""
_KEYS = {table: [column.name for column in table.primary_key] for table in (tallies, seat_tallies)}
_SUMS = {table: [column.name for column in table.columns if not column.primary_key] for table in _KEYS}

_TEST = "test"
"""The format of a tournament that is not rated, in its settings."""

Key = tuple[Any, ...]
Counts = dict[Key, list[int]]
"""By the values of a primary key the values of all other columns."""


class Counted:
    """Matches that are counted and not written yet."""

    def __init__(self) -> None:
        self.counts: dict[Table, Counts] = {tallies: {}, seat_tallies: {}}

    def add(self, tournament_id: int, game: str, match: MatchEntry) -> None:
        """Count a match for its tournament, or with ALL or TESTS for its game."""
        bots = " ".join(str(result.bot_id) for result in match.seats)
        ranks = " ".join(str(result.rank) for result in match.seats)
        if not match.ended_at_fault:
            self._sum(tallies, (tournament_id, game, bots, ranks), (1,))
        for seat, result in enumerate(match.seats):
            key = (tournament_id, game, result.bot_id, seat, result.ending)
            self._sum(seat_tallies, key, (1, match.moves, result.wall_us, result.cpu_us))

    def write(self, connection: Connection) -> None:
        """Add what was counted to what is there."""
        for table, counts in self.counts.items():
            # All writers go through the rows in the same order, so that no two wait for each other.
            rows = [
                dict(zip((*_KEYS[table], *_SUMS[table]), (*key, *sums), strict=True))
                for key, sums in sorted(counts.items())
            ]
            if rows:
                connection.execute(_upsert(connection.dialect.name, table), rows)

    def _sum(self, table: Table, key: Key, more: tuple[int, ...]) -> None:
        known = self.counts[table].get(key)
        if known is None:
            self.counts[table][key] = list(more)
        else:
            known[:] = [one + other for one, other in zip(known, more, strict=True)]


def tournaments_in(scope: Scope, column: ColumnElement[Any]) -> Select[Any]:
    """A column of the tournaments whose matches are in the scope."""
    if scope.tournament_id is not None:
        return select(column).where(tournaments.c.id == scope.tournament_id)
    query = select(column).where(is_rated(not scope.tests))
    if scope.since is not None:
        # SQLite compares texts, and its own times have no fraction of a second at their end.
        query = query.where(tournaments.c.created_at > scope.since - timedelta(microseconds=1))
    return query if scope.game is None else query.where(tournaments.c.game == scope.game)


def _counted_in(scope: Scope, table: Table, keys: Sequence[str], sums: Sequence[str]) -> Select[Any]:
    """Keys and sums of the rows of a table of tallies that are in the scope, in the order of the keys."""
    columns = [table.c[name] for name in keys]
    if scope.tournament_id is None and scope.since is not None:
        begun = tournaments_in(scope, tournaments.c.id)
        totals = [func.sum(table.c[name]) for name in sums]
        query = select(*columns, *totals).where(table.c.tournament_id.in_(begun)).group_by(*columns)
    else:
        total = TESTS if scope.tests else ALL
        chosen = table.c.tournament_id == (total if scope.tournament_id is None else scope.tournament_id)
        query = select(*columns, *(table.c[name] for name in sums)).where(chosen)
    query = query if scope.game is None else query.where(table.c.game == scope.game)
    return query.order_by(*columns)


def is_rated(rated: bool = True) -> ColumnElement[bool]:
    """Whether a tournament counts for the ladder, or else among the tests."""
    kind: ColumnElement[str] = tournaments.c.settings["format"].as_string()
    return and_(kind.is_distinct_from(_TEST) if rated else kind == _TEST, tournaments.c.apart.is_(False))


def total_of(settings: Mapping[str, Any], *, apart: bool) -> int | None:
    """Where the matches of a tournament are counted beside its own tallies: ALL, TESTS, or nowhere."""
    return None if apart else TESTS if settings.get("format") == _TEST else ALL


def count_in(connection: Connection, tournament_id: int, total: int) -> None:
    """Count the matches of a tournament, which have been counted for itself only, for a total too."""
    for table, keys in _KEYS.items():
        own = connection.execute(select(table).where(table.c.tournament_id == tournament_id)).mappings().all()
        rows = [{**row, "tournament_id": total} for row in own]
        if rows:
            rows.sort(key=lambda row: tuple(row[key] for key in keys))
            connection.execute(_upsert(connection.dialect.name, table), rows)


def read_tallies(connection: Connection, scope: Scope) -> list[Tally]:
    """The results of these matches, counted."""
    query = _counted_in(scope, tallies, ("bots", "ranks"), ("matches",))
    numbers = cache(_numbers)  # most texts come up again and again
    return [Tally(numbers(bots), numbers(ranks), int(count)) for bots, ranks, count in connection.execute(query).all()]


def read_seat_tallies(connection: Connection, scope: Scope) -> list[SeatTally]:
    """Times and endings of these matches."""
    names = SeatTally.__slots__
    query = _counted_in(scope, seat_tallies, names[:3], names[3:])
    return [SeatTally(*row[:3], *map(int, row[3:])) for row in connection.execute(query)]


def wrong_tallies(connection: Connection) -> Iterator[str]:
    """Every tally that is not what a recount of the matches makes it, in a sentence."""
    totals, known = {ALL: Counted(), TESTS: Counted()}, {ALL, TESTS}
    columns = (tournaments.c.id, tournaments.c.settings, tournaments.c.apart)
    totals_of = {row.id: total_of(row.settings, apart=row.apart) for row in connection.execute(select(*columns))}
    for tournament_id, group in groupby(_matches(connection), key=lambda match: match[0]):
        own, total = Counted(), totals_of[tournament_id]
        for _, game, match in group:
            own.add(tournament_id, game, match)
            if total is not None:
                totals[total].add(total, game, match)
        known.add(tournament_id)
        yield from _differences(connection, own, tournament_id)
    for number, total_count in totals.items():
        yield from _differences(connection, total_count, number)
    for table in _KEYS:
        for (other,) in connection.execute(select(table.c.tournament_id).distinct()).all():
            if other not in known:
                known.add(other)
                yield from _differences(connection, Counted(), other)


def _differences(connection: Connection, recount: Counted, tournament_id: int) -> Iterator[str]:
    for table, right in recount.counts.items():
        columns = [*_KEYS[table], *_SUMS[table]]
        query = select(*(table.c[name] for name in columns)).where(table.c.tournament_id == tournament_id)
        size = len(_KEYS[table])
        kept = {tuple(row[:size]): list(row[size:]) for row in connection.execute(query)}
        for key in sorted(kept.keys() | right.keys(), key=str):
            if kept.get(key) != right.get(key):
                name = ", ".join(f"{column} {value}" for column, value in zip(columns, key))
                yield f"{table.name}: {name} is kept as {kept.get(key)}, but a recount says {right.get(key)}"


def _matches(connection: Connection) -> Iterator[tuple[int, str, MatchEntry]]:
    """The tournament, the game and what is counted of every match, one tournament after the other."""
    query = (
        select(matches.c.tournament_id, tournaments.c.game, matches.c.number, matches.c.moves, matches.c.ended_at_fault)
        .add_columns(seats.c.bot_id, seats.c.rank, seats.c.ending, seats.c.wall_us, seats.c.cpu_us)
        .join(tournaments, tournaments.c.id == matches.c.tournament_id)
        .join(seats, seats.c.match_number == matches.c.number)
        .order_by(matches.c.tournament_id, matches.c.number, seats.c.seat)
    )
    rows = connection.execute(query, execution_options={"yield_per": PIECE})
    for (tournament_id, game, _, moves, early), group in groupby(rows, key=lambda row: tuple(row[:5])):
        results = tuple(SeatResult(row.bot_id, row.rank, 0.0, row.ending, "", row.wall_us, row.cpu_us) for row in group)
        yield tournament_id, game, MatchEntry(tournament_id, "", 0, "", 0, "", moves, "", results, early)


@cache
def _upsert(dialect: str, table: Table) -> Insert:
    """Adds the sums of a row to those that are there; both databases can do it, each in its own words."""
    new = import_module(f"sqlalchemy.dialects.{dialect}").insert(table)  # nobody waits for the other one
    added: Insert = new.on_conflict_do_update(
        index_elements=_KEYS[table], set_={name: table.c[name] + new.excluded[name] for name in _SUMS[table]}
    )
    return added


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))

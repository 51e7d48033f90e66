"""Tallies: the results and the sums that tables are made of, counted when a match is kept.

They say nothing that the matches do not say, and a recount must find the same; they exist because nobody wants to count
a million matches for every table. Each match is counted twice: for its tournament, and for all tournaments of its game.
"""

from collections.abc import Iterator
from functools import cache
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, and_, select
from sqlalchemy.dialects import postgresql, sqlite

from arena.store.base import MatchEntry, SeatResult, SeatTally, Tally
from arena.store.schema import ALL, matches, seat_tallies, seats, tallies, tournaments

PIECE = 5_000
"""How many rows are read at a time."""
_KEYS = {table: [column.name for column in table.primary_key] for table in (tallies, seat_tallies)}
_SUMS = {table: [column.name for column in table.columns if not column.primary_key] for table in _KEYS}

Key = tuple[Any, ...]
Counts = dict[Key, list[int]]
"""By the values of a primary key the values of all other columns."""


class Counted:
    """Matches that are counted and not written yet."""

    def __init__(self) -> None:
        self.counts: dict[Table, Counts] = {tallies: {}, seat_tallies: {}}

    def add(self, tournament_id: int, game: str, match: MatchEntry) -> None:
        """Count a match for its tournament, or with ALL for its game."""
        bots = " ".join(str(result.bot_id) for result in match.seats)
        ranks = " ".join(str(result.rank) for result in match.seats)
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


def read_tallies(
    connection: Connection, tournament_id: int | None, game: str | None, bot_id: int | None
) -> list[Tally]:
    """The results of a tournament, a game or everything, counted; of one bot, if it is named."""
    query = select(tallies.c.bots, tallies.c.ranks, tallies.c.matches).where(_scope(tallies, tournament_id, game))
    if bot_id is not None:
        query = query.where((" " + tallies.c.bots + " ").contains(f" {int(bot_id)} "))
    query = query.order_by(tallies.c.bots, tallies.c.ranks)
    return [Tally(_numbers(bots), _numbers(ranks), count) for bots, ranks, count in connection.execute(query)]


def read_seat_tallies(
    connection: Connection, tournament_id: int | None, game: str | None, bot_id: int | None
) -> list[SeatTally]:
    """Times and endings of a tournament, a game or everything; of one bot, if it is named."""
    columns = [seat_tallies.c[name] for name in SeatTally.__slots__]
    query = select(*columns).where(_scope(seat_tallies, tournament_id, game)).order_by(*columns[:3])
    if bot_id is not None:
        query = query.where(seat_tallies.c.bot_id == bot_id)
    return [SeatTally(*row) for row in connection.execute(query)]


def _scope(table: Table, tournament_id: int | None, game: str | None) -> ColumnElement[bool]:
    theirs = table.c.tournament_id == (ALL if tournament_id is None else tournament_id)
    return theirs if game is None else and_(theirs, table.c.game == game)


def wrong_tallies(connection: Connection) -> Iterator[str]:
    """Every tally that is not what a recount of the matches makes it, in a sentence."""
    total, known = Counted(), {ALL}
    for tournament_id, group in groupby(_matches(connection), key=lambda match: match[0]):
        own = Counted()
        for _, game, match in group:
            own.add(tournament_id, game, match)
            total.add(ALL, game, match)
        known.add(tournament_id)
        yield from _differences(connection, own, tournament_id)
    yield from _differences(connection, total, ALL)
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
        select(matches.c.tournament_id, tournaments.c.game, matches.c.number, matches.c.moves)
        .add_columns(seats.c.bot_id, seats.c.rank, seats.c.ending, seats.c.wall_us, seats.c.cpu_us)
        .join(tournaments, tournaments.c.id == matches.c.tournament_id)
        .join(seats, seats.c.match_number == matches.c.number)
        .order_by(matches.c.tournament_id, matches.c.number, seats.c.seat)
    )
    rows = connection.execute(query, execution_options={"yield_per": PIECE})
    for (tournament_id, game, _, moves), group in groupby(rows, key=lambda row: tuple(row[:4])):
        results = tuple(SeatResult(row.bot_id, row.rank, 0.0, row.ending, "", row.wall_us, row.cpu_us) for row in group)
        yield tournament_id, game, MatchEntry(tournament_id, "", 0, "", 0, "", moves, "", results)


@cache
def _upsert(dialect: str, table: Table) -> sqlite.Insert | postgresql.Insert:
    """Adds the sums of a row to those that are there; both databases can do it, each in its own words."""
    new = sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)
    return new.on_conflict_do_update(
        index_elements=_KEYS[table], set_={name: table.c[name] + new.excluded[name] for name in _SUMS[table]}
    )


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))

"""Finds rows that do not fit other rows; what a match says is proven by its record, see arena/tournaments/verify.py."""

from collections.abc import Iterator

from sqlalchemy import Connection, and_, func, select

from arena.store.schema import matches, metadata, seats, tournaments
from arena.store.tallies import wrong_tallies


def misfits(connection: Connection) -> Iterator[str]:
    """All that does not fit, each in a sentence; there is nothing unless somebody changed the tables."""
    yield from _orphans(connection)
    yield from _misnumbered(connection)
    yield from _of_another_game(connection)
    yield from wrong_tallies(connection)


def _orphans(connection: Connection) -> Iterator[str]:
    """Rows whose foreign key leads nowhere; databases prevent these, until somebody tells them not to."""
    for table in metadata.sorted_tables:
        for constraint in table.foreign_key_constraints:
            parent = constraint.referred_table
            pairs = [element.parent == element.column for element in constraint.elements]
            lost = select(*table.primary_key.columns).outerjoin(parent, and_(*pairs))
            for row in connection.execute(lost.where(constraint.elements[0].column.is_(None))):
                key = ", ".join(f"{name} {value}" for name, value in row._mapping.items())
                yield f"{table.name}: {key} belongs to nothing in {parent.name}"


def _misnumbered(connection: Connection) -> Iterator[str]:
    """Matches whose seats are not numbered from 0 on."""
    query = select(seats.c.match_number).group_by(seats.c.match_number)
    odd = (func.min(seats.c.seat) != 0) | (func.max(seats.c.seat) != func.count() - 1)
    for number in connection.execute(query.having(odd)).scalars():
        yield f"seats: those of match_number {number} are not numbered from 0 on"


def _of_another_game(connection: Connection) -> Iterator[str]:
    """Matches that name another game than their tournament."""
    query = select(matches.c.number).join(tournaments, tournaments.c.id == matches.c.tournament_id)
    for number in connection.execute(query.where(matches.c.game != tournaments.c.game)).scalars():
        yield f"matches: number {number} names another game than its tournament"

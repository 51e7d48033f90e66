"""Decides which tournament of a store an archive belongs to, by the checksums of its matches.

The settings alone do not tell: the same tournament may have been played several times, an archive may be older than
what is here, and whoever wrote it may have chosen the settings of a tournament of ours.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from arena.errors import UsageError
from arena.store.base import Arrival
from arena.store.schema import matches, tournaments
from arena.store.tallies import PIECE


def find_home(connection: Connection, key: str, arrival: Arrival) -> int | None:
    """The tournament that has these matches, or that these may be added to; nothing if they need one of their own."""
    rows = connection.execute(select(tournaments).where(tournaments.c.key == key).order_by(tournaments.c.id)).all()
    if not arrival.rated:
        return _home_among(connection, rows, arrival)
    # What counts already comes first, so that none of its matches counts a second time.
    counting = _home_among(connection, [row for row in rows if not row.apart], arrival)
    return counting or _home_among(connection, [row for row in rows if row.apart], arrival)


def _home_among(connection: Connection, rows: Sequence[Row[Any]], arrival: Arrival) -> int | None:
    growing: int | None = None
    beyond = ""
    for row in rows:
        other, more, fewer = _compare(connection, row.id, arrival.matches)
        if other is None and more and row.apart and arrival.rated:
            beyond = f"tournament {row.id} was imported, and has matches that are not in this file ({more})"
        elif other is None and not fewer:
            return int(row.id)
        elif row.finished or not (row.apart or arrival.rated) or (more and arrival.checksum):
            continue
        elif other is None:
            growing = growing or int(row.id)
        elif not row.apart:
            raise UsageError(f"match {other} of tournament {row.id} is already here with a different result")
    if beyond and growing is None:
        raise UsageError(f"{beyond}, which would count then, too: import a file that has all of them with --rated")
    return growing


def _compare(connection: Connection, number: int, theirs: Mapping[str, str]) -> tuple[str | None, int, int]:
    """A match that went otherwise here, how many are here and not there, and how many are there and not here."""
    query = select(matches.c.match_id, matches.c.checksum).where(matches.c.tournament_id == number)
    other, more, shared = None, 0, 0
    for row in connection.execute(query, execution_options={"yield_per": PIECE}):
        known = theirs.get(row.match_id)
        more += known is None
        shared += known is not None
        if known is not None and known != row.checksum:
            other = other or row.match_id
    return other, more, len(theirs) - shared

"""Decides which tournament of a store an archive belongs to, by the checksums of its matches.

The settings alone do not tell: the same tournament may have been played several times, an archive may be older than
what is here, and whoever wrote it may have chosen the settings of a tournament of ours.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from arena.errors import UsageError
from arena.store.base import ImportRequest
from arena.store.schema import matches, tournaments
from arena.store.tallies import PIECE


def find_import_target(connection: Connection, key: str, request: ImportRequest) -> int | None:
    """The tournament that has these matches, or that these may be added to; nothing if they need one of their own."""
    rows = connection.execute(select(tournaments).where(tournaments.c.key == key).order_by(tournaments.c.id)).all()
    if not request.rated:
        return _target_among(connection, rows, request)
    # What counts already comes first, so that none of its matches counts a second time.
    counting = _target_among(connection, [row for row in rows if not row.apart], request)
    return counting or _target_among(connection, [row for row in rows if row.apart], request)


def _target_among(connection: Connection, rows: Sequence[Row[Any]], request: ImportRequest) -> int | None:
    extensible: int | None = None
    refusal = ""
    for row in rows:
        differing, only_here, only_there = _compare(connection, row.id, request.matches)
        if differing is None and only_here and row.apart and request.rated:
            refusal = f"tournament {row.id} was imported, and has matches that are not in this file ({only_here})"
        elif differing is None and not only_there:
            return int(row.id)
        elif row.finished or not (row.apart or request.rated) or (only_here and request.checksum):
            continue
        elif differing is None:
            extensible = extensible or int(row.id)
        elif not row.apart:
            raise UsageError(f"match {differing} of tournament {row.id} is already here with a different result")
    if refusal and extensible is None:
        raise UsageError(f"{refusal}, which would count then, too: import a file that has all of them with --rated")
    return extensible


def _compare(connection: Connection, number: int, archived: Mapping[str, str]) -> tuple[str | None, int, int]:
    """A match that differs, how many are only here, and how many are only in the archive."""
    query = select(matches.c.match_id, matches.c.checksum).where(matches.c.tournament_id == number)
    differing, only_here, shared = None, 0, 0
    for row in connection.execute(query, execution_options={"yield_per": PIECE}):
        checksum = archived.get(row.match_id)
        only_here += checksum is None
        shared += checksum is not None
        if checksum is not None and checksum != row.checksum:
            differing = differing or row.match_id
    return differing, only_here, len(archived) - shared

"""Runs: the processes that play tournaments at present, each with a row that it renews while it is alive."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from arena.store.base import SILENT_S, RunEntry
from arena.store.schema import as_utc, runs

FORGOTTEN = timedelta(days=1)
"""How long a run that died is still listed, unless its tournament is gone on with before."""


def write_run(connection: Connection, run_id: str, tournament_id: int, status: Mapping[str, Any]) -> None:
    values = {"tournament_id": tournament_id, "status": dict(status), "reported_at": func.now()}
    if not connection.execute(update(runs).where(runs.c.id == run_id).values(**values)).rowcount:
        connection.execute(insert(runs).values(id=run_id, **values))


def remove_dead_runs(connection: Connection, tournament_id: int) -> None:
    """Take away the rows of runs of this tournament that died, and of others after a day.

    In a transaction without a row of one's own: two that take each other for dead must not wait for each other.
    """
    for other_id, played, reported, silent_s in _silences(connection):
        patience = SILENT_S if played == tournament_id else FORGOTTEN.total_seconds()
        if silent_s >= patience:
            connection.execute(delete(runs).where(runs.c.id == other_id, runs.c.reported_at <= reported))


def remove_run(connection: Connection, run_id: str) -> None:
    connection.execute(delete(runs).where(runs.c.id == run_id))


def read_runs(connection: Connection, tournament_id: int | None = None) -> list[RunEntry]:
    """All runs, or those of a tournament, the oldest first."""
    query = select(runs, func.now().label("now")).order_by(runs.c.started_at, runs.c.id)
    if tournament_id is not None:
        query = query.where(runs.c.tournament_id == tournament_id)
    return [
        RunEntry(
            row.id, row.tournament_id, row.status, as_utc(row.started_at), as_utc(row.reported_at), _silence(row)
        )
        for row in connection.execute(query)
    ]  # fmt: skip


def tournaments_in_play(connection: Connection) -> set[int]:
    """The tournaments that a process plays that is alive."""
    return {tournament_id for _, tournament_id, _, silent_s in _silences(connection) if silent_s < SILENT_S}


def _silences(connection: Connection) -> Iterator[tuple[str, int, datetime, float]]:
    """Of each run its id, its tournament, its last report, and how long ago that was; without what it said."""
    query = select(runs.c.id, runs.c.tournament_id, runs.c.reported_at, func.now().label("now")).order_by(runs.c.id)
    return ((row.id, row.tournament_id, row.reported_at, _silence(row)) for row in connection.execute(query).all())


def _silence(row: Row[Any]) -> float:
    """Seconds since the last report, by the clock of the database."""
    return max(0.0, (as_utc(row.now) - as_utc(row.reported_at)).total_seconds())

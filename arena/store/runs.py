"""Runs: the processes that play tournaments at present, each with a row that it renews while it is alive."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from arena.store.base import SILENT_S, RunEntry
from arena.store.schema import runs, universal

FORGOTTEN = timedelta(days=1)
"""How long a run that died is still listed, unless its tournament is gone on with before."""


def write_run(connection: Connection, run_id: str, tournament_id: int, status: Mapping[str, Any]) -> None:
    """Renew the row of a run, and take away those of runs of its tournament that died."""
    values = {"tournament_id": tournament_id, "status": dict(status), "reported_at": func.now()}
    if not connection.execute(update(runs).where(runs.c.id == run_id).values(**values)).rowcount:
        connection.execute(insert(runs).values(id=run_id, **values))
    for other_id, played, silent_s in _silences(connection):
        patience = SILENT_S if played == tournament_id else FORGOTTEN.total_seconds()
        if silent_s >= patience:
            remove_run(connection, other_id)


def remove_run(connection: Connection, run_id: str) -> None:
    """Take away the row of a run."""
    connection.execute(delete(runs).where(runs.c.id == run_id))


def read_runs(connection: Connection, tournament_id: int | None = None) -> list[RunEntry]:
    """All runs, or those of a tournament, the oldest first."""
    query = select(runs, func.now().label("now")).order_by(runs.c.started_at, runs.c.id)
    if tournament_id is not None:
        query = query.where(runs.c.tournament_id == tournament_id)
    return [
        RunEntry(
            row.id, row.tournament_id, row.status, universal(row.started_at), universal(row.reported_at), _silence(row)
        )
        for row in connection.execute(query)
    ]  # fmt: skip


def tournaments_in_play(connection: Connection) -> set[int]:
    """The tournaments that a process plays that is alive."""
    return {tournament_id for _, tournament_id, silent_s in _silences(connection) if silent_s < SILENT_S}


def _silences(connection: Connection) -> Iterator[tuple[str, int, float]]:
    """Of each run its id, its tournament, and how long it has not reported; without what it said, which is long."""
    query = select(runs.c.id, runs.c.tournament_id, runs.c.reported_at, func.now().label("now"))
    return ((row.id, row.tournament_id, _silence(row)) for row in connection.execute(query).all())


def _silence(row: Row[Any]) -> float:
    """Seconds since the last report, by the clock of the database."""
    return max(0.0, (universal(row.now) - universal(row.reported_at)).total_seconds())

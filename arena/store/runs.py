"""Runs: the processes that play tournaments at present, each with a row that it renews while it is alive."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from arena.store.base import RunEntry
from arena.store.schema import runs, universal

FORGOTTEN = timedelta(days=1)
"""How long a run that died is still listed, unless its tournament is gone on with before."""


def write_run(connection: Connection, run_id: str, tournament_id: int, status: Mapping[str, Any]) -> None:
    """Renew the row of a run; the first time, take away those of runs that died before it."""
    values = {"tournament_id": tournament_id, "status": dict(status), "reported_at": func.now()}
    if not connection.execute(update(runs).where(runs.c.id == run_id).values(**values)).rowcount:
        for entry in read_runs(connection):
            replaced = entry.tournament_id == tournament_id and not entry.alive
            if replaced or entry.silent_s > FORGOTTEN.total_seconds():
                remove_run(connection, entry.id)
        connection.execute(insert(runs).values(id=run_id, **values))


def remove_run(connection: Connection, run_id: str) -> None:
    """Take away the row of a run."""
    connection.execute(delete(runs).where(runs.c.id == run_id))


def read_runs(connection: Connection, tournament_id: int | None = None) -> list[RunEntry]:
    """All runs, or those of a tournament, the oldest first."""
    query = select(runs, func.now().label("now")).order_by(runs.c.started_at, runs.c.id)
    if tournament_id is not None:
        query = query.where(runs.c.tournament_id == tournament_id)
    entries = []
    for row in connection.execute(query):
        reported = universal(row.reported_at)
        silent_s = max(0.0, (universal(row.now) - reported).total_seconds())
        entries.append(
            RunEntry(row.id, row.tournament_id, row.status, universal(row.started_at), reported, silent_s)
        )  # fmt: skip
    return entries

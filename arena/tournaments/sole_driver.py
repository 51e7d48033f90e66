"""A tournament is played by one process at a time: two would play every match twice, and not know of each other."""

import os
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.errors import UsageError
from arena.store.base import RunEntry
from arena.store.sql import Store

STARTING = "starting"
"""Set in the report of a run that does not know yet whether it is alone."""
LOOK_AGAIN_S = 0.2


def claim(store: Store, run_id: str, tournament_id: int, status: Mapping[str, Any]) -> None:
    """Enter a run into the store if it is the only one of its tournament that lives; UsageError names the other one.

    Of two that start at the same moment each sees the other one: the one with the lower id goes on.
    """
    store.report_run(run_id, tournament_id, {**status, STARTING: True})
    while others := [run for run in _living(store, tournament_id) if run.id != run_id]:
        if not all(run.status.get(STARTING) and run.id > run_id for run in others):
            store.end_run(run_id)
            raise UsageError(_refusal(others[0]))
        time.sleep(LOOK_AGAIN_S)
    store.report_run(run_id, tournament_id, status)  # from now on nobody waits for it to give way


def rival(store: Store, run_id: str, tournament_id: int) -> str | None:
    """Who has taken the tournament of a run over, which was silent so long that it was taken for dead."""
    runs = [run for run in _living(store, tournament_id) if not run.status.get(STARTING)]
    first = min(runs, key=lambda run: (run.started, run.id), default=None)
    if first is None or first.id == run_id:
        return None
    return (
        f"{_place(first)} has taken over tournament {tournament_id}, because this process could not reach the store; "
        "stopping here"
    )


def check_idle(store: Store, tournament_id: int) -> None:
    """Refuse to change a tournament while a process plays it, which would not know of that."""
    for run in _living(store, tournament_id):
        raise UsageError(
            f"tournament {tournament_id} is being played by {_place(run)}: stop it there with Ctrl-C, which loses no "
            f"match, give this command again, and go on with `arena tournament resume {tournament_id}`"
        )


def _living(store: Store, tournament_id: int) -> list[RunEntry]:
    return [run for run in store.runs(tournament_id) if run.alive and not is_gone(run)]


def is_gone(run: RunEntry) -> bool:
    """Whether a run is one of this machine whose process has ended: then nobody need wait for its silence."""
    if run.status.get("host") != socket.gethostname():
        return False
    try:
        state = Path(f"/proc/{run.status['pid']}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return not _exists(int(run.status["pid"]))
    return state == "Z"  # killed, and its parent has not looked yet


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError as error:
        return not isinstance(error, ProcessLookupError)
    return True


def _refusal(run: RunEntry) -> str:
    return (
        f"tournament {run.tournament_id} is being played already, by {_place(run)} "
        f"since {run.started:%Y-%m-%d %H:%M} UTC: wait for its end, or stop it there with Ctrl-C and "
        "go on here; `arena status` shows how far it is"
    )


def _place(run: RunEntry) -> str:
    return f"process {run.status.get('pid')} on {run.status.get('host')}"

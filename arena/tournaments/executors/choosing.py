"""Where a tournament is played: on this machine, or on a Ray cluster, which is imported only then."""

import importlib
import os
import re
from collections.abc import Callable
from typing import Protocol

from arena.errors import UsageError
from arena.tournaments.executors.base import Executor
from arena.tournaments.executors.messages import WorkerPlan
from arena.tournaments.settings import Settings

LOCAL, RAY = "local", "ray"
RAY_QUIET = {
    # Ray prints the notices of all nodes to standard output, where our result belongs; its log files have them too.
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",
    # It would warn of its own default.
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}
"""Variables that Ray reads when it is imported."""
_ADDRESS = re.compile(r"ray://[^/\s]+:\d{1,5}")


class Cluster(Protocol):
    """A connection to machines that play matches."""

    say: Callable[[str], None]

    def capacity(self) -> int:
        """How many matches can be played at once; UsageError if it is none."""
        ...

    def close(self) -> None:
        """Disconnect."""
        ...


def connect(place: str, settings: Settings) -> Cluster | None:
    """The cluster that the user named; None for this machine."""
    if place == LOCAL:
        return None
    if place != RAY and not _ADDRESS.fullmatch(place):
        raise UsageError(
            f"{place!r} is no executor: give {LOCAL}, {RAY} (a cluster of this machine) or ray://HOST:PORT"
        )
    for name, value in RAY_QUIET.items():
        os.environ.setdefault(name, value)
    try:
        module = importlib.import_module("arena.tournaments.executors.ray_cluster")
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise UsageError("matches on a cluster need Ray: pip install 'arena[ray]'") from error
    cluster: Cluster = module.RayCluster("auto" if place == RAY else place, module.MatchResources.of(settings))
    return cluster


def cluster_executor(cluster: Cluster, plan: WorkerPlan, *, concurrency: int) -> Executor:
    """An executor on the nodes of a cluster."""
    module = importlib.import_module("arena.tournaments.executors.ray_executor")
    executor: Executor = module.RayExecutor(cluster, plan, concurrency=concurrency)
    return executor

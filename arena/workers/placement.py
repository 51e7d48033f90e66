"""Where a tournament is played: on this machine, or on a Ray cluster, which is imported only then."""

import importlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Protocol

from arena.distribution import install_hint
from arena.errors import UsageError
from arena.monitoring.events import Listener, ignore
from arena.workers.base import NULL_SPECTATOR, Executor, Spectator
from arena.workers.messages import WorkerPlan

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
    on_event: Listener

    def capacity(self) -> int:
        """How many matches can be played at once; UsageError if it is none."""
        ...

    def close(self) -> None:
        """Disconnect."""
        ...


PRIORITY = 10
"""The weight of a tournament beside the others on a cluster, if nothing else is said."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where matches are played, and on a cluster, beside whom."""

    place: str = LOCAL
    concurrency: int | None = None
    """Matches at once; what the machines allow if it is None."""
    priority: int | None = None
    registry: str | None = None
    """Where nodes find images; if it is None, the driver sends them."""

    def __post_init__(self) -> None:
        """Refuse what cannot be, before anything is kept for it."""
        if self.place == LOCAL:
            if self.priority is not None or self.registry is not None:
                raise UsageError("--priority and --registry are for matches on a cluster: name it with --executor")
        elif self.place != RAY and not _ADDRESS.fullmatch(self.place):
            raise UsageError(
                f"{self.place!r} is not an executor: give {LOCAL}, {RAY} (a cluster of this machine) or ray://HOST:PORT"
            )
        elif find_spec("ray") is None:
            raise UsageError(f"matches on a cluster need Ray: {install_hint('ray')}")


@dataclass(frozen=True, slots=True)
class MatchSize:
    """What a match needs of a machine."""

    seats: int
    cpus: float
    """Processors of a bot that is to move."""
    memory_bytes: int
    """Memory of a bot."""
    ponder: bool
    """Whether bots may think while others are to move."""


def connect(placement: Placement, size: MatchSize) -> Cluster | None:
    """The cluster that the user named; None for this machine."""
    place = placement.place
    if place == LOCAL:
        return None
    for name, value in RAY_QUIET.items():
        os.environ.setdefault(name, value)
    module = importlib.import_module("arena.workers.ray.cluster")
    cluster: Cluster = module.RayCluster(
        "auto" if place == RAY else place,
        module.MatchResources.of(size),
        priority=placement.priority or PRIORITY,
        most=placement.concurrency,
        registry=placement.registry,
    )
    return cluster


def cluster_executor(
    cluster: Cluster, plan: WorkerPlan, *, on_event: Listener = ignore, spectator: Spectator = NULL_SPECTATOR
) -> Executor:
    """An executor on the nodes of a cluster."""
    module = importlib.import_module("arena.workers.ray.executor")
    cluster.on_event = on_event
    executor: Executor = module.RayExecutor(cluster, plan, on_event=on_event, spectator=spectator)
    return executor

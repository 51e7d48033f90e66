"""Where the matches of a command are played: the only module that chooses an executor."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click

from arena.cli.placement import read_placement
from arena.monitoring.events import Listener
from arena.tournaments.settings import Settings
from arena.workers.base import Executor, Spectator
from arena.workers.local import LocalExecutor
from arena.workers.messages import WorkerPlan
from arena.workers.placement import Cluster, MatchSize, cluster_executor, connect

SHARED = (
    "another tournament is running on this machine: both share its processors, so bots lose time; "
    "`arena status` shows it if it has the same store"
)


@dataclass(frozen=True, slots=True)
class Venue:
    """One machine, which is this one, or a cluster that is connected."""

    place: str
    """As the user named it."""
    concurrency: int
    """Matches at once."""
    cluster: Cluster | None
    make_local: Callable[..., LocalExecutor] = LocalExecutor

    def make_executor(
        self, plan: WorkerPlan, on_event: Listener, spectator: Spectator, say: Callable[[str], None]
    ) -> Executor:
        """What plays the matches of this plan there."""
        if self.cluster is not None:
            self.cluster.say = say
            return cluster_executor(self.cluster, plan, on_event=on_event, spectator=spectator)
        executor = self.make_local(plan, concurrency=self.concurrency, on_event=on_event, spectator=spectator)
        if executor.neighbours:
            say(SHARED)
        return executor


@contextmanager
def open_venue(given: Mapping[str, Any], settings: Settings) -> Iterator[Venue]:
    """The venue that `placement_options` gave, connected for as long as the context lasts.

    Whoever calls the command from Python can give it another maker of local executors, as the object of its context.
    """
    placement = read_placement(given)
    cluster = connect(placement, MatchSize(settings.seats, settings.cpus, settings.memory_bytes, settings.ponder))
    try:
        concurrency = placement.concurrency or (cluster.capacity() if cluster else default_concurrency(settings.cpus))
        yield Venue(placement.place, concurrency, cluster, click.get_current_context().obj or LocalExecutor)
    finally:
        if cluster is not None:
            cluster.close()


def default_concurrency(cpus: float) -> int:
    """One bot of a match runs at a time, and the referee wants a processor for itself."""
    return max(1, int(((os.cpu_count() or 1) - 1) / max(cpus, 1.0)))

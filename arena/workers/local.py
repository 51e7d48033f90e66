"""Matches on this machine, each in a process of its own."""

import os
from dataclasses import replace

from arena.monitoring.events import Listener, ignore
from arena.workers.base import NULL_SPECTATOR, Spectator
from arena.workers.cores import divide_cores, physical_cores, processors_needed
from arena.workers.messages import WorkerPlan
from arena.workers.neighbours import Presence
from arena.workers.pool import WorkerPool
from arena.workers.worker_process import WorkerProcess


class LocalExecutor(WorkerPool):
    """Plays several tables at once, each in a worker process that does nothing else.

    So the time of a bot is never taken by a process that is busy with another table, with ratings, with the store or
    with the start of other bots. Where there are cores enough, and no other tournament on this machine may have the
    same, each table has its own.
    """

    def __init__(
        self, plan: WorkerPlan, *, concurrency: int, on_event: Listener = ignore, spectator: Spectator = NULL_SPECTATOR
    ) -> None:
        needed = processors_needed(bot.sandbox_options for bot in plan.bots)
        self._presence = Presence()
        self.neighbours = self._presence.others
        """How many other tournaments are played on this machine."""
        alone = divide_cores(physical_cores(os.sched_getaffinity(0)), concurrency, needed)
        cores = [()] * concurrency if self.neighbours else alone
        plan = replace(plan, reports=spectator is not NULL_SPECTATOR)
        workers = [WorkerProcess(plan, cores=own, spectator=spectator) for own in cores]
        super().__init__(workers, needed=concurrency, on_event=on_event, spectator=spectator)

    async def __aexit__(self, *_: object) -> None:
        self._presence.close()
        await super().__aexit__()

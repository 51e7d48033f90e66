"""Matches on this machine, each in a process of its own."""

import os
from collections.abc import Sequence

from arena.tournaments.executors.messages import WorkerPlan
from arena.tournaments.executors.pool import WorkerPool
from arena.tournaments.executors.worker_process import WorkerProcess


class LocalExecutor(WorkerPool):
    """Plays several tables at once, each in a worker process that does nothing else.

    So the time of a bot is never taken by a process that is busy with another table, with ratings, with the store or
    with the start of other bots. Where there are cores enough, each table has its own.
    """

    def __init__(self, plan: WorkerPlan, *, concurrency: int) -> None:
        cores = divide_cores(sorted(os.sched_getaffinity(0)), concurrency)
        super().__init__([WorkerProcess(plan, cores=own) for own in cores], needed=concurrency)


def divide_cores(cores: Sequence[int], tables: int) -> list[tuple[int, ...]]:
    """For each table its own cores, two or more of them; nothing for any table where there are too few.

    The first core is left to the tournament itself. A table needs two, one for the bot to move and one for the
    referee: on a single core a bot would be timed by a process that waits for it.
    """
    per_table = (len(cores) - 1) // tables
    if per_table < 2:
        return [()] * tables
    return [tuple(cores[1 + number * per_table :][:per_table]) for number in range(tables)]

"""Matches on this machine, each in a process of its own."""

import asyncio
from collections.abc import Iterable

from arena.errors import ArenaError, InfraError
from arena.play.faults import REPLAYS
from arena.tournaments.executors.base import Assignment, FinishedMatch, Job, Keep, MayBegin, VoidMatch
from arena.tournaments.executors.messages import WorkerPlan
from arena.tournaments.executors.worker_process import WorkerDied, WorkerProcess


class LocalExecutor:
    """Plays several tables at once, each in a worker process that does nothing else.

    So the time of a bot is never taken by a process that is busy with another table, with ratings, with the store or
    with the start of other bots.
    """

    def __init__(self, plan: WorkerPlan, *, concurrency: int) -> None:
        self._idle = [WorkerProcess(plan) for _ in range(concurrency)]
        self._workers = tuple(self._idle)
        self._freed = asyncio.Event()
        self._playing: set[asyncio.Task[None]] = set()
        self._stopping = False
        self.running = 0

    async def __aenter__(self) -> "LocalExecutor":
        try:
            await asyncio.gather(*(worker.start() for worker in self._workers))
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.gather(*(worker.close() for worker in self._workers))

    def stop(self) -> None:
        """Let the running matches end and begin no more."""
        self._stopping = True

    def abort(self) -> None:
        """Drop the running matches too."""
        self._stopping = True
        for task in self._playing:
            task.cancel()

    async def play(self, jobs: Iterable[Job], keep: Keep, may_begin: MayBegin) -> None:
        """Play all jobs; `keep` gets every match as it ends."""
        waiting = iter(jobs)

        def goes_on() -> bool:
            return not self._stopping and may_begin()

        try:
            async with asyncio.TaskGroup() as group:
                while goes_on() and (job := next(waiting, None)) is not None:
                    task = group.create_task(self._play_job(self._take(job), job, keep, goes_on))
                    self._playing.add(task)
                    task.add_done_callback(self._playing.discard)
                    await self._wait_for_idle()
        except* ArenaError as errors:
            raise errors.exceptions[0] from None

    def _take(self, job: Job) -> WorkerProcess:
        """An idle worker, if possible one where these bots are warm."""
        worker = next((worker for worker in self._idle if worker.bots == job.bots), self._idle[0])
        self._idle.remove(worker)
        return worker

    async def _wait_for_idle(self) -> None:
        while not self._idle:
            self._freed.clear()
            await self._freed.wait()

    async def _play_job(self, worker: WorkerProcess, job: Job, keep: Keep, goes_on: MayBegin) -> None:
        try:
            for number, assignment in enumerate(job.assignments):
                if not goes_on():
                    break
                await keep(await self._play_match(worker, job, assignment, new_job=not number))
        finally:
            self._idle.append(worker)
            self._freed.set()

    async def _play_match(
        self, worker: WorkerProcess, job: Job, assignment: Assignment, *, new_job: bool
    ) -> FinishedMatch | VoidMatch:
        """Play a match, again in a new process if the worker dies."""
        self.running += 1
        try:
            for _ in range(1 + REPLAYS):
                try:
                    return await worker.play(job.bots, assignment, new_job=new_job)
                except WorkerDied as error:
                    died = error
            return VoidMatch(str(died), 0.0)
        except InfraError as error:
            return VoidMatch(str(error), 0.0)
        finally:
            self.running -= 1

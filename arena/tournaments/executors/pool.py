"""A pool of workers that plays jobs: who plays what, and what becomes of a match whose worker dies."""

import asyncio
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from arena.errors import ArenaError, InfraError
from arena.play.faults import REPLAYS
from arena.tournaments.executors.base import (
    Assignment,
    FinishedMatch,
    Job,
    Keep,
    MayBegin,
    VoidMatch,
    WorkerDied,
    WorkerHandle,
    WorkerLost,
)

LOSSES = 10
"""How often a match is played again because the node of its worker was lost."""


class JobQueue:
    """Jobs in their order; what could not be played to its end comes first."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._jobs: Iterator[Job] = iter(jobs)
        self._returned: deque[Job] = deque()

    def take(self) -> Job | None:
        """The next job; None when there is none at present."""
        return self._returned.popleft() if self._returned else next(self._jobs, None)

    def put_back(self, job: Job) -> None:
        """Let a job, or the rest of one, be taken next."""
        if job.assignments:
            self._returned.appendleft(job)


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of a match: the match, or nothing if it is to be played again; and whether its worker died."""

    match: FinishedMatch | VoidMatch | None
    died: bool = False


class WorkerPool:
    """An executor on workers of any kind; a dead worker is started again, and its match played again by any worker."""

    def __init__(self, workers: Sequence[WorkerHandle], *, needed: int) -> None:
        """Play begins as soon as the `needed` number of workers is ready."""
        self._workers = tuple(workers)
        self._needed = needed
        self._idle: list[WorkerHandle] = []
        self._starting: set[asyncio.Task[None]] = set()
        self._playing: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()
        """Set whenever a worker or a job may be free."""
        self._failure: ArenaError | None = None
        """Why the latest worker that is gone for good could not be started."""
        self._deaths: Counter[str] = Counter()
        """How many workers died while they played a match."""
        self._stopping = False
        self.running = 0

    async def __aenter__(self) -> "WorkerPool":
        for worker in self._workers:
            self._start(worker)
        try:
            while len(self._idle) < self._needed and self._starting:
                await asyncio.wait(self._starting, return_when=asyncio.FIRST_COMPLETED)
            if self._failure is not None and len(self._idle) < self._needed:
                raise self._failure
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        await asyncio.gather(*(worker.close() for worker in self._workers))

    def stop(self) -> None:
        """Let the running matches end and begin no more."""
        self._stopping = True
        self._changed.set()

    def abort(self) -> None:
        """Drop the running matches too."""
        self.stop()
        for task in self._playing:
            task.cancel()

    async def play(self, jobs: Iterable[Job], keep: Keep, may_begin: MayBegin) -> None:
        """Play all jobs; `keep` gets every match as it ends."""
        queue = JobQueue(jobs)

        def goes_on() -> bool:
            return not self._stopping and may_begin()

        try:
            async with asyncio.TaskGroup() as group:
                while goes_on() and await self._wait_for_worker():
                    if (job := queue.take()) is not None:
                        if (worker := self._take(job)) is not None:
                            task = group.create_task(self._play_job(worker, job, queue, keep, goes_on))
                            self._playing.add(task)
                            task.add_done_callback(self._playing_ended)
                            continue
                        queue.put_back(job)
                    elif not self._playing:
                        break  # and nobody is left who could put a job back
                    await self._change()
        except* ArenaError as errors:
            raise errors.exceptions[0] from None

    # Hooks for executors on more than one machine.

    def _suits(self, worker: WorkerHandle, job: Job) -> bool:  # noqa: ARG002
        """Whether this worker may play this job."""
        return True

    def _is_final(self, worker: WorkerHandle, match_id: str, match: FinishedMatch | VoidMatch) -> bool:  # noqa: ARG002
        """Whether a match is over; if not, it is played again, if possible elsewhere."""
        return True

    def _must_move(self, worker: WorkerHandle) -> bool:  # noqa: ARG002
        """Whether a worker must not play where it is, so that it is to be started somewhere else."""
        return False

    # Workers.

    def _start(self, worker: WorkerHandle) -> None:
        task = asyncio.create_task(self._start_worker(worker))
        self._starting.add(task)

        def ended(task: asyncio.Task[None]) -> None:
            self._starting.discard(task)
            self._changed.set()

        task.add_done_callback(ended)

    async def _start_worker(self, worker: WorkerHandle) -> None:
        try:
            await worker.close()
            await worker.start()
        except ArenaError as error:
            self._failure = error
            return
        self._idle.append(worker)

    async def _wait_for_worker(self) -> bool:
        """Wait for an idle worker; False if a stop came first, and the failure if there is nobody to wait for."""
        while not self._idle and not self._stopping:
            if not self._starting and not self._playing:
                raise self._failure or InfraError("there is no worker left")
            await self._change()
        return bool(self._idle)

    async def _change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    def _take(self, job: Job) -> WorkerHandle | None:
        """An idle worker for this job, if possible one where its bots are warm."""
        suited = [worker for worker in self._idle if self._suits(worker, job)]
        worker = next((worker for worker in suited if worker.bots == job.bots), suited[0] if suited else None)
        if worker is not None:
            self._idle.remove(worker)
        return worker

    def _release(self, worker: WorkerHandle, *, died: bool) -> None:
        if died:
            self._start(worker)
        else:
            self._idle.append(worker)
        for idle in [idle for idle in self._idle if self._must_move(idle)]:
            self._idle.remove(idle)
            self._start(idle)

    def _playing_ended(self, task: asyncio.Task[None]) -> None:
        self._playing.discard(task)
        self._changed.set()

    # Matches.

    async def _play_job(
        self, worker: WorkerHandle, job: Job, queue: JobQueue, keep: Keep, goes_on: MayBegin
    ) -> None:  # fmt: skip
        attempt = Attempt(None)
        for number, assignment in enumerate(job.assignments):
            if not goes_on():
                break
            attempt = await self._play_match(worker, job, assignment, new_job=not number)
            if attempt.match is not None:
                del self._deaths[assignment.spec.match_id]
                await keep(attempt.match)
            if attempt.match is None or attempt.died:
                begin = number if attempt.match is None else number + 1
                queue.put_back(Job(job.bots, job.assignments[begin:]))
                break
        self._release(worker, died=attempt.died)

    async def _play_match(self, worker: WorkerHandle, job: Job, assignment: Assignment, *, new_job: bool) -> Attempt:
        """Play a match once; an attempt without a match is to be made again."""
        match_id = assignment.spec.match_id
        match: FinishedMatch | VoidMatch
        self.running += 1
        try:
            match = await worker.play(job.bots, assignment, new_job=new_job)
        except WorkerDied as died:
            self._deaths[match_id] += 1
            too_often = self._deaths[match_id] > (LOSSES if isinstance(died, WorkerLost) else REPLAYS)
            return Attempt(VoidMatch(str(died), 0.0) if too_often else None, died=True)
        except InfraError as error:
            match = VoidMatch(str(error), 0.0)
        finally:
            self.running -= 1
        return Attempt(match if self._is_final(worker, match_id, match) else None)

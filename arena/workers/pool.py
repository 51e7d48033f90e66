"""A pool of workers that plays jobs: who plays what, and what becomes of a match whose worker dies."""

import asyncio
import socket
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count

from arena.errors import ArenaError, InfraError
from arena.monitoring.events import (
    Listener,
    MatchBegun,
    MatchPlayed,
    MatchVoid,
    WorkerDismissed,
    WorkerEnded,
    WorkerFailed,
    WorkerReady,
    ignore,
)
from arena.monitoring.figures import NO_FIGURES
from arena.referee.retries import RETRIES
from arena.workers.base import (
    NULL_SPECTATOR,
    Assignment,
    FinishedMatch,
    Job,
    Keep,
    MayBegin,
    Spectator,
    VoidMatch,
    WorkerCleanupFailed,
    WorkerDied,
    WorkerHandle,
    WorkerLost,
)
from arena.workers.job_queue import JobQueue
from arena.workers.save_behind import SaveBehind


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of a match: the match, or nothing if it is to be played again; and whether its worker died."""

    match: FinishedMatch | VoidMatch | None
    died: bool = False


class WorkerPool:
    """An executor on workers of any kind; a dead worker is started again, and its match played again by any worker."""

    def __init__(
        self,
        workers: Sequence[WorkerHandle],
        *,
        needed: int,
        on_event: Listener = ignore,
        spectator: Spectator = NULL_SPECTATOR,
    ) -> None:
        """Play begins as soon as the `needed` number of workers is ready."""
        self._workers = list(workers)
        self._tables: dict[WorkerHandle, int] = {}
        """Table number of each started worker; reused once the worker is gone."""
        self._on_event = on_event
        self._needed = needed
        self._spectator = spectator
        self._idle: list[WorkerHandle] = []
        self._starting: dict[asyncio.Task[None], WorkerHandle] = {}
        self._ending: set[asyncio.Task[None]] = set()
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
        await self._wait_until_ready()
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        await asyncio.gather(*(worker.close() for worker in self._workers), *self._ending)

    @property
    def tables(self) -> int:
        """A worker plays one match at a time."""
        return max(1, len(self._workers))

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
        except ExceptionGroup as errors:  # in Python 3.11.2 `except*` puts what is raised there into a group again
            if errors.split(ArenaError)[1] is not None:
                raise
            raise errors.exceptions[0] from None

    # Hooks for executors whose workers come and go, or play on more than one machine.

    def _surplus(self) -> int:
        """How many workers more than are wanted there are."""
        return 0

    def _may_grow(self) -> bool:
        """Whether there may be workers later, although there is none now."""
        return False

    def _suits(self, worker: WorkerHandle, job: Job) -> bool:  # noqa: ARG002
        return True

    def _accept_result(self, worker: WorkerHandle, match_id: str, match: FinishedMatch | VoidMatch) -> bool:  # noqa: ARG002
        """Note the result; False if the match is to be played again elsewhere."""
        return True

    def _must_move(self, worker: WorkerHandle) -> bool:  # noqa: ARG002
        """Whether a worker must not play where it is, so that it is to be started somewhere else."""
        return False

    def _node_name(self, worker: WorkerHandle) -> str:  # noqa: ARG002
        """What people call the machine where this worker plays."""
        return socket.gethostname()

    # Workers.

    async def _wait_until_ready(self) -> None:
        """Wait for as many workers as are needed; the failure if they cannot be had."""
        try:
            while len(self._idle) < self._needed and self._starting:
                await asyncio.wait(self._starting, return_when=asyncio.FIRST_COMPLETED)
            if self._failure is not None and len(self._idle) < self._needed:
                raise self._failure
        except BaseException:
            await self.__aexit__()
            raise

    def _start(self, worker: WorkerHandle) -> None:
        task = asyncio.create_task(self._start_worker(worker))
        self._starting[task] = worker

        def ended(task: asyncio.Task[None]) -> None:
            del self._starting[task]
            self._changed.set()

        task.add_done_callback(ended)

    async def _start_worker(self, worker: WorkerHandle) -> None:
        try:
            await worker.close()
            await worker.start()
        except ArenaError as error:
            self._failure = error
            self._on_event(WorkerFailed(self._table(worker), str(error)))
            self._dismiss(worker)
            return
        if self._surplus():
            self._dismiss(worker)
        else:
            self._on_event(WorkerReady(self._table(worker), self._node_name(worker)))
            self._idle.append(worker)

    def _table(self, worker: WorkerHandle) -> int:
        """The number of this worker, the lowest that is free when it is first asked for."""
        if worker not in self._tables:
            taken = set(self._tables.values())
            self._tables[worker] = next(number for number in count() if number not in taken)
        return self._tables[worker]

    def _leave_table(self, worker: WorkerHandle) -> None:
        if worker in self._tables:
            self._on_event(WorkerDismissed(self._tables.pop(worker)))

    def _dismiss(self, worker: WorkerHandle) -> None:
        """End a worker for good; one that is being started, too."""
        self._workers.remove(worker)
        self._leave_table(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        starts = [task for task, other in self._starting.items() if other is worker]
        task = asyncio.create_task(self._end(worker, starts))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _end(self, worker: WorkerHandle, starts: Sequence[asyncio.Task[None]]) -> None:
        for task in starts:
            task.cancel()
        await asyncio.gather(*starts, return_exceptions=True)
        await worker.close()

    async def _wait_for_worker(self) -> bool:
        """Wait for an idle worker; False if a stop came first, and the failure if there is nobody to wait for."""
        while not self._idle and not self._stopping:
            if not self._starting and not self._playing and not self._may_grow():
                raise self._failure or InfraError("there is no worker left")
            await self._change()
        return bool(self._idle)

    async def _change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    def _take(self, job: Job) -> WorkerHandle | None:
        """An idle worker for this job."""
        worker = next((worker for worker in self._idle if self._suits(worker, job)), None)
        if worker is not None:
            self._idle.remove(worker)
        return worker

    def _release(self, worker: WorkerHandle, *, died: bool) -> None:
        if self._surplus():
            self._dismiss(worker)
        elif died:
            self._start(worker)
        else:
            self._idle.append(worker)
        for idle in [idle for idle in self._idle if self._must_move(idle)]:
            self._idle.remove(idle)
            self._leave_table(idle)
            self._start(idle)

    def _playing_ended(self, task: asyncio.Task[None]) -> None:
        self._playing.discard(task)
        self._changed.set()

    # Matches.

    async def _play_job(
        self, worker: WorkerHandle, job: Job, queue: JobQueue, keep: Keep, goes_on: MayBegin
    ) -> None:  # fmt: skip
        attempt = Attempt(None)
        async with SaveBehind(keep) as saver:
            for number, assignment in enumerate(job.assignments):
                if not goes_on():
                    break
                self._spectator.begun(job.bots, assignment)
                try:
                    attempt = await self._play_match(worker, job, assignment, new_leg=job.begins_leg(number))
                    if attempt.match is not None:
                        del self._deaths[assignment.spec.match_id]
                        await saver.add(attempt.match)
                finally:
                    self._spectator.ended(assignment.spec.match_id)
                if attempt.match is None or attempt.died or self._surplus():
                    begin = number if attempt.match is None else number + 1
                    queue.put_back(Job(job.bots, job.assignments[begin:]))
                    break
        self._release(worker, died=attempt.died)

    async def _play_match(self, worker: WorkerHandle, job: Job, assignment: Assignment, *, new_leg: bool) -> Attempt:
        """Play a match once; an attempt without a match is to be made again."""
        match_id, place = assignment.spec.match_id, (self._table(worker), self._node_name(worker))
        match: FinishedMatch | VoidMatch
        bots = tuple(f"{bot.name} {bot.version}" for bot in assignment.spec.contestants)
        self._on_event(MatchBegun(*place, match_id, bots))
        self.running += 1
        try:
            match = await worker.play(job.bots, assignment, new_leg=new_leg)
        except WorkerDied as died:
            self._deaths[match_id] += not isinstance(died, WorkerCleanupFailed)
            self._on_event(WorkerEnded(*place, match_id, str(died)))
            if RETRIES.may_replay(self._deaths[match_id], with_node=isinstance(died, WorkerLost)):
                return Attempt(None, died=True)
            self._on_event(MatchVoid(*place, match_id, str(died), True, NO_FIGURES))
            return Attempt(VoidMatch(str(died), 0.0), died=True)
        except InfraError as error:
            match = VoidMatch(str(error), 0.0)
        finally:
            self.running -= 1
        final = self._accept_result(worker, match_id, match)
        if isinstance(match, FinishedMatch):
            self._on_event(MatchPlayed(*place, bots, match.entry, match.seconds, match.figures))
        else:
            self._on_event(MatchVoid(*place, match_id, match.reason, final, match.figures))
        return Attempt(match if final else None)

"""Matches on this machine, a few at a time."""

import asyncio
import time
from collections.abc import Iterable, Sequence

from arena.errors import ArenaError, InfraError
from arena.executors.base import Assignment, Job, Keep, MayBegin, Played
from arena.executors.warm import MakeBot, Seated, WarmTables
from arena.game import AnyGame
from arena.heartbeat import Heartbeat
from arena.match import Ending, Verdict
from arena.referee import Policy
from arena.table import Table


class LocalExecutor:
    """Plays several tables at once in one event loop; the bots run in processes of their own."""

    def __init__(
        self, game: AnyGame, make_bot: MakeBot, *, concurrency: int, policy: Policy, heartbeat: Heartbeat, fresh: bool
    ) -> None:
        self._game = game
        self._concurrency = concurrency
        self._fresh = fresh
        self._tables = WarmTables(
            make_bot, lambda bots: Table(bots, heartbeat=heartbeat, policy=policy), most=concurrency
        )
        self._workers: list[asyncio.Task[None]] = []
        self._stopping = False
        self.running = 0

    async def __aenter__(self) -> "LocalExecutor":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._tables.close()

    def stop(self) -> None:
        """Let the running matches end and begin no more."""
        self._stopping = True

    def abort(self) -> None:
        """Drop the running matches too."""
        self._stopping = True
        for worker in self._workers:
            worker.cancel()

    async def play(self, jobs: Iterable[Job], keep: Keep, may_begin: MayBegin) -> None:
        """Play all jobs; `keep` gets every match as it ends."""
        waiting = iter(jobs)

        def goes_on() -> bool:
            return not self._stopping and may_begin()

        async def work() -> None:
            while goes_on() and (job := next(waiting, None)) is not None:
                try:
                    await self._play_job(job, keep, goes_on)
                except InfraError:
                    # Ctrl-C reaches the whole process group, also a box that is just being built.
                    if not self._stopping:
                        raise

        try:
            async with asyncio.TaskGroup() as group:
                self._workers = [group.create_task(work()) for _ in range(self._concurrency)]
        except* ArenaError as errors:
            raise errors.exceptions[0] from None

    async def _play_job(self, job: Job, keep: Keep, goes_on: MayBegin) -> None:
        left = list(reversed(job.assignments))
        while left and goes_on():
            async with self._tables.seat(job.bots) as seated:
                # Whoever was at fault may be dead, or still busy with that match: the next one finds all bots anew.
                # So a fault costs one match, and where a tournament is stopped and gone on with changes nothing.
                while left and goes_on() and not seated.spoiled:
                    played = await self._play_match(seated, job, left.pop())
                    seated.spoiled = self._fresh or _needs_restart(played.record.verdicts)
                    await keep(played)

    async def _play_match(self, seated: Seated, job: Job, assignment: Assignment) -> Played:
        started = time.monotonic()
        self.running += 1
        try:
            record = await seated.table.play(self._game, assignment.spec, assignment.seating)
        finally:
            self.running -= 1
        took = time.monotonic() - started
        logs = [await seated.running[place].read_log() for place in assignment.seating]
        return Played(job, assignment, record, tuple(logs), took)


def _needs_restart(verdicts: Sequence[Verdict]) -> bool:
    """Whether a bot was at fault that had started; one that does not start is given up until its next job."""
    return any(verdict.ending not in (Ending.NORMAL, Ending.NO_START) for verdict in verdicts)

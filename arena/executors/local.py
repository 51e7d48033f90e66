"""Matches on this machine, a few at a time."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

from arena.errors import ArenaError
from arena.executors.base import Assignment, Job, Played
from arena.game import AnyGame
from arena.heartbeat import Heartbeat
from arena.host import RunningBot
from arena.referee import Policy
from arena.table import Table

MakeBot = Callable[[int], RunningBot]
"""Makes the bot with this number in the field, not started yet."""


class LocalExecutor:
    """Plays several tables at once in one event loop; the bots run in processes of their own."""

    def __init__(
        self, game: AnyGame, make_bot: MakeBot, *, concurrency: int, policy: Policy, heartbeat: Heartbeat, fresh: bool
    ) -> None:
        self._game = game
        self._make_bot = make_bot
        self._concurrency = concurrency
        self._policy = policy
        self._heartbeat = heartbeat
        self._fresh = fresh
        self._stopping = False

    def stop(self) -> None:
        """Let the running matches end and begin no more."""
        self._stopping = True

    async def play(self, jobs: Sequence[Job]) -> AsyncIterator[Played]:
        """Play all jobs; matches come as they end."""
        waiting = list(reversed(self._split(jobs)))
        # With room for one, no worker runs far ahead of what is already kept.
        done: asyncio.Queue[Played | None] = asyncio.Queue(maxsize=1)

        async def work() -> None:
            while waiting and not self._stopping:
                await self._play_job(waiting.pop(), done)

        async def work_together() -> None:
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(self._concurrency):
                        group.create_task(work())
            except* ArenaError as errors:
                raise errors.exceptions[0] from None
            finally:
                await done.put(None)

        everything = asyncio.create_task(work_together())
        try:
            while (played := await done.get()) is not None:
                yield played
            await everything  # raises what a worker raised
        finally:
            everything.cancel()
            await asyncio.gather(everything, return_exceptions=True)

    def _split(self, jobs: Sequence[Job]) -> Sequence[Job]:
        """With fresh bots for every match, every match is a job of its own."""
        if not self._fresh:
            return jobs
        return [Job(job.bots, (assignment,)) for job in jobs for assignment in job.assignments]

    async def _play_job(self, job: Job, done: "asyncio.Queue[Played | None]") -> None:
        bots = [self._make_bot(number) for number in job.bots]
        async with Table(bots, heartbeat=self._heartbeat, policy=self._policy) as table:
            for assignment in job.assignments:
                if self._stopping:
                    break
                await done.put(await self._play_match(table, job, assignment, bots))

    async def _play_match(self, table: Table, job: Job, assignment: Assignment, bots: Sequence[RunningBot]) -> Played:
        record = await table.play(self._game, assignment.spec, assignment.seating)
        logs = tuple(bots[place].log() for place in assignment.seating)
        return Played(job, assignment, record, logs)

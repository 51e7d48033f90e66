"""The actor that plays matches on a node of a Ray cluster: it starts a worker process there and forwards matches."""

import asyncio
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import ray
from platformdirs import user_cache_path

from arena.errors import ArenaError, InfraError
from arena.sandboxes.sweeping import sweep
from arena.workers.base import Assignment, FinishedMatch, VoidMatch
from arena.workers.messages import Failure, MovesReport, WorkerPlan
from arena.workers.ray.bot_cache import BotCache
from arena.workers.ray.program_digest import program_digest
from arena.workers.reports import LatestMoves
from arena.workers.worker_process import WorkerProcess


@dataclass(frozen=True, slots=True)
class NodeInfo:
    """Where an actor runs."""

    node_id: str
    name: str
    """For people."""
    program: str
    """The digest of what is installed there; empty if the game is not."""


class NodeWorker:
    """Runs in a process of Ray, which therefore does not take the time of any bot: its worker process does."""

    def __init__(self) -> None:
        self._cache: BotCache | None = None
        self._worker: WorkerProcess | None = None
        self._moves = LatestMoves()
        # Ray gives its workers a low priority, and ours would inherit it; only root may undo that.
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, 0)

    async def describe(self, game: str) -> NodeInfo:
        """Say where this is, and by what the game would be played here."""
        node_id, program = ray.get_runtime_context().get_node_id(), ""
        with suppress(ArenaError):
            program = program_digest(game)
        return NodeInfo(node_id, f"{socket.gethostname()}/{node_id[:8]}", program)

    async def lease(self, plan: WorkerPlan) -> tuple[str, ...] | Failure:
        """Hold the bots of a tournament on this node; the digests of those that have to be sent."""
        try:
            self._cache = BotCache(user_cache_path("arena") / "node")
            return await asyncio.to_thread(self._cache.lease, plan.bots)
        except ArenaError as error:
            return Failure.of(error)

    async def begin(
        self, plan: WorkerPlan, archives: Mapping[str, Sequence["ray.ObjectRef[bytes]"]], references: Mapping[str, str]
    ) -> Failure | None:
        """Unpack or pull the bots and start the worker process; what is wrong with this node, if something is."""
        try:
            await sweep()
            local = await asyncio.to_thread(self._localize, plan, archives, references)
            self._worker = WorkerProcess(local, as_grandchild=True, spectator=self._moves)
            await self._worker.start()
        except ArenaError as error:
            return Failure.of(error)
        return None

    async def play(
        self, bots: tuple[int, ...], assignment: Assignment, new_leg: bool
    ) -> FinishedMatch | VoidMatch | Failure:
        """Play a match in the worker process."""
        if self._worker is None:
            return Failure(InfraError, "the worker of this node was never started")
        self._moves.take()  # of a match that nobody asked about
        try:
            return await self._worker.play(bots, assignment, new_leg=new_leg)
        except ArenaError as error:
            return Failure.of(error)

    async def moves(self) -> MovesReport | None:
        """What was played since the last time that this was asked; any answer says that the actor lives."""
        return self._moves.take()

    async def end(self) -> None:
        """End the worker process with its bots, and give the bots back."""
        if self._worker is not None:
            await self._worker.close()
        if self._cache is not None:
            await asyncio.to_thread(self._cache.release)

    def _localize(
        self, plan: WorkerPlan, archives: Mapping[str, Sequence["ray.ObjectRef[bytes]"]], references: Mapping[str, str]
    ) -> WorkerPlan:
        cached = self._cache
        if cached is None:
            return plan
        for bot in plan.bots:
            if bot.contestant.digest in archives:
                cached.add(bot, _fetch(archives[bot.contestant.digest]))
            elif bot.contestant.digest in references:
                cached.pull(bot, references[bot.contestant.digest])
        return replace(plan, bots=tuple(map(cached.localized, plan.bots)))


def _fetch(pieces: Sequence["ray.ObjectRef[bytes]"]) -> Iterator[bytes]:
    """The pieces one by one, so that no more than one is held in memory."""
    return (ray.get(piece) for piece in pieces)

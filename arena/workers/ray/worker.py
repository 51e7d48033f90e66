"""The driver's handle of a worker on some node of a Ray cluster."""

import asyncio
import time
from contextlib import suppress
from typing import Any

import ray

from arena.bots.manifest import Image
from arena.errors import InfraError
from arena.workers.base import (
    NULL_SPECTATOR,
    Assignment,
    FinishedMatch,
    Spectator,
    VoidMatch,
    WorkerLost,
)
from arena.workers.messages import Failure, WorkerPlan
from arena.workers.ray.bot_registry import find_reference
from arena.workers.ray.cluster import RayCluster
from arena.workers.ray.node import NodeInfo
from arena.workers.ray.program_digest import program_digest
from arena.workers.worker_process import END_S

PING_S = 20.0
"""Seconds after which an actor that has not answered is asked whether it is still there."""
SILENCE_S = 60.0
"""Seconds that it has for that answer."""
MOVES_S = 1.0
"""Seconds between two questions for the moves of a match that somebody watches."""
LOOK_S = 3.0
"""Seconds between two looks at the nodes while an actor has none."""
NO_NODE_S = 30.0
"""Seconds without a node that could play, after which a tournament gives up; a node may be on its way back."""
STARTS = 5
"""Actors that may be lost in a row before their first match."""


class RayWorker:
    """An actor on a node that Ray chose, with a worker process; after its end another one, maybe somewhere else."""

    def __init__(self, cluster: RayCluster, plan: WorkerPlan, spectator: Spectator = NULL_SPECTATOR) -> None:
        self.node = ""
        self.info: NodeInfo | None = None
        """Where the actor is, once it has a place."""
        self._cluster = cluster
        self._plan = plan
        self._spectator = spectator
        self._actor: Any = None

    async def start(self) -> None:
        """Wait for a place on a node and start the worker there; a node where that fails is cordoned."""
        lost: WorkerLost | None = None
        for _ in range(STARTS):
            try:
                while not await self._start_somewhere():
                    await self.close()
                return
            except WorkerLost as error:
                lost = error
                self._kill()
        raise InfraError(f"{STARTS} workers in a row were lost before their first match: {lost}")

    async def play(self, bots: tuple[int, ...], assignment: Assignment, *, new_leg: bool) -> FinishedMatch | VoidMatch:
        """Play a match there; WorkerLost if the node is gone, WorkerDied if only the worker process is."""
        answer = await self._ask(self._actor.play.remote(bots, assignment, new_leg), assignment.spec.match_id)
        if isinstance(answer, Failure):
            raise answer.error()
        assert isinstance(answer, FinishedMatch | VoidMatch)  # noqa: S101  (all that an actor answers)
        return answer

    async def close(self) -> None:
        """Let the actor end its worker process in order, and then end it."""
        if self._actor is not None and self.info is not None:  # one that has no place yet would not answer
            with suppress(InfraError, TimeoutError):
                await asyncio.wait_for(self._ask(self._actor.end.remote()), END_S + LOOK_S)
        self._kill()

    def _kill(self) -> None:
        actor, self._actor = self._actor, None
        self.node, self.info = "", None
        if actor is not None:
            with suppress(ray.exceptions.RayError, ConnectionError, ValueError):
                ray.kill(actor)

    async def _start_somewhere(self) -> bool:
        """Whether the actor is ready to play; if not, its node is cordoned."""
        self._actor = self._cluster.start_actor()
        self.info = info = await self._wait_for_place()
        if info.node_id in self._cluster.cordoned:  # since the actor was asked for
            return False
        problem = await self._prepare(info)
        if problem is not None:
            self._cluster.cordon(info, problem)
            return False
        self.node = info.node_id
        return True

    async def _wait_for_place(self) -> NodeInfo:
        asking = asyncio.ensure_future(self._ask(self._actor.describe.remote(self._plan.game), may_wait=True))
        since = time.monotonic()
        try:
            while not (await asyncio.wait({asking}, timeout=LOOK_S))[0]:
                if await asyncio.to_thread(self._cluster.refresh_nodes):
                    since = time.monotonic()
                elif time.monotonic() > since + NO_NODE_S:
                    reasons = "; ".join(dict.fromkeys(self._cluster.cordoned.values()))
                    raise InfraError("no node of the cluster is left to play on" + (f": {reasons}" if reasons else ""))
            info: NodeInfo = asking.result()
            return info
        finally:
            asking.cancel()

    async def _prepare(self, info: NodeInfo) -> str | None:
        """Send the bots that the node lacks and start the worker process; what is wrong there, if something is."""
        if info.program != program_digest(self._plan.game):
            return f"another version of Arena or of {self._plan.game} is installed there than here"
        missing = await self._ask(self._actor.lease.remote(self._plan))
        if isinstance(missing, Failure):
            return missing.sentence
        wanted = {bot.contestant.digest: bot for bot in self._plan.bots if bot.contestant.digest in missing}
        references, archives = {}, {}
        for digest, bot in wanted.items():
            if self._cluster.registry is not None and isinstance(bot.source, Image):
                references[digest] = await asyncio.to_thread(find_reference, digest, self._cluster.registry)
            else:
                archives[digest] = list(await self._cluster.archive(bot))
        failure: Failure | None = await self._ask(self._actor.begin.remote(self._plan, archives, references))
        return None if failure is None else failure.sentence

    async def _ask(self, reference: Any, match_id: str = "", *, may_wait: bool = False) -> Any:
        """The answer of the actor; WorkerLost if it, or its node, is gone or silent.

        Until it comes, the moves of the match are asked for now and then, which also shows that the actor lives.
        """
        future = _future_of(reference)
        pause = MOVES_S if self._spectator.watches(match_id) else PING_S
        while not (await asyncio.wait({future}, timeout=pause))[0]:
            if not may_wait:
                await self._look_at(match_id)
        try:
            return future.result()
        except ray.exceptions.RayTaskError as error:
            raise InfraError(f"a worker on {self._name} failed: {error.cause}") from error
        except (ray.exceptions.RayError, ConnectionError) as error:
            first = next(iter(str(error).splitlines()), type(error).__name__)
            raise WorkerLost(f"a worker on {self._name} is gone: {first}") from error

    async def _look_at(self, match_id: str) -> None:
        """Hand what was played meanwhile to the spectator; WorkerLost if the actor does not answer."""
        asking = _future_of(self._actor.moves.remote())
        if not (await asyncio.wait({asking}, timeout=SILENCE_S))[0]:
            raise WorkerLost(f"a worker on {self._name} has not answered for {SILENCE_S:g} s")
        if asking.exception() is None and (report := asking.result()) is not None:
            self._spectator.played(match_id, report.attempt, report.moves, report.played, report.faults)

    @property
    def _name(self) -> str:
        return self.info.name if self.info else "a node"


def _future_of(reference: Any) -> asyncio.Future[Any]:
    """The answer to a call; never cancelled, because Ray's client cannot bear that, and never complained about."""
    future: asyncio.Future[Any] = asyncio.wrap_future(reference.future())
    future.add_done_callback(lambda done: done.cancelled() or done.exception())
    return future

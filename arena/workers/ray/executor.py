"""Matches on the nodes of a Ray cluster: Ray places the workers, and nodes that keep failing are cordoned."""

import asyncio
import time
from dataclasses import replace

from arena.errors import InfraError
from arena.monitoring.events import Listener, ignore
from arena.referee.retries import RETRIES
from arena.workers.base import NULL_SPECTATOR, FinishedMatch, Job, Spectator, VoidMatch, WorkerHandle
from arena.workers.elastic_pool import ElasticPool
from arena.workers.messages import WorkerPlan
from arena.workers.ray.cluster import RayCluster
from arena.workers.ray.worker import LOOK_S, NO_NODE_S, RayWorker


class RayExecutor(ElasticPool):
    """A pool of workers on many nodes; a match that is void on one of them is played again on another."""

    def __init__(
        self,
        cluster: RayCluster,
        plan: WorkerPlan,
        *,
        on_event: Listener = ignore,
        spectator: Spectator = NULL_SPECTATOR,
    ) -> None:
        super().__init__(on_event=on_event, spectator=spectator)
        self._cluster = cluster
        self._plan = replace(plan, reports=spectator is not NULL_SPECTATOR)
        self._watching: asyncio.Task[None] | None = None
        self._void_on: dict[str, set[str]] = {}
        """For each match that is to be played again, the nodes on which it was void."""
        self._voids_of: dict[str, list[str]] = {}
        """For each node the latest matches, if they were void there, without one that was not."""

    async def __aenter__(self) -> "RayExecutor":
        share = await asyncio.to_thread(self._cluster.share)
        self._watching = asyncio.create_task(self._watch())
        self.resize(share or 0)
        await self._wait_until_ready()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        await super().__aexit__()

    async def _watch(self) -> None:
        """Have as many tables as this driver's part of the cluster, while nodes and other drivers come and go."""
        silent_since: float | None = None
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                await self._follow_share()
                silent_since = None
            except InfraError as error:
                silent_since = silent_since or time.monotonic()
                if time.monotonic() > silent_since + NO_NODE_S and not self._workers:
                    self._failure = error
                    self._changed.set()
                    return

    async def _follow_share(self) -> None:
        tables = await asyncio.to_thread(self._cluster.share)
        if tables is not None:
            self.resize(tables)

    def _make_worker(self) -> RayWorker:
        return RayWorker(self._cluster, self._plan, self._spectator)

    def _may_grow(self) -> bool:
        return not self._wanted and self._watching is not None and not self._watching.done()

    def _suits(self, worker: WorkerHandle, job: Job) -> bool:
        avoided = self._void_on.get(job.assignments[0].spec.match_id, set())
        return worker.node not in avoided or not self._nodes_with_workers() - avoided

    def _must_move(self, worker: WorkerHandle) -> bool:
        return worker.node in self._cluster.cordoned

    def _node_name(self, worker: WorkerHandle) -> str:
        return worker.info.name if isinstance(worker, RayWorker) and worker.info else ""

    def _accept_result(self, worker: WorkerHandle, match_id: str, match: FinishedMatch | VoidMatch) -> bool:
        if isinstance(match, FinishedMatch):
            self._void_on.pop(match_id, None)
            self._voids_of.pop(worker.node, None)
            return True
        void_on = self._void_on.setdefault(match_id, set())
        void_on.add(worker.node)
        self._note_void(worker, match_id, match.reason)
        if len(void_on) < RETRIES.nodes and self._cluster.nodes - self._cluster.cordoned.keys() - void_on:
            return False  # even if no worker is there yet: void again here, it counts against this node
        for node in self._void_on.pop(match_id):
            self._voids_of[node] = [other for other in self._voids_of.get(node, []) if other != match_id]
        return True

    def _note_void(self, worker: WorkerHandle, match_id: str, reason: str) -> None:
        voids = self._voids_of.setdefault(worker.node, [])
        voids.append(match_id)
        if len(voids) >= RETRIES.voids_of_node and isinstance(worker, RayWorker) and worker.info is not None:
            self._cluster.cordon(worker.info, f"{RETRIES.voids_of_node} matches in a row were void there: {reason}")

    def _nodes_with_workers(self) -> set[str]:
        """The nodes where workers are that may play."""
        return {worker.node for worker in self._workers if worker.node} - self._cluster.cordoned.keys()

"""Matches on the nodes of a Ray cluster: Ray places the workers, and nodes that keep failing are set aside."""

from arena.tournaments.executors.base import FinishedMatch, Job, VoidMatch, WorkerHandle
from arena.tournaments.executors.messages import WorkerPlan
from arena.tournaments.executors.pool import WorkerPool
from arena.tournaments.executors.ray_cluster import RayCluster
from arena.tournaments.executors.ray_worker import RayWorker

VOIDS_IN_A_ROW = 3
"""Void matches in a row, or the same one again and again, after which a node is set aside."""
VOID_NODES = 2
"""Nodes on which a match is void before it stays void: then it is not the nodes' doing."""


class RayExecutor(WorkerPool):
    """A pool of workers on many nodes; a match that is void on one of them is played again on another."""

    def __init__(self, cluster: RayCluster, plan: WorkerPlan, *, concurrency: int) -> None:
        super().__init__([RayWorker(cluster, plan) for _ in range(concurrency)], needed=1)
        self._cluster = cluster
        self._void_on: dict[str, set[str]] = {}
        """For each match that is to be played again, the nodes on which it was void."""
        self._voids_of: dict[str, list[str]] = {}
        """For each node the latest matches, if they were void there, without one that was not."""

    def _suits(self, worker: WorkerHandle, job: Job) -> bool:
        avoided = self._void_on.get(job.assignments[0].spec.match_id, set())
        return worker.node not in avoided or not self._nodes_with_workers() - avoided

    def _must_move(self, worker: WorkerHandle) -> bool:
        return worker.node in self._cluster.set_aside

    def _is_final(self, worker: WorkerHandle, match_id: str, match: FinishedMatch | VoidMatch) -> bool:
        if isinstance(match, FinishedMatch):
            self._void_on.pop(match_id, None)
            self._voids_of.pop(worker.node, None)
            return True
        void_on = self._void_on.setdefault(match_id, set())
        void_on.add(worker.node)
        self._note_void(worker, match_id, match.reason)
        if len(void_on) < VOID_NODES and self._cluster.nodes - self._cluster.set_aside.keys() - void_on:
            return False  # even if no worker is there yet: void again here, it counts against this node
        for node in self._void_on.pop(match_id):
            self._voids_of[node] = [other for other in self._voids_of.get(node, []) if other != match_id]
        return True

    def _note_void(self, worker: WorkerHandle, match_id: str, reason: str) -> None:
        voids = self._voids_of.setdefault(worker.node, [])
        voids.append(match_id)
        if len(voids) >= VOIDS_IN_A_ROW and isinstance(worker, RayWorker) and worker.facts is not None:
            self._cluster.reject(worker.facts, f"{VOIDS_IN_A_ROW} matches in a row were void there: {reason}")

    def _nodes_with_workers(self) -> set[str]:
        """The nodes where workers are that may play."""
        return {worker.node for worker in self._workers if worker.node} - self._cluster.set_aside.keys()

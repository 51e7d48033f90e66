"""What becomes of void matches on a cluster, without one: the nodes here do as they are told."""

import asyncio
from dataclasses import replace

import pytest

from arena.errors import InfraError
from arena.match import Contestant, MatchSpec
from arena.store.base import MatchEntry
from arena.workers.base import Assignment, FinishedMatch, Job, VoidMatch
from arena.workers.messages import WorkerPlan

pytest.importorskip("ray", reason="Ray is not installed: make install")

from arena.monitoring.events import WorkerDismissed, ignore
from arena.monitoring.run_state import RunState
from arena.workers.ray.executor import RayExecutor
from arena.workers.ray.node import NodeInfo
from arena.workers.ray.worker import RayWorker

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="matches have to end in time")]

PLAN = WorkerPlan("claim", 1, (), (), seed=0, strikes=0, fresh=False)
SPEC = MatchSpec("", "claim", {}, 1, (Contestant("a"), Contestant("b")), None)


class Nodes:
    """Stands for the cluster: its nodes by name, and on which of them which matches are void."""

    def __init__(self, **void):
        self.void = void
        self.nodes, self.cordoned = frozenset(void), {}
        self.tables = 0

    def share(self):
        return self.tables

    def cordon(self, facts, reason):
        self.cordoned[facts.node_id] = reason


class Told(RayWorker):
    """A worker that Ray would place on the first node of its list that is not cordoned."""

    def __init__(self, cluster, *places):
        super().__init__(cluster, PLAN)
        self._places = places

    async def start(self):
        left = [place for place in self._places if place not in self._cluster.cordoned]
        if not left:
            raise InfraError("no node is left")
        self.node, self.info = left[0], NodeInfo(left[0], left[0], "")

    async def play(self, bots, assignment, *, new_leg):
        await asyncio.sleep(0.001)
        name = assignment.spec.match_id
        if name in self._cluster.void[self.node]:
            return VoidMatch(f"{name} is void", 0.0)
        return FinishedMatch(MatchEntry(1, name, 0, "", 0, "", 0, "", ()), name.encode(), 0.0)

    async def close(self):
        self.node, self.info = "", None


def play(cluster, workers, *names, on_event=ignore):
    """The matches in the order in which they ended; a void one with its reason."""
    kept, cluster.tables = [], len(workers)

    async def keep(match):
        kept.append(match.reason if isinstance(match, VoidMatch) else match.record.decode())

    async def run():
        executor = RayExecutor(cluster, PLAN, on_event=on_event)
        waiting = list(workers)
        executor._make_worker = lambda: waiting.pop(0)
        jobs = [Job((0, 1), (Assignment(0, (0, 1), replace(SPEC, match_id=name)),)) for name in names]
        async with executor:
            await executor.play(jobs, keep, lambda: True)

    asyncio.run(asyncio.wait_for(run(), 20))
    return sorted(kept)


def test_a_match_that_is_void_on_one_node_is_played_on_another():
    cluster = Nodes(good="", bad="b")
    assert play(cluster, [Told(cluster, "bad"), Told(cluster, "good")], *"abcd") == list("abcd")
    assert not cluster.cordoned


def test_a_match_that_is_void_on_two_nodes_stays_void_and_no_node_is_blamed():
    cluster = Nodes(one="bd", two="bd", three="")
    workers = [Told(cluster, "one"), Told(cluster, "two")]
    assert play(cluster, workers, *"abcd") == ["a", "b is void", "c", "d is void"]
    assert not cluster.cordoned


@pytest.mark.parametrize("workers", [1, 2])
def test_a_node_that_keeps_voiding_is_cordoned_and_its_worker_moves(workers):
    cluster, heard = Nodes(bad="abcdefgh", good=""), []
    names = [("bad", "good"), ("good",)]
    told = [Told(cluster, *places) for places in names[:workers]]
    assert play(cluster, told, *"abcdefgh", on_event=heard.append) == list("abcdefgh")
    assert cluster.cordoned.keys() == {"bad"}
    assert sum(isinstance(event, WorkerDismissed) for event in heard) == 1  # nobody is said to play there any more


def test_on_a_single_node_a_void_match_stays_void():
    cluster = Nodes(only="b")
    assert play(cluster, [Told(cluster, "only")], *"abc") == ["a", "b is void", "c"]


def test_when_all_nodes_are_cordoned_the_tournament_stops_with_a_sentence():
    cluster = Nodes(one="abcdefgh", two="abcdefgh")
    cluster.nodes |= {"lost"}
    with pytest.raises(InfraError, match="no node is left"):
        play(cluster, [Told(cluster, "one")], *"abcdefgh")


def test_the_state_of_the_run_knows_every_node_by_its_name():
    cluster, state = Nodes(good="", bad="b"), RunState(host="here", pid=1)
    play(cluster, [Told(cluster, "bad"), Told(cluster, "good")], *"abcd", on_event=state)
    nodes = {node["name"]: node for node in state.status()["nodes"]}
    assert nodes.keys() == {"good", "bad"}
    assert sum(node["played"] for node in nodes.values()) == state.status()["played"] == 4
    assert (nodes["bad"]["void"], nodes["good"]["void"], state.status()["void"]) in {(1, 0, 0), (0, 0, 0)}
    assert state.status()["running"] == []

"""The pool of workers: what becomes of matches whose workers die, are lost, or cannot play them."""

import asyncio
from dataclasses import replace

import pytest

from arena.errors import InfraError
from arena.match import Contestant, MatchSpec
from arena.play.faults import REPLAYS
from arena.tournaments.executors.base import Assignment, Job, VoidMatch, WorkerDied, WorkerLost
from arena.tournaments.executors.local import divide_cores
from arena.tournaments.executors.pool import LOSSES, WorkerPool

SPEC = MatchSpec("", "claim", {}, 1, (Contestant("a"), Contestant("b")), None)


def job(*names):
    return Job((0, 1), tuple(Assignment(n, (0, 1), replace(SPEC, match_id=name)) for n, name in enumerate(names)))


class Scripted:
    """A worker that ends as its script says, match by match; after the script it plays."""

    node = ""

    def __init__(self, *script, starts=True):
        self.bots, self.started, self._script, self._starts = (), 0, list(script), starts

    async def start(self):
        self.started += 1
        if not self._starts:
            raise InfraError("it does not start")

    async def play(self, bots, assignment, *, new_job):
        await asyncio.sleep(0)
        if self._script and (error := self._script.pop(0)):
            raise error
        return VoidMatch(assignment.spec.match_id, 0.0)

    async def close(self):
        pass


def play(jobs, *workers, needed=1):
    kept = []

    async def keep(match):
        kept.append(match.reason)

    async def run():
        async with WorkerPool(workers, needed=needed) as pool:
            await pool.play(jobs, keep, lambda: True)

    asyncio.run(run())
    return kept


def test_a_match_whose_worker_dies_is_played_again_and_nothing_is_lost():
    worker = Scripted(None, WorkerDied("died"))
    assert play([job("a", "b", "c")], worker) == ["a", "b", "c"]
    assert worker.started == 2


def test_the_rest_of_a_job_goes_to_another_worker():
    dying = Scripted(WorkerDied("died"))
    assert sorted(play([job("a", "b"), job("c")], dying, Scripted())) == ["a", "b", "c"]


@pytest.mark.parametrize(("error", "times"), [(WorkerDied("died"), REPLAYS), (WorkerLost("lost"), LOSSES)])
def test_a_match_that_ends_its_workers_again_and_again_is_void(error, times):
    assert play([job("a", "b")], Scripted(*[error] * times)) == ["a", "b"]
    assert play([job("a", "b")], Scripted(*[error] * (times + 1))) == [str(error), "b"]


def test_a_match_that_cannot_be_played_is_void():
    assert play([job("a", "b")], Scripted(InfraError("no sandbox"))) == ["no sandbox", "b"]


def test_a_pool_goes_on_without_a_worker_that_does_not_start():
    assert play([job("a")], Scripted(starts=False), Scripted()) == ["a"]


@pytest.mark.parametrize("needed", [1, 2])
def test_a_pool_without_workers_says_why(needed):
    with pytest.raises(InfraError, match="it does not start"):
        play([job("a")], *[Scripted(starts=False)] * needed, needed=needed)


def test_every_table_has_cores_of_its_own_where_there_are_enough():
    assert divide_cores(range(9), 4) == [(1, 2), (3, 4), (5, 6), (7, 8)]
    assert divide_cores(range(9), 2) == [(1, 2, 3, 4), (5, 6, 7, 8)]
    assert divide_cores(range(9), 5) == [()] * 5

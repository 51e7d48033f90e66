"""The pool of workers: what becomes of matches whose workers die, are lost, or cannot play them."""

import asyncio
from dataclasses import replace

import pytest

from arena.errors import InfraError
from arena.match import Contestant, MatchSpec
from arena.referee.retries import RETRIES
from arena.workers.base import Assignment, Job, VoidMatch, WorkerCleanupFailed, WorkerDied, WorkerLost
from arena.workers.elastic_pool import ElasticPool
from arena.workers.pool import WorkerPool

SPEC = MatchSpec("", "claim", {}, 1, (Contestant("a"), Contestant("b")), None)


def job(*names):
    return Job((0, 1), tuple(Assignment(n, (0, 1), replace(SPEC, match_id=name)) for n, name in enumerate(names)))


class Scripted:
    """A worker that ends as its script says, match by match; after the script it plays."""

    node = ""

    def __init__(self, *script, starts=True):
        self.started, self.legs, self._script, self._starts = 0, [], list(script), starts

    async def start(self):
        self.started += 1
        if not self._starts:
            raise InfraError("it does not start")

    async def play(self, bots, assignment, *, new_leg):
        self.legs += [assignment.spec.match_id] * new_leg
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


def test_every_leg_and_whoever_goes_on_with_a_job_begins_with_new_bots():
    first, second = job("a", "b"), job("c", "d")
    legs = Job((0, 1), (*first.assignments, *(replace(match, leg=1) for match in second.assignments)))
    worker = Scripted()
    assert play([legs, job("e")], worker) == ["a", "b", "c", "d", "e"]
    assert worker.legs == ["a", "c", "e"]
    dying = Scripted(None, WorkerDied("died"))
    assert play([legs], dying) == ["a", "b", "c", "d"]
    assert dying.legs == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("error", "times"), [(WorkerDied("died"), RETRIES.replays), (WorkerLost("lost"), RETRIES.losses)]
)
def test_a_match_that_ends_its_workers_again_and_again_is_void(error, times):
    assert play([job("a", "b")], Scripted(*[error] * times)) == ["a", "b"]
    assert play([job("a", "b")], Scripted(*[error] * (times + 1))) == [str(error), "b"]


def test_what_earlier_bots_left_is_held_against_no_match():
    worker = Scripted(None, *[WorkerCleanupFailed("cannot be cleared away")] * (RETRIES.replays + 3))
    assert play([job("a"), job("b", "c")], worker) == ["a", "b", "c"]
    assert worker.started == 1 + RETRIES.replays + 3


def test_a_match_that_cannot_be_played_is_void():
    assert play([job("a", "b")], Scripted(InfraError("no sandbox"))) == ["no sandbox", "b"]


def test_a_pool_goes_on_without_a_worker_that_does_not_start():
    assert play([job("a")], Scripted(starts=False), Scripted()) == ["a"]


@pytest.mark.parametrize("needed", [1, 2])
def test_a_pool_without_workers_says_why(needed):
    with pytest.raises(InfraError, match="it does not start"):
        play([job("a")], *[Scripted(starts=False)] * needed, needed=needed)


@pytest.mark.real(reason="waits in real time")
def test_the_next_match_is_played_while_one_is_kept():
    events, kept = [], asyncio.Event()

    class Noted(Scripted):
        async def play(self, bots, assignment, *, new_leg):
            events.append(f"play {assignment.spec.match_id}")
            if assignment.spec.match_id == "b":
                kept.set()
            return VoidMatch(assignment.spec.match_id, 0.0)

    async def keep(match):
        await kept.wait()  # until the next one is being played
        await asyncio.sleep(0.05)
        events.append(f"kept {match.reason}")

    async def run():
        async with WorkerPool([Noted()], needed=1) as pool:
            await pool.play([job("a", "b", "c")], keep, lambda: True)
            events.append("all")

    asyncio.run(asyncio.wait_for(run(), 20))
    assert [event for event in events if event.startswith("play")] == ["play a", "play b", "play c"]
    assert events.index("play b") < events.index("kept a") < events.index("play c") < events.index("kept b")
    assert events[-2:] == ["kept c", "all"]


def test_what_cannot_be_kept_ends_the_tournament():
    async def keep(match):
        raise InfraError("the disk is full")

    async def run():
        async with WorkerPool([Scripted()], needed=1) as pool:
            await pool.play([job("a")], keep, lambda: True)

    with pytest.raises(InfraError, match="the disk is full"):
        asyncio.run(run())


class Resized(ElasticPool):
    """A pool that is resized by its test."""

    def __init__(self):
        super().__init__()
        self.made = []

    def _make_worker(self):
        self.made.append(Slow())
        return self.made[-1]

    def _may_grow(self):
        return True


class Slow(Scripted):
    """Needs a moment for a match, and counts how many are played at once."""

    playing, most, closed = 0, 0, 0

    async def play(self, bots, assignment, *, new_leg):
        assert not self.closed
        Slow.playing += 1
        Slow.most = max(Slow.most, Slow.playing)
        await asyncio.sleep(0.01)
        Slow.playing -= 1
        return VoidMatch(assignment.spec.match_id, 0.0)

    async def close(self):
        self.closed += self.started


@pytest.mark.real(reason="waits in real time")
def test_tables_come_and_go_while_matches_are_played():
    names, kept, at_once = [f"{number:03}" for number in range(60)], [], []

    async def run():
        loop, sizes = asyncio.get_running_loop(), {5: 4, 20: 1, 30: 0}
        async with Resized() as pool:

            async def keep(match):
                kept.append(match.reason)
                at_once.append(Slow.most)
                Slow.most = Slow.playing
                if (size := sizes.get(len(kept))) is not None:
                    pool.resize(size)
                    if not size:
                        loop.call_later(0.05, pool.resize, 2)

            loop.call_later(0.01, pool.resize, 2)
            await pool.play([job(*names[:40]), *(job(name) for name in names[40:])], keep, lambda: True)
            return pool.made

    workers = asyncio.run(asyncio.wait_for(run(), 20))
    assert sorted(kept) == names
    assert all(worker.closed for worker in workers)
    assert max(at_once[5:20]) == 4
    assert max(at_once[25:30]) == 1

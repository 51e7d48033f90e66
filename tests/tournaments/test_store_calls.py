"""A database that goes away in the middle of a tournament; tests/workers/ray restarts a real one."""

import asyncio
import threading

import pytest

from arena.errors import InfraError
from arena.store.failures import ConnectionLost
from arena.tournaments import store_calls
from arena.tournaments.store_calls import RetryingStore
from tests.kits.tournaments import World

pytestmark = pytest.mark.real(reason="calls wait for a database in threads, against deadlines")

LOST = ConnectionLost("the store went away")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(store_calls, "FIRST_PAUSE_S", 0.001)


class Unreliable:
    """A function that raises what it is given, call by call, before it returns."""

    def __init__(self, *errors):
        self.errors, self.calls = list(errors), 0

    def __call__(self):
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return self.calls


def test_a_lost_connection_is_waited_out_and_both_ends_of_it_are_said():
    said, calls = [], RetryingStore()
    calls.say = said.append
    assert asyncio.run(calls.run(Unreliable(LOST, LOST))) == 3
    assert [sentence.partition(";")[0] for sentence in said] == [str(LOST), "the store answers again after 0 s"]


def test_no_other_error_is_repeated():
    function = Unreliable(InfraError("the disk is full"))
    with pytest.raises(InfraError, match="the disk is full"):
        asyncio.run(RetryingStore().run(function))
    assert function.calls == 1


def test_a_database_that_stays_away_is_given_up():
    with pytest.raises(InfraError, match="stayed away for 0"):
        asyncio.run(RetryingStore(0.01).run(Unreliable(*[LOST] * 1000)))


def test_who_wants_to_stop_at_once_does_not_wait():
    async def run():
        calls = RetryingStore()
        waiting = asyncio.create_task(calls.run(Unreliable(*[LOST] * 1000)))
        await asyncio.sleep(0.05)
        calls.stop_waiting()
        await waiting

    with pytest.raises(ConnectionLost):
        asyncio.run(run())


def test_a_commit_whose_answer_was_lost_is_not_made_twice(tmp_path, monkeypatch):
    world, calls = World(tmp_path / "db"), []
    add_match = world.store.add_match

    def lose_answers(*arguments):
        calls.append(add_match(*arguments))
        if len(calls) % 2:
            raise LOST
        return calls[-1]

    monkeypatch.setattr(world.store, "add_match", lose_answers)
    tournament, complete, seen = world.run(concurrency=2)
    assert complete
    assert sorted(calls) == [False] * 12 + [True] * 12
    assert len(seen) == tournament.played == len(world.table(tournament)) == 12


async def test_many_calls_wait_for_the_database_at_once():
    together = threading.Barrier(20)
    calls = RetryingStore()
    assert sorted(await asyncio.gather(*(calls.run(together.wait, 30) for _ in range(20)))) == list(range(20))

"""Leases in the store: one holder at a time, and no write by one who was taken for dead."""

import threading
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import select, update

from arena.store.base import CLOSE, EXCLUDE, Change
from arena.store.database import writing
from arena.store.leases import Fence, Holder, LeaseHeld, LeaseLost
from arena.store.schema import leases
from arena.store.sql import Store
from tests.store.test_postgres import at_once
from tests.store.test_store import some_match

pytestmark = pytest.mark.slow

ONE, TWO = Holder("here", 1, "boot", "1"), Holder("there", 2, "boot", "2")


def never(_):
    return False


def always(_):
    return True


def entry_of(store, name):
    """The row of a lease."""
    with store._database.connect() as connection:
        return connection.execute(select(leases).where(leases.c.name == name)).one()


def let_pass(store, name, seconds):
    """Let the last renewal of a lease be so many seconds older."""
    earlier = entry_of(store, name).renewed_at - timedelta(seconds=seconds)
    with store._database.begin() as connection:
        connection.execute(update(leases).where(leases.c.name == name).values(renewed_at=earlier))


def test_a_lease_has_one_holder_and_every_taking_a_new_epoch(store, address):
    fence = store.take_lease("runner", ONE, never)
    assert fence == Fence("runner", 1)
    other = Store(address)
    with pytest.raises(LeaseHeld, match="runner is held by process 1 on here") as held:
        other.take_lease("runner", TWO, never)
    assert (held.value.entry.holder, held.value.entry.epoch) == (ONE, 1)
    assert other.take_lease("tournament 1", TWO, never).epoch == 1  # another one is another matter
    store.release_lease(fence)
    assert other.take_lease("runner", TWO, never).epoch == 2
    store.release_lease(fence)  # late: it is not ours any more
    with pytest.raises(LeaseHeld, match="process 2 on there"):
        store.take_lease("runner", ONE, never)
    other.close()


def test_of_many_that_take_it_at_once_exactly_one_has_it(address):
    stores = [Store(address) for _ in range(6)]
    for epoch in range(1, 4):  # the first time there is no row yet
        taken = at_once(*(partial(store.take_lease, "runner", ONE, never) for store in stores))
        fences = [each for each in taken if isinstance(each, Fence)]
        assert fences == [Fence("runner", epoch)]
        assert [type(each) for each in taken if each not in fences] == [LeaseHeld] * 5
        stores[0].release_lease(fences[0])
    for store in stores:
        store.close()


def test_silence_is_told_by_the_clock_of_the_database(store):
    told = []

    def is_gone(entry):
        told.append(entry.silent_s)
        return entry.silent_s > 100

    fence = store.take_lease("runner", ONE, is_gone)
    let_pass(store, "runner", 99)
    with pytest.raises(LeaseHeld):
        store.take_lease("runner", TWO, is_gone)
    store.renew_lease(fence)
    with pytest.raises(LeaseHeld):
        store.take_lease("runner", TWO, is_gone)
    let_pass(store, "runner", 101)
    assert store.take_lease("runner", TWO, is_gone).epoch == 2
    assert [round(seconds, -1) for seconds in told] == [100, 0, 100]
    assert told[0] < 100 < told[2]


CHANGE = Change(EXCLUDE, 0, ("one", "1", "x"))
WRITES = {
    "a match": lambda store, match: store.add_match(match, b"r", ["no seccomp"]),
    "its end": lambda store, match: store.finish_tournament(match.tournament_id),
    "its close": lambda store, match: store.finish_tournament(match.tournament_id, close=Change(CLOSE, 0)),
    "a change": lambda store, match: store.change_tournament(match.tournament_id, CHANGE),
    "what is shown": lambda store, match: store.show_running(match.tournament_id, [], ["m9"]),
    "the end of that": lambda store, match: store.clear_running(match.tournament_id),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_nothing_is_written_behind_a_fence_that_fell(store, write):
    match = some_match(store)
    mine = store.fenced(store.take_lease("runner", ONE, never))
    assert mine.add_match(replace(match, match_id="m0"), b"r")
    theirs = store.fenced(store.take_lease("runner", TWO, always))
    before = store.tournament(match.tournament_id), store.matches()
    with pytest.raises(
        LeaseLost, match=r"^runner was taken over by process 2 on there, because this process was silent"
    ):
        write(mine, match)
    assert (store.tournament(match.tournament_id), store.matches()) == before
    write(theirs, match)
    assert store.inconsistencies() == []


def test_what_was_given_back_allows_no_writes(store):
    match, fence = some_match(store), store.take_lease("runner", ONE, never)
    store.release_lease(fence)
    for late in (partial(store.renew_lease, fence), partial(store.fenced(fence).add_match, match, b"r")):
        with pytest.raises(LeaseLost, match="taken over by another process"):
            late()
    assert store.matches() == []


@pytest.mark.real(reason="threads wait for locks of PostgreSQL")
def test_a_takeover_waits_for_a_write_that_has_begun_and_a_renewal_does_not(postgres):
    store, other = Store(postgres), Store(postgres)
    fence, taken = store.take_lease("written", ONE, never), []
    taking = threading.Thread(target=lambda: taken.append(other.take_lease("written", TWO, always)))
    with writing(store.fenced(fence)._database):
        store.renew_lease(fence)  # by another connection, while the write has not ended
        taking.start()
        taking.join(0.5)
        assert taken == []
    taking.join(30)
    assert taken == [Fence("written", 2)]
    store.close()
    other.close()

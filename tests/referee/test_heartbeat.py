"""The heartbeat and the loop's selector against the real clock and against scripted ones."""

import asyncio
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.referee import looptime
from arena.referee.heartbeat import STEADY, ThreadHeartbeat
from arena.referee.looptime import LoopSelector, Stalls, covered

pytestmark = pytest.mark.real(reason="measures how long this process stood still")

MOMENTS = st.integers(0, 50)


def test_a_machine_that_stands_still_is_noticed():
    offset = 0.0

    def now():
        return time.monotonic() + offset

    with ThreadHeartbeat(now) as heartbeat:
        since = now()
        time.sleep(0.05)
        offset = 5.0  # the clock jumps as if the thread had not run for five seconds
        assert 4.5 < heartbeat.lag(since, now()) < 15  # at once: the loop may run before the thread does
        time.sleep(0.2)
        assert 4.5 < heartbeat.lag(since, now()) < 15
        assert heartbeat.lag(since, since + 1.0) <= 1.0
        assert heartbeat.lag(now() + 3600, now() + 3601) == 0.0


STOPPED = """
import time
from arena.referee.heartbeat import ThreadHeartbeat
with ThreadHeartbeat() as heartbeat:
    since = time.monotonic()  # before the word upon which it may be stopped at once
    print("ready", flush=True)
    while heartbeat.lag(since, time.monotonic()) < 0.7 and time.monotonic() - since < 30:
        time.sleep(0.001)
    print(heartbeat.lag(since, time.monotonic()))
"""


def test_a_process_knows_how_long_it_was_stopped():
    with subprocess.Popen([sys.executable, "-c", STOPPED], stdout=subprocess.PIPE, text=True) as child:
        child.stdout.readline()
        child.send_signal(signal.SIGSTOP)
        time.sleep(1.0)
        child.send_signal(signal.SIGCONT)
        assert 0.7 < float(child.stdout.readline()) < 20


def test_a_steady_machine_never_lags():
    assert STEADY.lag(0.0, 1e9) == 0.0


@given(st.lists(st.tuples(MOMENTS, MOMENTS).map(sorted).map(tuple), max_size=8), MOMENTS, MOMENTS)
def test_no_second_is_counted_twice(spans, since, until):
    seconds = {second for begin, end in spans for second in range(begin, end) if since <= second < until}
    assert covered(spans, since, until) == len(seconds)


def test_short_spans_are_not_worth_keeping():
    stalls = Stalls()
    stalls.note(1.0, 1.005)
    stalls.note(2.0, 2.5)
    assert stalls.since(0.0) == [(2.0, 2.5)]
    assert stalls.since(2.4) == [(2.0, 2.5)]
    assert stalls.since(2.5) == []


@pytest.fixture
def pair():
    near, far = socket.socketpair()
    with near, far:
        yield near, far


def test_what_came_while_we_were_busy_came_at_the_last_look(pair):
    near, far = pair
    selector = LoopSelector()
    selector.register(near, 1)
    selector.select(0)
    looked = time.monotonic()
    far.send(b"!")
    time.sleep(0.2)  # our own work, which nobody is charged for
    assert selector.select(None)
    assert selector.arrival < looked + 0.1
    assert covered(selector.stalls.since(0.0), looked, time.monotonic()) > 0.15


def test_what_wakes_us_came_just_now(pair):
    near, far = pair
    selector = LoopSelector()
    selector.register(near, 1)
    began = time.monotonic()
    threading.Timer(0.5, far.send, (b"!",)).start()
    assert selector.select(10.0)
    assert selector.arrival > began + 0.45
    assert covered(selector.stalls.since(0.0), began, began + 0.5) < 0.4  # to sleep is no stall


def test_a_sleep_that_takes_too_long_is_a_stall():
    moments = iter([0.0, 1.0, 9.0])
    selector = LoopSelector(lambda: next(moments))
    selector.select(0.001)
    assert selector.stalls.since(0.0) == [(0.0, 1.0), (1.001, 9.0)]


async def test_a_deadline_knows_of_a_stall_before_the_loop_looks_again():
    """Who asks for it may be next after the very work that kept the loop."""
    deadline = looptime.Deadline(0.02)
    time.sleep(0.05)
    assert deadline.left() > 0


def test_a_quick_reply_is_waited_for_without_the_loop(pair):
    near, far = pair
    selector = LoopSelector()
    selector.register(near, selectors.EVENT_READ)
    far.send(b"!")
    assert selector.wait_for(near.fileno())
    near.recv(1)
    assert not selector.wait_for(near.fileno())  # nothing came


def test_what_else_happens_is_left_to_the_loop_with_its_time(pair):
    near, far = pair
    moments = iter(range(100))
    selector = LoopSelector(lambda: next(moments) / 10_000)
    selector.register(near, selectors.EVENT_READ)
    selector.register(far, selectors.EVENT_READ)
    near.send(b"other")
    assert not selector.wait_for(near.fileno())
    arrival = selector.arrival
    assert [key.fileobj for key, _ in selector.select(0)] == [far]
    assert selector.arrival == arrival
    far.send(b"!")
    assert not selector.wait_for(near.fileno())  # both
    selector.unregister(far)
    selector.select(0)
    assert selector.wait_for(near.fileno())
    selector.modify(near, selectors.EVENT_READ | selectors.EVENT_WRITE)
    assert not selector.wait_for(near.fileno())  # the loop has something to write


def test_several_who_wait_need_the_loop(pair):
    near, far = pair
    selector = LoopSelector()
    selector.register(near, selectors.EVENT_READ)
    far.send(b"!")
    selector.callers |= {"one", "another"}
    assert not selector.wait_for(near.fileno())
    selector.callers.discard("one")
    selector.select(0)
    assert selector.wait_for(near.fileno())


def test_the_loop_gets_its_turn(pair):
    near, far = pair
    moments = iter(range(100))
    selector = LoopSelector(lambda: next(moments) / 1_000)
    selector.register(near, selectors.EVENT_READ)
    far.send(b"!")
    waits = [selector.wait_for(near.fileno()) for _ in range(10)]
    assert waits == [True] * 6 + [False] * 4
    selector.select(0)
    assert selector.wait_for(near.fileno())


def test_only_our_own_loop_notes_its_looks():
    async def selector():
        return looptime.current()

    assert looptime.current() is None
    assert asyncio.run(selector()) is None
    assert isinstance(looptime.run(selector()), LoopSelector)

"""Two drivers of one tournament, and two tournaments on one machine."""

import asyncio
import os
import socket
import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from arena.errors import UsageError
from arena.monitoring.events import RunBegun
from arena.store.sql import Store
from arena.tournaments.monitor import Monitor
from arena.tournaments.sole_driver import claim, rival
from arena.workers import local, neighbours
from arena.workers.local import LocalExecutor
from arena.workers.messages import WorkerPlan
from arena.workers.neighbours import Presence
from tests.kits.contestants import arena

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="processes and threads compete for a tournament")]

HERE = {"host": socket.gethostname(), "pid": os.getpid()}
PLAN = WorkerPlan("claim", 1, (), (), 1, strikes=0, fresh=False)


@pytest.fixture
def store(tmp_path):
    opened = Store(tmp_path / "db")
    yield opened
    opened.close()


def ended_process():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@pytest.mark.parametrize(
    ("status", "refused"),
    [
        (HERE, True),
        ({"host": "elsewhere", "pid": 1}, True),
        ({**HERE, "pid": ended_process()}, False),
        ({**HERE, "starting": True}, True),
    ],
    ids=["alive here", "on another machine", "killed here", "starting, and first by its id"],
)
def test_a_second_driver_is_refused_unless_the_first_is_gone(store, status, refused):
    store.report_run("a", 1, status)
    if not refused:
        claim(store, "b", 1, HERE)
        return
    with pytest.raises(UsageError, match=rf"tournament 1 is being played already, by process {status['pid']} on "):
        claim(store, "b", 1, HERE)
    assert [run.id for run in store.runs()] == ["a"]
    claim(store, "c", 2, HERE)  # another tournament is another matter


def test_of_many_that_start_at_once_exactly_one_goes_on(tmp_path):
    went_on, gate = [], threading.Barrier(6)
    Store(tmp_path / "db").close()

    def drive(name):
        store = Store(tmp_path / "db")
        gate.wait()
        try:
            claim(store, name, 1, HERE)
        except UsageError:
            return
        finally:
            store.close()
        went_on.append(name)

    drivers = [threading.Thread(target=drive, args=(name,)) for name in "abcdef"]
    for driver in drivers:
        driver.start()
    for driver in drivers:
        driver.join()
    assert len(went_on) == 1


def test_a_driver_that_was_taken_for_dead_gives_way_when_it_comes_back(store, monkeypatch):
    """Its network was silent for longer than a run may be; both would play all that is left."""
    monkeypatch.setattr("arena.tournaments.monitor.REPORT_S", 0.01)
    monitor, said = Monitor(store), []
    monitor.on_rival = said.append
    monitor.claim(1)
    store.end_run(monitor.id)  # as others do with the dead
    claim(store, "0", 1, {"host": "elsewhere", "pid": 7})

    async def come_back():
        async with monitor.watching(RunBegun(monitor.id, 1, "claim", "local", 1, 0, 12)):
            while not said:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)

    asyncio.run(asyncio.wait_for(come_back(), 10))
    assert said == [
        "process 7 on elsewhere has taken over tournament 1, because this process could not reach the store; "
        "stopping here"
    ]
    assert rival(store, "0", 1) is None


def test_the_command_refuses_what_another_process_plays(tmp_path):
    words = ("tournament", "--game", "claim", "--bots", "random,first", "--rounds", 2, "--seed", 5)
    db = ("--db", tmp_path / "db")
    assert arena(*words, "--budget", "1s", "--clock", "1s/move", *db).exit_code == 0
    store = Store(tmp_path / "db")
    store.begin_tournament("claim", {**store.tournament(1).settings, "rounds": 900})
    store.report_run("other", 2, HERE)
    refused = arena("tournament", "resume", 2, "--budget", "1s", *db)
    assert refused.exit_code == 2
    assert refused.stderr.startswith("Error: tournament 2 is being played already, by process ")
    assert refused.stderr.count("\n") == 1
    assert store.matches(tournament_id=2) == []
    store.end_run("other")
    store.close()
    assert arena("tournament", "resume", 2, "--budget", "1s", *db).exit_code == 0


def test_only_a_tournament_that_is_alone_gives_its_tables_processors_of_their_own(monkeypatch):
    monkeypatch.setattr(neighbours, "NAME", f"arena-test-{os.getpid()}")
    monkeypatch.setattr(local, "divide_cores", lambda *_: [(0,), (1,)])
    first, second = (LocalExecutor(replace(PLAN), concurrency=2) for _ in range(2))
    assert (first.neighbours, second.neighbours) == (0, 1)
    assert [worker._cores for worker in first._workers] == [(0,), (1,)]
    assert [worker._cores for worker in second._workers] == [(), ()]
    first._presence.close()
    third = Presence()
    assert third.others == 1  # the second
    third.close()
    second._presence.close()
    last = Presence()
    assert last.others == 0
    last.close()

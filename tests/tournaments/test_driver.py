"""The driver of a tournament: who is refused and told what, and what happens when it is taken over."""

import asyncio
import os
import socket
from contextlib import nullcontext
from dataclasses import replace

import pytest

from arena.errors import UsageError
from arena.schedules.budget import Budget
from arena.store.base import EXCLUDE, Change
from arena.store.leases import Holder, LeaseLost
from arena.store.sql import Store
from arena.tournaments import lease
from arena.tournaments.driver import lease_to_change, lease_to_play
from arena.tournaments.monitor import Monitor
from arena.tournaments.session import play_tournament
from arena.tournaments.tournament import Tournament
from arena.workers import local, neighbours
from arena.workers.local import LocalExecutor
from arena.workers.messages import WorkerPlan
from arena.workers.neighbours import Presence
from tests.kits.contestants import arena
from tests.kits.tournaments import BASE, World
from tests.store.test_leases import let_pass

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="processes and threads compete for a tournament")]

PLAN = WorkerPlan("claim", 1, (), (), 1, strikes=0, fresh=False)
OTHER = Holder("elsewhere", 7, "", "")


@pytest.fixture
def store(tmp_path):
    opened = Store(tmp_path / "db")
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("take", "words"),
    [
        (
            lease_to_play,
            r"^tournament 1 is being played already, by process 7 on elsewhere since 20\d\d-.* UTC: wait for ",
        ),
        (lease_to_change, "^tournament 1 is being played by process 7 on elsewhere: stop it there with Ctrl-C, "),
    ],
)
def test_who_is_refused_is_told_who_plays_and_since_when(store, take, words):
    store.take_lease("tournament 1", OTHER, lambda _: False)
    with pytest.raises(UsageError, match=words) as refused:
        take(store, 1)
    assert "silent" not in str(refused.value)
    let_pass(store, "tournament 1", 40)
    with pytest.raises(
        UsageError, match=r"; it has been silent for 4. s, and if it died the same command works in .. s$"
    ):
        take(store, 1)
    with take(store, 2):
        pass
    let_pass(store, "tournament 1", 51)
    with take(store, 1):
        pass


def test_the_command_refuses_what_another_process_plays(tmp_path):
    words = ("tournament", "--game", "claim", "--bots", "random,first", "--rounds", 2, "--seed", 5)
    db = ("--db", tmp_path / "db")
    assert arena(*words, "--budget", "1s", "--clock", "1s/move", *db).exit_code == 0
    store = Store(tmp_path / "db")
    store.begin_tournament("claim", {**store.tournament(1).settings, "rounds": 900})
    with lease_to_play(store, 2):
        refused = arena("tournament", "resume", 2, "--budget", "1s", *db)
        assert refused.exit_code == 2
        place = f"process {os.getpid()} on {socket.gethostname()}"
        assert refused.stderr.startswith(f"Error: tournament 2 is being played already, by {place} since ")
        assert refused.stderr.count("\n") == 1
        assert store.matches(tournament_id=2) == []
    store.close()
    assert arena("tournament", "resume", 2, "--budget", "1s", *db).exit_code == 0


@pytest.mark.parametrize(
    "words", [("tournament", "--bots", "random,first", "--rounds", 2), ("test", "random", "first")]
)
def test_neither_a_tournament_nor_a_test_is_begun_that_another_process_has_just_begun(tmp_path, words):
    """Both found none to go on with, and one of them was first."""
    store = Store(tmp_path / "db")
    store.take_lease("tournament 1", OTHER, lambda _: False)
    refused = arena(*words, "--game", "claim", "--sandbox", "process", "--db", tmp_path / "db")
    assert (refused.exit_code, store.matches()) == (2, [])
    assert "Error: tournament 1 is being played already, by process 7 on elsewhere since " in refused.stderr
    store.close()


def test_a_change_between_reading_and_playing_is_noticed(tmp_path):
    world = World(tmp_path / "db")
    tournament, _, _ = world.run(stop_after=3)
    with lease_to_change(world.store, tournament.id) as mine:
        mine.store.change_tournament(tournament.id, Change(EXCLUDE, 3, BASE.bots[0]))
    resumed = Tournament.resume(tournament.id, world.game, world.settings, world.field, world.store)
    with pytest.raises(UsageError, match="tournament 1 was changed in this very moment: give the same command again"):
        resumed.__enter__()
    with lease_to_play(world.store, tournament.id):
        pass  # and it is not kept


class Waiting:
    """An executor whose matches never end by themselves."""

    tables, running, neighbours = 1, 1, 0

    def __init__(self, begun):
        self._begun, self._aborted = begun, asyncio.Event()

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        pass

    def stop(self):
        pytest.fail("its matches could not be kept")

    def abort(self):
        self._aborted.set()

    async def play(self, *_):
        self._begun()
        await asyncio.wait_for(self._aborted.wait(), 30)


class Screen(nullcontext):
    """Shows nothing."""

    def note(self, entry):
        pass

    def say(self, sentence):
        pass


def test_a_driver_that_was_taken_over_drops_its_matches_and_says_so(tmp_path, monkeypatch):
    """Its network was silent for longer than it may be; nothing that it plays can be kept."""
    monkeypatch.setattr(lease, "RENEW_S", 0.01)
    world = World(tmp_path / "db", replace(BASE, rounds=1))

    def take_over():
        world.store.take_lease("tournament 1", OTHER, lambda _: True)

    with (
        Tournament.start(world.game, world.settings, world.field, world.store) as tournament,
        pytest.raises(LeaseLost, match=r"^tournament 1 was taken over by process 7 on elsewhere, because "),
    ):
        play_tournament(
            tournament, Screen(), lambda *_: Waiting(take_over), place="here", concurrency=1, budget=Budget(),
            monitor=Monitor(world.store),
        )  # fmt: skip
    assert world.store.matches() == []
    with pytest.raises(UsageError, match="process 7 on elsewhere"):
        lease_to_play(world.store, 1)


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

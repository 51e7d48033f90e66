"""Drivers that are killed, stopped, woken and held up: one of them drives, and no match is lost or played twice."""

import os
import signal
import sqlite3
import threading
import time
from contextlib import closing, contextmanager, suppress

import pytest
from sqlalchemy import text

from arena.store import database, watchdog
from arena.store.failures import Retryable
from arena.store.leases import LeaseHeld
from arena.store.sql import Store
from arena.tournaments import lease, monitor
from arena.tournaments.lease import Lease
from tests.kits.contestants import arena
from tests.kits.fields import inline_executor, make_bots, tournament_words
from tests.store.old_stores import plain_engine
from tests.store.test_leases import entry_of
from tools.crash import MATCHES, ROUNDS, Child

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="processes are stopped and killed, and locks are waited for")]

SCALE = 1 / 20
"""Of all times in the test of a writer that holds the store up for a minute."""


@pytest.fixture
def words(tmp_path, address):
    """The command of a tournament of twelve matches, whose bots are players inside of its process."""
    (tmp_path / "bots").mkdir()
    make_bots(tmp_path / "bots")
    return tournament_words(tmp_path / "bots", address, rounds=ROUNDS)


@pytest.fixture
def start():
    """Starts drivers in processes of their own, which do not outlive the test."""
    started = []
    yield lambda words: started.append(Child(words)) or started[-1]
    for child in started:
        with suppress(ProcessLookupError):
            os.kill(child.pid, signal.SIGKILL)


def resume(address):
    return arena("tournament", "resume", 1, "--db", address, make_executor=inline_executor)


def names_of(address):
    with closing(Store(address)) as store:
        assert store.inconsistencies() == []
        return [match.match_id for match in store.matches()]


@pytest.fixture
def kept(monkeypatch):
    """What this process keeps: the names of matches, and whether each was new."""
    seen, add_match = [], Store.add_match

    def counting(store, match, *more):
        added = add_match(store, match, *more)
        seen.append((match.match_id, added))
        return added

    monkeypatch.setattr(Store, "add_match", counting)
    return seen


def test_a_killed_driver_is_followed_at_once_and_nothing_is_lost_or_played_twice(words, start, address, kept):
    child = start(words)
    while len(child.kept) < 3:
        assert child.listen(60), child.end()
    os.kill(child.pid, signal.SIGKILL)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # nobody has asked for its end yet, as after `kill -9`
    before = names_of(address)
    done = resume(address)
    assert done.exit_code == 0, done.output
    assert child.end()[0] == -signal.SIGKILL
    assert set(child.kept) <= set(before)
    assert kept == [(name, True) for name, _ in kept]
    assert {name for name, _ in kept}.isdisjoint(before)
    assert len(names_of(address)) == len(before) + len(kept) == MATCHES


def test_a_driver_that_slept_past_its_time_can_write_nothing_when_it_wakes(words, start, address, monkeypatch):
    """It is stopped in the moment before it keeps a match, so that this is the first thing it does when it wakes."""
    monkeypatch.setattr(lease, "TERM_S", 3.0)
    # One that is stopped in the midst of a write to SQLite holds all others up, and nobody can take it over.
    monkeypatch.setattr(lease, "RENEW_S", 600.0)
    monkeypatch.setattr(monitor, "REPORT_S", 600.0)
    add_match, report_run, here, added = Store.add_match, Store.report_run, os.getpid(), []
    alone, reported = threading.Lock(), threading.Event()

    def falling_asleep(store, match, *more):
        with alone:
            if os.getpid() != here and len(added) == 4:
                reported.wait()
                os.kill(os.getpid(), signal.SIGSTOP)
                time.sleep(1)  # another thread may have got the signal, and this one a moment more
            added.append(match.match_id)
            return add_match(store, match, *more)

    def reporting_once(*report):
        report_run(*report)
        reported.set()

    monkeypatch.setattr(Store, "add_match", falling_asleep)
    monkeypatch.setattr(Store, "report_run", reporting_once)
    child = start(words)
    assert os.WIFSTOPPED(os.waitpid(child.pid, os.WUNTRACED)[1])
    refused = resume(address)
    assert refused.exit_code == 2, refused.output
    assert f"tournament 1 is being played already, by process {child.pid} on " in refused.stderr
    assert len(names_of(address)) == 4
    time.sleep(lease.TERM_S)
    done = resume(address)
    assert done.exit_code == 0, done.output
    after = names_of(address)
    os.kill(child.pid, signal.SIGCONT)
    code, output = child.end()
    assert code == 1, output
    (said,) = [line for line in output.splitlines() if line.startswith("Error")]
    assert said.startswith("Error: tournament 1 was taken over by another process, because this process was silent")
    assert "Traceback" not in output
    assert len(child.kept) == 4
    assert names_of(address) == after
    assert len(set(after)) == len(after) == MATCHES
    assert arena("verify", "--db", address).exit_code == 0


@contextmanager
def held_up(address):
    """Nobody can write, or renew the lease, until the end of the block."""
    if "://" not in address:
        with closing(sqlite3.connect(address, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield
        return
    engine = plain_engine(address)
    with engine.begin() as connection:
        connection.execute(text("SELECT * FROM leases WHERE name = 'runner' FOR UPDATE"))
        yield
    engine.dispose()


def test_a_living_holder_outlasts_a_writer_that_holds_the_store_up_for_a_minute(address, monkeypatch):
    """All times of the real thing, divided by the same number."""
    for module, name in ((lease, "RENEW_S"), (lease, "TERM_S"), (watchdog, "ANSWER_S")):
        monkeypatch.setattr(module, name, getattr(module, name) * SCALE)
    monkeypatch.setattr(database, "_PRAGMAS", (f"busy_timeout={int(database.BUSY_MS * SCALE)}", "foreign_keys=ON"))
    store, other, over, tries = Store(address), Store(address), threading.Event(), []

    def try_to_take():
        while not over.is_set():
            try:
                tries.append(other.take_lease("runner", lease.this_process(), lease.is_gone))
            except (LeaseHeld, Retryable) as error:
                tries.append(type(error))

    with Lease.take(store, "runner") as mine:
        taker = threading.Thread(target=try_to_take)
        with held_up(address):
            taker.start()
            time.sleep(lease.HELD_UP_S * SCALE)
        time.sleep(2 * lease.TERM_S)  # in which others could have it, had it not been renewed since
        over.set()
        taker.join()
        mine.check()
        mine.store.begin_tournament("claim", {"rounds": 1})
        assert entry_of(store, "runner").epoch == 1
    assert LeaseHeld in tries
    assert set(tries) <= {LeaseHeld, *Retryable.__subclasses__()}
    store.close()
    other.close()


def test_the_times_of_a_lease_leave_room_for_a_minute_without_a_write():
    assert lease.HELD_UP_S >= 60
    # The last renewal was so long before, and the next try may be so long after.
    assert lease.RENEW_S + lease.HELD_UP_S + lease.RENEW_S + 10 <= lease.TERM_S

"""Readers and writers of one store at the same time: nobody holds a running tournament up, or changes it under it."""

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import replace

import pytest
from sqlalchemy import text

from arena.errors import InfraError
from arena.registry import find
from arena.store import database
from arena.store.scope import Scope
from arena.store.sql import Store
from arena.tournaments import archive
from arena.tournaments.store_calls import RetryingStore
from arena.tournaments.verify import check_tournament, stored_tournament
from tests.kits.contestants import arena
from tests.kits.fields import play_tournament
from tests.kits.needs import need
from tests.kits.tournaments import World
from tests.store import old_stores
from tests.store.test_store import some_match

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="processes and threads write at the same time")]

RECORD = os.urandom(20_000)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "arena.db"


@pytest.mark.parametrize("read", [Store.kept, lambda store, number: store.results(Scope(tournament_id=number))])
def test_a_reader_that_takes_its_time_does_not_let_the_log_grow(path, read):
    store = Store(path)
    first = some_match(store)
    for number in range(20):
        store.add_match(replace(first, match_id=f"a{number:04}", ordinal=number), RECORD)
    reading = read(Store(path, read_only=True), first.tournament_id)
    next(reading)
    for number in range(20, 520):
        store.add_match(replace(first, match_id=f"a{number:04}", ordinal=number), RECORD)
    assert os.path.getsize(f"{path}-wal") < 8 << 20
    assert len(list(reading)) >= 19
    store.close()


def test_what_is_read_page_by_page_is_all_and_in_order(store, monkeypatch):
    monkeypatch.setattr("arena.store.sql._PAGE", 3)
    monkeypatch.setattr("arena.store.sql._HEAVY_PAGE", 3)
    first = some_match(store)
    names = [f"{(7 * number) % 10:03}" for number in range(10)]
    for number, name in enumerate(names):
        store.add_match(replace(first, match_id=name, ordinal=(10 - number) // 2), b"r")
    whole = store.matches(tournament_id=first.tournament_id)
    assert [kept.entry for kept in store.kept(first.tournament_id)] == whole
    for scope in (Scope(tournament_id=first.tournament_id), Scope("claim")):
        assert [result.ordinal for result in store.results(scope)] == [match.ordinal for match in whole]
    latest = store.latest_number()
    store.add_match(replace(first, match_id="later", ordinal=2), b"r")
    assert [kept.entry for kept in store.kept(first.tournament_id, up_to=latest)] == whole


def test_what_is_being_played_is_verified_as_it_was_when_that_began(path):
    """Between two pages a round ends and the next one begins; no match was played before its round for that."""
    world = World(path)
    world.run(stop_after=5)
    store = world.store
    kept = stored_tournament(store, store.tournaments()[0])
    world.run()
    assert [str(finding) for finding in check_tournament(kept, find)] == []
    assert len(list(kept.matches())) == 5


def test_an_import_from_a_slow_disk_lets_a_tournament_write(tmp_path, monkeypatch):
    monkeypatch.setattr(database, "_PRAGMAS", ("busy_timeout=400", "synchronous=FULL", "foreign_keys=ON"))
    monkeypatch.setattr(archive, "BATCH", 2)
    played = Store(play_tournament(tmp_path, rounds=1))
    (entry,) = played.tournaments()
    whole = stored_tournament(played, entry)

    def slowly():
        for match in whole.matches():
            time.sleep(0.2)
            yield match

    there = Store(tmp_path / "there.db")
    for name in ("left", "right"):
        there.add_bot(name=name, version="1", owner="", digest=name, origin="/x", games=["claim"])
    match = some_match(there)
    importing = threading.Thread(target=archive.add, args=(there, replace(whole, matches=slowly)))
    importing.start()
    driver, count = Store(tmp_path / "there.db"), 0
    while importing.is_alive():
        assert driver.add_match(replace(match, match_id=f"m{count}", ordinal=count), b"")
        count += 1
        time.sleep(0.02)
    assert count > 5
    assert len(driver.matches()) == count + 6
    assert driver.inconsistencies() == []


def test_a_tournament_waits_for_a_program_that_holds_the_store(path, monkeypatch):
    monkeypatch.setattr(database, "_PRAGMAS", ("busy_timeout=50",))
    store = Store(path)
    match = some_match(store)
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        threading.Timer(0.5, lambda: holder.execute("COMMIT")).start()
        assert asyncio.run(RetryingStore().run(store.add_match, match, b"")) is True
    store.close()


def test_a_tournament_that_ends_while_its_verification_begins_is_true(path, monkeypatch):
    world = World(path)
    _, complete, _ = world.run(stop_after=7)
    assert not complete
    latest_number = world.store.latest_number

    def play_on_after_it():
        number = latest_number()
        monkeypatch.undo()
        world.run()
        return number

    monkeypatch.setattr(world.store, "latest_number", play_on_after_it)
    kept = stored_tournament(world.store, world.store.tournament(1))
    assert list(check_tournament(kept, find)) == []
    world.store.close()


def test_a_store_is_not_brought_up_to_date_under_a_running_tournament(address):
    engine = old_stores.make(address)
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO runs (id, tournament_id, status) VALUES ('r', 1, '{}')"))
    for words in (["bots", "list"], ["bots", "retire", "somebody"], ["verify"], ["tournament", "list"]):
        refused = arena(*words, "--db", address)
        assert (refused.exit_code, refused.stdout, refused.stderr.count("\n")) == (1, "", 1), refused.output
        assert "cannot be brought up to date while a tournament is played with it: stop that, or wait" in refused.stderr
    with pytest.raises(InfraError, match="while a tournament is played"):
        Store(address)
    with engine.begin() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == old_stores.OLDEST
        connection.execute(text("UPDATE runs SET reported_at = '2020-01-01 00:00:00'"))
    engine.dispose()
    assert arena("bots", "list", "--db", address).exit_code == 0
    with closing(Store(address, read_only=True)) as store:
        assert store.all_bots() == []


def test_who_waited_for_another_to_make_the_store_finds_it_in_play(path):
    """It saw no tables yet; when its turn comes they are there, and a tournament is played with them."""
    store = Store(path)
    store.report_run("r", store.begin_tournament("claim", {"bots": []}).id, {})
    database._migrate(path, str(path), database.RESULTS)
    store.close()


READING = [
    ["bots", "list"], ["bots", "show", "two"], ["ratings", "--game", "claim"], ["crosstable", "--game", "claim"],
    ["history", "two"], ["tournament", "list"], ["tournament", "show-config", "1"], ["status"], ["verify"],
]  # fmt: skip


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_a_command_that_reads_writes_nothing(played, words, monkeypatch):
    """Every statement that would change something fails in the session that it opens."""
    opened = []
    monkeypatch.setattr(
        "arena.cli.store.Store",
        lambda where, read_only=False, **more: opened.append(read_only) or Store(where, read_only=read_only, **more),
    )
    done = arena(*words, "--db", played)
    assert done.exit_code == 0, done.output
    assert opened == [True]


def test_a_store_on_a_disk_that_cannot_be_written_is_read(played, tmp_path):
    need(None if os.geteuid() == 0 else "mounting needs root")
    Store(played).close()
    folder = played.parent
    mount = f"mount --bind {folder} {folder} && mount -o remount,bind,ro {folder}"
    commands = [f"{sys.executable} -m arena {words} --db {played}" for words in ("verify", f"export 1 -o {tmp_path}/x")]
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-ec", f"{mount}; {'; '.join(commands)}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "ok: " in done.stdout
    assert "6 matches" in done.stdout

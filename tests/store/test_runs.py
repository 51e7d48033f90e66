"""Runs in the store: who plays at present, who died, and matches found by the beginning of their names."""

from datetime import timedelta

import pytest
from sqlalchemy import event, update

from arena.store.base import SILENT_S
from arena.store.runs import FORGOTTEN
from arena.store.schema import runs
from arena.store.sql import Store
from tests.store.test_store import some_match

pytestmark = pytest.mark.slow


def let_pass(store, run_id, seconds):
    """Let the last report of a run be so many seconds older."""
    with store._database.begin() as connection:
        entry = next(entry for entry in store.runs() if entry.id == run_id)
        earlier = entry.reported - timedelta(seconds=seconds)
        connection.execute(update(runs).where(runs.c.id == run_id).values(reported_at=earlier))


def test_a_run_is_seen_by_others_until_it_ends(store, address):
    store.report_run("a", 1, {"played": 3, "running": [{"match_id": "m", "bots": ["näme"]}]})
    other = Store(address, read_only=True)
    (entry,) = other.runs()
    assert (entry.id, entry.tournament_id, entry.alive) == ("a", 1, True)
    assert entry.status["running"][0]["bots"] == ["näme"]
    assert entry.started.tzinfo is not None
    store.report_run("a", 1, {"played": 4})
    store.report_run("b", 2, {"played": 0})
    assert [(entry.id, entry.status["played"]) for entry in other.runs()] == [("a", 4), ("b", 0)]
    assert [entry.id for entry in other.runs(2)] == ["b"]
    store.end_run("a")
    assert [entry.id for entry in other.runs()] == ["b"]
    other.close()


def test_a_run_that_died_is_named_until_its_tournament_goes_on_or_a_day_has_passed(store):
    for run_id, tournament, age in (
        ("a", 1, SILENT_S + 1),
        ("b", 2, SILENT_S + 1),
        ("c", 3, FORGOTTEN.total_seconds()),
    ):
        store.report_run(run_id, tournament, {})
        let_pass(store, run_id, age + 1)
    assert {entry.id: entry.alive for entry in store.runs()} == {"a": False, "b": False, "c": False}
    store.report_run("d", 1, {})
    assert {entry.id: entry.alive for entry in store.runs()} == {"b": False, "d": True}
    store.report_run("b", 2, {})  # it was only slow
    assert {entry.id: entry.alive for entry in store.runs()} == {"b": True, "d": True}


def test_a_run_that_died_a_moment_before_the_next_one_began_is_forgotten_later(store):
    store.report_run("killed", 1, {})
    store.report_run("next", 1, {})
    assert [entry.id for entry in store.runs()] == ["killed", "next"]
    let_pass(store, "killed", SILENT_S + 1)
    store.report_run("next", 1, {})
    assert [entry.id for entry in store.runs()] == ["next"]


def test_who_took_a_tournament_over_is_listed_beside_who_had_it(store):
    store.report_run("a", 1, {})
    store.report_run("b", 1, {})
    assert [entry.id for entry in store.runs(1)] == ["a", "b"]


def test_matches_are_found_by_the_beginning_of_their_names_and_by_nothing_else(store):
    names = ["a%1", "a_1", "ab1", "AB1", "b", "ä1", "a\U0010ffff"]
    for ordinal, name in enumerate(names):
        store.add_match(some_match(store, name, ordinal), b"")
    for beginning in ("a", "a%", "a_", "ab", "A", "ä", "c", "%", "_", "a\U0010ffff"):
        assert {name for _, name in store.match_keys(beginning)} == {n for n in names if n.startswith(beginning)}


MANY = (
    'INSERT INTO matches (tournament_id, match_id, game, ordinal, "group", seed, reason, moves, seal) '
    "SELECT 1, md5(n::text), 'claim', n, '', 0, '', 0, '' FROM generate_series(1, 5000) n; ANALYZE matches"
)


def test_the_index_on_names_finds_them(store):
    asked, postgres = [], store._database.dialect.name == "postgresql"

    def catch(connection, cursor, statement, values, *_):
        asked.append((statement, values))

    store.begin_tournament("claim", {})
    event.listen(store._database, "before_cursor_execute", catch)
    store.match_keys("c81e")
    statement, values = asked[-1]
    with store._database.begin() as connection:
        if postgres:
            connection.exec_driver_sql(MANY)
        words = "EXPLAIN" if postgres else "EXPLAIN QUERY PLAN"
        plan = [str(row) for row in connection.exec_driver_sql(f"{words} {statement}", values)]
    assert any("ix_matches_match_id" in row for row in plan), plan

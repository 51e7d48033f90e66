"""Running matches: written by a tournament, seen by a reader in another process, on both databases."""

import pytest

from arena.store.base import SILENT_S, RunningMatch
from arena.store.sql import Store
from tests.store.test_runs import let_pass

pytestmark = pytest.mark.slow


def seen(store):
    return sorted((match.tournament_id, match.match_id, match.moves) for match in store.running_matches())


def test_a_reader_sees_what_is_played(address, store):
    reader = Store(address, read_only=True)
    store.report_run("one", 1, {})
    store.report_run("two", 2, {})
    assert reader.running_matches() == []
    store.show_running(1, [RunningMatch(1, "a", 1, 0, b"begun"), RunningMatch(1, "b", 1, 3, b"more")], ())
    store.show_running(2, [RunningMatch(2, "a", 1, 5, b"other")], ())
    assert seen(reader) == [(1, "a", 0), (1, "b", 3), (2, "a", 5)]
    store.show_running(1, [RunningMatch(1, "a", 1, 2, b"begun, more")], ["b"])
    assert seen(reader) == [(1, "a", 2), (2, "a", 5)]
    assert {match.record for match in reader.running_matches()} == {b"begun, more", b"other"}
    store.clear_running(1)
    store.clear_running(2)
    assert reader.running_matches() == []
    reader.close()


@pytest.mark.parametrize("name", ["cup#2.db", "cup?mode=memory.db", "100%23.db", "an open cup.db"])
def test_any_name_of_a_file_is_that_of_its_own_store(tmp_path, name):
    """In an address such characters mean something else, and two cups would share the file beside them."""
    path = tmp_path / name
    store = Store(path)
    store.report_run("one", 1, {})
    store.show_running(1, [RunningMatch(1, "a", 1, 0, b"begun")], ())
    reader = Store(path, read_only=True)
    assert seen(reader) == seen(store) == [(1, "a", 0)]
    reader.close()
    store.close()
    assert {found.name.removesuffix("-wal").removesuffix("-shm") for found in tmp_path.iterdir()} == {
        name,
        f"{name}.live",
    }


def test_what_a_killed_process_played_is_not_seen_any_more(store):
    for number in (1, 2):
        store.report_run(f"run {number}", number, {})
        store.show_running(number, [RunningMatch(number, "a", 1, 0, b"begun")], ())
    let_pass(store, "run 1", SILENT_S + 1)
    assert seen(store) == [(2, "a", 0)]
    store.end_run("run 2")
    assert seen(store) == []
    store.report_run("run 1", 1, {})  # it was only slow
    assert seen(store) == [(1, "a", 0)]


def test_they_are_no_part_of_what_is_kept(store):
    before = store.data_version()
    store.show_running(1, [RunningMatch(1, "a", 1, 0, b"x")], ())
    assert store.data_version() == before
    assert store.inconsistencies() == []

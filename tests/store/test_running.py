"""Running matches: written by a tournament, seen by a reader in another process, on both databases."""

from arena.store.base import RunningMatch
from arena.store.sql import SqlStore


def seen(store):
    return sorted((match.tournament_id, match.match_id, match.moves, match.beat) for match in store.running_matches())


def test_a_reader_sees_what_is_played_and_that_somebody_plays(address, store):
    reader = SqlStore(address, read_only=True)
    assert reader.running_matches() == []
    store.show_running(1, [RunningMatch(1, "a", 1, 0, b"begun", 1), RunningMatch(1, "b", 1, 3, b"more", 1)], (), 1)
    store.show_running(2, [RunningMatch(2, "a", 1, 5, b"other", 1)], (), 1)
    assert seen(reader) == [(1, "a", 0, 1), (1, "b", 3, 1), (2, "a", 5, 1)]
    store.show_running(1, [RunningMatch(1, "a", 1, 2, b"begun, more", 2)], ["b"], 2)
    assert seen(reader) == [(1, "a", 2, 2), (2, "a", 5, 1)]
    assert {match.record for match in reader.running_matches()} == {b"begun, more", b"other"}
    store.show_running(2, (), (), 9)
    assert seen(reader) == [(1, "a", 2, 2), (2, "a", 5, 9)]
    store.clear_running(1)
    store.clear_running(2)
    assert reader.running_matches() == []
    reader.close()


def test_they_are_no_part_of_what_is_kept(store):
    before = store.data_version()
    store.show_running(1, [RunningMatch(1, "a", 1, 0, b"x", 1)], (), 1)
    assert store.data_version() == before
    assert store.inconsistencies() == []

"""Who takes part in a tournament: the bots of the store, sample bots by name, and what an empty field says."""

import pytest

from arena.bots import manifest
from arena.errors import UsageError
from arena.store.sql import SqlStore
from arena.tournaments.field import choose_field
from tests.kits.contestants import choosing, write_bot


@pytest.fixture
def store(tmp_path):
    opened = SqlStore(tmp_path / "arena.db")
    yield opened
    opened.close()


def names(field):
    return [bot.name for bot in field]


def add(store, folder, owner):
    path = write_bot(folder, choosing("return turn.legal[0]"))
    digest = manifest.folder_digest(path)
    return store.add_bot(name=folder.name, version="1", owner=owner, digest=digest, origin=str(path), games=["claim"])


def test_a_new_store_plays_the_sample_bots(store):
    assert names(choose_field(store, "claim", [])) == ["greedy", "policy", "random", "search"]
    assert names(choose_field(store, "rrr", [])) == ["greedy", "random", "search"]


def test_a_lonely_bot_meets_the_sample_bots(store, tmp_path):
    add(store, tmp_path / "alone", "alice")
    assert set(names(choose_field(store, "claim", []))) == {"alone", "greedy", "policy", "random", "search"}


def test_two_bots_play_without_the_sample_bots(store, tmp_path):
    for name in ("one", "two"):
        add(store, tmp_path / name, "alice")
    assert names(choose_field(store, "claim", [])) == ["one", "two"]


def test_a_table_of_more_seats_than_bots_is_filled_up(store, tmp_path):
    for name in ("one", "two"):
        add(store, tmp_path / name, "alice")
    assert names(choose_field(store, "claim", [], seats=2)) == ["one", "two"]
    assert {"one", "two", "greedy"} < set(names(choose_field(store, "claim", [], seats=3)))


def test_an_empty_field_says_what_to_do(store, tmp_path, monkeypatch):
    monkeypatch.setattr(manifest, "SAMPLES", tmp_path / "nothing")
    with pytest.raises(UsageError, match=r"no bot plays claim here: make one with `arena bot new my_bot --game claim`"):
        choose_field(store, "claim", [])
    add(store, tmp_path / "alone", "alice")
    with pytest.raises(UsageError, match=r"only alone 1 plays claim here: .*`arena submit my_bot --owner YOU`"):
        choose_field(store, "claim", [])


def test_a_sample_bot_takes_part_by_its_name(store, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = choose_field(store, "claim", ["greedy", "search"])
    assert names(first) == ["greedy", "search"]
    assert choose_field(store, "claim", ["greedy", "search"]) == first
    with pytest.raises(UsageError, match="there is no bot 'nobody'"):
        choose_field(store, "claim", ["nobody"])


def test_a_contestant_may_have_the_name_of_a_sample_bot(store, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    theirs = add(store, tmp_path / "elsewhere/greedy", "alice")
    assert choose_field(store, "claim", ["greedy"]) == [theirs]

"""Who takes part in a tournament: the bots of the store, sample bots by name, and what an empty field says."""

import pytest

from arena.bots import manifest
from arena.bots.files import folder_digest
from arena.errors import UsageError
from arena.store.sql import Store
from arena.tournaments.field import choose_field
from tests.kits.contestants import choosing, write_bot


@pytest.fixture
def store(tmp_path):
    opened = Store(tmp_path / "arena.db")
    yield opened
    opened.close()


def names(field):
    return [bot.name for bot in field]


def add(store, folder, owner):
    path = write_bot(folder, choosing("return turn.legal[0]"))
    digest = folder_digest(path)
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


@pytest.mark.parametrize("name", ["greedy", "random", "first"])
def test_a_name_of_ours_that_a_contestant_had_before_it_was_reserved_is_refused_as_ambiguous(
    store, tmp_path, monkeypatch, name
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    theirs = add(store, tmp_path / "elsewhere" / name, "alice")
    for trying in (False, True):
        with pytest.raises(UsageError, match=f"alice has registered a bot under that name: write {name}@1 for that"):
            choose_field(store, "claim", [name], trying=trying)
    assert choose_field(store, "claim", [f"{name}@1"]) == [theirs]
    assert [bot for bot in choose_field(store, "claim", []) if bot.name == name] == [theirs]
    store.retire_bot(name, "1")
    (ours,) = choose_field(store, "claim", [name])
    assert ours.owner in ("arena", "built-in")


@pytest.mark.parametrize("name", ["greedy", "random", "first"])
def test_a_folder_with_the_name_of_one_of_ours_is_refused_as_ambiguous(store, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).mkdir()
    assert choose_field(store, "claim", [name])[0].owner in ("arena", "built-in")  # it is no bot
    (tmp_path / name).rmdir()
    theirs = write_bot(tmp_path / name, choosing("return turn.legal[0]"))
    for trying in (False, True):
        with pytest.raises(UsageError, match=rf"{name} is a folder here and one of Arena's own bots: write \./{name}"):
            choose_field(store, "claim", [name], trying=trying)
    assert choose_field(store, "claim", [f"./{name}"])[0].origin == str(theirs)


def test_a_built_in_bot_is_never_a_contestants(store, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    add(store, tmp_path / "elsewhere/built-in-first", "alice")
    with pytest.raises(UsageError, match="write built-in-first@1 for that one"):
        choose_field(store, "claim", ["first"])


def test_a_folder_that_is_tried_out_takes_no_place_of_a_built_in_bot(store, tmp_path):
    folder = write_bot(tmp_path / "mine", choosing("return turn.legal[0]"))
    toml = folder / "bot.toml"
    toml.write_text(toml.read_text().replace('name = "mine"', 'name = "built-in-first"'))
    assert "built-in-first" in toml.read_text()
    with pytest.raises(UsageError, match="the name built-in-first means one of Arena's own bots"):
        choose_field(store, "claim", [str(folder)])
    assert choose_field(store, "claim", ["first"])[0].owner == "built-in"


def test_a_built_in_bot_of_another_release_is_not_played(store):
    store.add_bot(
        name="built-in-first", version="7", owner="built-in", digest="", origin="", games=["claim"], tried=True
    )
    assert choose_field(store, "claim", ["first"])[0].version == "1"

"""Who takes part in a tournament: the bots of the store, sample bots by name, and what an empty field says."""

from dataclasses import replace

import pytest

from arena.bots import manifest
from arena.bots.builtin import BUILTIN
from arena.bots.files import folder_digest
from arena.bots.launch import SandboxOptions
from arena.bots.manifest import Builtin
from arena.errors import UsageError
from arena.sandboxes.base import Limits
from arena.tournaments.field import choose_field, is_sample, plan_entry, present
from tests.kits.contestants import choosing, write_bot


def choose(store, game, names, **more):
    """The field, of which nothing has to be said."""
    return choose_field(store, game, names, pytest.fail, **more)


def names(field):
    return [bot.name for bot in field]


def add(store, folder, owner):
    path = write_bot(folder, choosing("return turn.legal[0]"))
    digest = folder_digest(path)
    return store.add_bot(name=folder.name, version="1", owner=owner, digest=digest, origin=str(path), games=["claim"])


def test_a_new_store_plays_the_sample_bots(store):
    assert names(choose(store, "claim", [])) == ["greedy", "policy", "random", "search"]
    assert names(choose(store, "rrr", [])) == ["greedy", "random", "search"]


def test_a_lonely_bot_meets_the_sample_bots(store, tmp_path):
    add(store, tmp_path / "alone", "alice")
    assert set(names(choose(store, "claim", []))) == {"alone", "greedy", "policy", "random", "search"}


def test_two_bots_play_without_the_sample_bots(store, tmp_path):
    for name in ("one", "two"):
        add(store, tmp_path / name, "alice")
    assert names(choose(store, "claim", [])) == ["one", "two"]


def test_a_table_of_more_seats_than_bots_is_filled_up(store, tmp_path):
    for name in ("one", "two"):
        add(store, tmp_path / name, "alice")
    assert names(choose(store, "claim", [], seats=2)) == ["one", "two"]
    assert {"one", "two", "greedy"} < set(names(choose(store, "claim", [], seats=3)))


def test_an_empty_field_says_what_to_do(store, tmp_path, monkeypatch):
    monkeypatch.setattr(manifest, "SAMPLES", tmp_path / "nothing")
    with pytest.raises(UsageError, match=r"no bot plays claim here: make one with `arena bot new my_bot --game claim`"):
        choose(store, "claim", [])
    add(store, tmp_path / "alone", "alice")
    with pytest.raises(UsageError, match=r"only alone 1 plays claim here: .*`arena submit my_bot --owner YOU`"):
        choose(store, "claim", [])


def test_a_sample_bot_takes_part_by_its_name(store, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = choose(store, "claim", ["greedy", "search"])
    assert names(first) == ["greedy", "search"]
    assert choose(store, "claim", ["greedy", "search"]) == first
    with pytest.raises(UsageError, match="there is no bot 'nobody'"):
        choose(store, "claim", ["nobody"])


@pytest.mark.parametrize("name", ["greedy", "random", "first"])
def test_a_name_of_ours_that_a_contestant_had_before_it_was_reserved_is_refused_as_ambiguous(
    store, tmp_path, monkeypatch, name
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    theirs = add(store, tmp_path / "elsewhere" / name, "alice")
    for trying in (False, True):
        with pytest.raises(UsageError, match=f"alice has registered a bot under that name: write {name}@1 for that"):
            choose(store, "claim", [name], trying=trying)
    assert choose(store, "claim", [f"{name}@1"]) == [theirs]
    assert [bot for bot in choose(store, "claim", []) if bot.name == name] == [theirs]
    store.retire_bot(name, "1")
    (ours,) = choose(store, "claim", [name])
    assert ours.owner == "arena"


@pytest.mark.parametrize("name", ["greedy", "random", "first"])
def test_a_folder_with_the_name_of_one_of_ours_is_refused_as_ambiguous(store, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).mkdir()
    assert choose(store, "claim", [name])[0].owner == "arena"  # it is no bot
    (tmp_path / name).rmdir()
    theirs = write_bot(tmp_path / name, choosing("return turn.legal[0]"))
    for trying in (False, True):
        with pytest.raises(UsageError, match=rf"{name} is a folder here and one of Arena's own bots: write \./{name}"):
            choose(store, "claim", [name], trying=trying)
    assert choose(store, "claim", [f"./{name}"])[0].origin == str(theirs)


def test_a_folder_that_is_tried_out_takes_no_place_of_a_built_in_bot(store, tmp_path):
    folder = write_bot(tmp_path / "mine", choosing("return turn.legal[0]"))
    toml = folder / "bot.toml"
    toml.write_text(toml.read_text().replace('name = "mine"', 'name = "first"'))
    (tried,) = choose(store, "claim", [str(folder)])
    toml.write_text(toml.read_text().replace('version = "1"', 'version = "built-in"'))
    assert "built-in" in toml.read_text()
    with pytest.raises(UsageError, match="the name first means one of Arena's own bots"):
        choose(store, "claim", [str(folder)])
    (ours,) = choose(store, "claim", ["first"])
    assert (tried.name, ours.label, ours.kind) == ("first", "first built-in", "built-in")


@pytest.mark.parametrize("name", sorted(BUILTIN))
def test_what_is_typed_is_what_is_read_in_every_store(store, name):
    """Of before: a built-in bot under a longer name, and the sample bot `random` on the ladder."""
    (fresh,) = choose(store, "claim", [name], trying=True)
    store.add_bot(name=f"built-in-{name}", version="1", owner="built-in", digest="", origin="", games=())
    template = manifest.SAMPLES / "random"
    store.add_bot(
        name=name, version="1", owner="arena", digest=folder_digest(template), origin=str(template), games=["claim"]
    )
    (later,) = choose(store, "claim", [name])
    assert (fresh.id, later.name, later.kind) == (later.id, name, "built-in")
    (old,) = choose(store, "claim", [f"built-in-{name}"])
    options = SandboxOptions("auto", Limits(), ponder=False)
    assert plan_entry(later, options).source == plan_entry(old, options).source == Builtin(name)
    assert choose(store, "claim", [f"{name}@1"])[0].kind == "folder"


def test_the_field_of_an_old_store_has_the_random_player_of_today(store, tmp_path):
    template = manifest.SAMPLES / "random"
    store.add_bot(
        name="random", version="1", owner="arena", digest=folder_digest(template), origin=str(template), games=["claim"]
    )
    add(store, tmp_path / "mine", "alice")
    assert [(bot.name, bot.kind) for bot in choose(store, "claim", [])] == [("mine", "folder"), ("random", "built-in")]


def test_a_machine_whose_arena_lies_elsewhere_plays_its_own_sample_bots(store):
    for bot in choose(store, "claim", []):
        if bot.kind == "folder":
            store.move_bot(bot.id, f"/opt/another/arena/sample_bots/{bot.name}")
    (moved,) = store.bot_versions("greedy")
    assert present(store, moved) == replace(moved, origin=str(manifest.SAMPLES / "greedy"))
    field = choose(store, "claim", [])
    assert names(field) == ["greedy", "policy", "random", "search"]
    assert all(is_sample(bot) for bot in field if bot.kind == "folder")
    assert store.bot_versions("greedy") == [present(store, moved)]


def test_a_folder_goes_before_the_bot_of_the_ladder_and_the_other_is_named(store, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kept").mkdir()
    ladder, said = add(store, tmp_path / "kept/my_bot", "alice"), []
    folder = write_bot(tmp_path / "my_bot", choosing("return turn.legal[0]"))
    assert choose(store, "claim", ["my_bot"]) == [ladder], "the same content is the same bot: there is nothing to say"
    (folder / "bot.py").write_text((folder / "bot.py").read_text() + "\n")
    for trying in (False, True):
        (found,) = choose_field(store, "claim", ["my_bot"], said.append, trying=trying)
        assert found.origin == str(folder)
        assert not found.on_ladder
    words = f"my_bot is the folder here, as {found.label}: write my_bot@1 for the bot of the ladder"
    assert said == [words, words]
    assert choose(store, "claim", ["my_bot@1"]) == [ladder]

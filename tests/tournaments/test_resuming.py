"""A stopped tournament is gone on with, or it is said why not: never by other rules, never silently by another one."""

from dataclasses import replace

import pytest

from arena.errors import UsageError
from arena.store.sql import Store
from arena.tournaments.resuming import left_behind, with_seed
from arena.tournaments.tournament import Tournament
from tests.kits.contestants import arena, choosing, write_bot
from tests.kits.tournaments import BASE, World

pytestmark = pytest.mark.slow


@pytest.fixture
def newer(monkeypatch):
    """Lets Claim have another version of its rules."""

    def change(world):
        info = replace(world.game.info, version="next")
        monkeypatch.setattr(world.game, "info", info)
        return info.version

    return change


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "only in the records"])
def test_a_tournament_is_not_gone_on_with_by_other_rules(tmp_path, newer, kept):
    plain = World(tmp_path / "db")
    world = World(tmp_path / "db", replace(BASE, rules=plain.game.info.version if kept else ""))
    tournament, complete, _ = world.run(stop_after=3)
    assert not complete
    entry = world.store.tournament(tournament.id)
    assert ("rules" in entry.settings) is kept
    version = newer(world)
    resumed = Tournament.resume(entry.id, world.game, world.settings, world.field, world.store)
    with pytest.raises(UsageError, match=r"tournament 1 was begun with version '.*' of the rules of claim.*'next'"):
        resumed.__enter__()
    assert len(world.store.matches()) == tournament.played
    asked = replace(BASE, seed=0, rules=version)
    again = with_seed(asked, None, world.store)
    assert (again.rules, again.seed != BASE.seed) == (version, True)
    said = left_behind(again, None, world.store)
    assert said.startswith("tournament 1 is not finished, and was begun with version")


def test_settings_that_kept_no_rules_are_those_of_the_same_command(tmp_path):
    world = World(tmp_path / "db")
    world.run(stop_after=3)
    asked = replace(BASE, seed=0, rules=world.game.info.version)
    assert with_seed(asked, None, world.store) == BASE
    assert left_behind(BASE, None, world.store) is None


@pytest.mark.parametrize("kind", ["round-robin", "adaptive"])
def test_a_submission_in_between_names_the_open_tournament(tmp_path, kind):
    goal = {"goal": {"top": 1, "confidence": 0.9, "most": 300.0}} if kind == "adaptive" else {}
    store, stopped = Store(tmp_path / "db"), replace(BASE, format=kind, **goal)
    store.begin_tournament("claim", stopped.to_json())
    more = {"goal": {**stopped.goal, "most": 400.0}} if goal else {}
    now = replace(stopped, bots=(*BASE.bots, ("late", "1", "x")), seed=99, **more)
    assert left_behind(now, None, store) == (
        "tournament 1 is not finished: `arena tournament resume 1` goes on with it; this is a new one, with late 1"
    )
    assert left_behind(now, 99, store) is None  # another seed was asked for
    assert left_behind(replace(now, rounds=7), None, store) is None
    other = replace(now, bots=(("a", "1", ""), ("b", "1", "")))
    assert left_behind(other, None, store) is None
    newer = replace(stopped, seed=99, bots=(*BASE.bots[:2], ("random", "2", "y")))
    assert left_behind(newer, None, store).endswith("this is a new one, without random 1, with random 2")
    store.finish_tournament(1)
    assert left_behind(now, None, store) is None


@pytest.mark.parametrize("kind", ["swiss", "adaptive"])
def test_an_open_tournament_that_an_earlier_arena_paired_is_named(tmp_path, kind):
    store, goal = Store(tmp_path / "db"), {"top": 1, "confidence": 0.9, "most": 300.0}
    asked = replace(BASE, format=kind, goal=goal if kind == "adaptive" else {}, seed=0)
    store.begin_tournament("claim", replace(asked, seed=7, **{f"{kind}_version": 1}).to_json())
    again = with_seed(asked, None, store)
    assert again.seed != 7
    assert left_behind(again, None, store) == (
        "tournament 1 is not finished, and was begun by an Arena version with different pairing rules, which can go "
        "on with it; this is a new one"
    )


@pytest.mark.real(reason="a tournament is stopped by its budget of time")
def test_the_command_says_so_and_resume_goes_on(tmp_path):
    one, two, db = tmp_path / "one", tmp_path / "two", ("--db", tmp_path / "db")
    write_bot(one, choosing("return turn.legal[0]"))
    write_bot(two, choosing("return turn.legal[0]"))
    words = ("tournament", "--game", "claim", "--bots", f"{one},{two}", "--sandbox", "process", *db)
    stopped = arena(*words, "--rounds", 900, "--budget", "1s")
    assert "go on with: arena tournament resume 1" in stopped.output
    (one / "bot.py").write_text(choosing("return turn.legal[-1]"))
    again = arena(*words, "--rounds", 900, "--budget", "1s")
    assert "tournament 1 is not finished: `arena tournament resume 1` goes on with it" in again.stderr
    assert "this is a new one, without one 1-" in again.stderr

"""Matches in this process: who may play, what a match shows, and what happens when a bot fails."""

import asyncio
import gc
import inspect
import subprocess
import sys
import time
from types import ModuleType

import pytest

import arena
from arena.errors import UsageError
from arena.match import Ending
from arena.notebook import Match
from arena.notebook.match import UNSANDBOXED
from arena.referee.record_files import read_record
from arena.referee.replay import verify
from arena.registry import games
from arena.sdk import Bot
from tests.kits.contestants import choosing, write_bot

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="bots are processes")]


def lowest(turn):
    return min(turn.legal)


class Highest(Bot):
    def choose(self, turn):
        return max(turn.legal)


@pytest.mark.parametrize("game", games())
def test_every_game_can_be_played_in_process(game):
    match = arena.play(game, [lambda turn: turn.legal[0], "random"], seed=3)
    assert isinstance(match, Match)
    assert match.bots == ("function", "random")
    verify(match.game, match.record)
    assert match.game.info.title in repr(match)


def test_functions_classes_objects_and_names_may_play(tmp_path):
    folder = write_bot(tmp_path / "mine", choosing("return max(turn.legal)"))
    for bot, name in [
        (lowest, "lowest"), (Highest, "Highest"), (Highest(), "Highest"), ("greedy", "greedy"), (folder, "mine"),
        (str(folder), "mine"), ("first", "first"),
    ]:  # fmt: skip
        assert arena.play("claim", [bot, "random"], seed=1).bots == (name, "random")


def test_a_seed_is_the_deal_and_the_game():
    first, second = (arena.play("claim", [lowest, Highest], seed=7) for _ in range(2))
    assert [played.move for played in first.record.played] == [played.move for played in second.record.played]
    assert first.seed == 7
    assert arena.play("claim", [lowest, Highest]).seed != arena.play("claim", [lowest, Highest]).seed


def test_the_text_says_who_won_and_that_nothing_held_the_bots():
    match = arena.play("claim", [lowest, "greedy"], seed=7)
    text = repr(match)
    assert UNSANDBOXED in text
    assert match.outcome.reason in text
    assert all(name in text for name in match.bots)
    assert len(match.winners) == match.outcome.ranks.count(1)
    assert len(match.moves()) == len(match.record.played)
    assert match.moves()[0].startswith("seat 0 leads")
    assert [report.kind for report in match.record.sandboxes] == ["none", "none"]


def test_a_notebook_gets_html():
    page = arena.play("claim", [lowest, "first"], seed=7)._repr_html_()
    assert page.startswith(("<iframe", "<pre"))
    assert UNSANDBOXED in page


def test_names_of_bots_are_text_in_html():
    def function(turn):
        return turn.legal[0]

    function.__name__ = "<b>bold</b>"
    assert "<b>bold" not in arena.play("claim", [function, "first"], seed=7)._repr_html_()


def test_positions_are_copies():
    match = arena.play("claim", [lowest, "first"], seed=7)
    states = [state for state, _ in match.positions()]
    assert len(states) == len(match.record.played) + 1
    assert states[0].to_move() == 0
    assert states[-1].to_move() is None


def test_a_match_can_be_saved_for_the_commands(tmp_path):
    match = arena.play("claim", [lowest, "first"], seed=7)
    game, kept = read_record(match.save(tmp_path / "game.arena"))
    assert kept == match.record
    assert game.info.name == "claim"


def test_the_exception_of_a_function_is_its_own():
    def broken(turn):
        return turn.legal[99]

    with pytest.raises(IndexError) as failed:
        arena.play("claim", [broken, "first"], seed=1)
    assert failed.value.__context__ is None  # no error of ours stands before it


def test_an_illegal_or_late_move_loses():
    def slow(turn):
        time.sleep(0.3)
        return turn.legal[0]

    illegal = arena.play("claim", [lambda turn: 49 - turn.legal[0] % 2, "first"], seed=1)
    assert illegal.record.verdicts[0].ending in (Ending.ILLEGAL, Ending.PROTOCOL)
    assert illegal.winners == ("first",)
    late = arena.play("claim", [slow, "first"], seed=1, clock="50ms/move")
    assert late.record.verdicts[0].ending is Ending.TIME


@pytest.mark.parametrize(
    ("game", "bots", "complaint"),
    [
        ("chess", ["first", "first"], "there is no game 'chess'"),
        ("claim", ["first"], "claim is played by 2 seats"),
        ("claim", ["first", 7], "7 is not a bot"),
        ("claim", ["first", "./nowhere"], "there is no bot"),
        ("claim", ["first", "some/image"], "only Python bots can"),
        ("claim", ["first", "gredy"], "there is no bot .gredy.: did you mean greedy"),
        ("rrr", ["first", "policy"], "does not play rrr"),
    ],
)
def test_what_cannot_be_played_is_said_in_a_sentence(game, bots, complaint):
    with pytest.raises(UsageError, match=complaint):
        arena.play(game, bots, seed=1)


def test_a_cell_of_a_notebook_may_play_although_its_loop_runs():
    async def cell():
        return arena.play("claim", [lowest, "first"], seed=7)

    assert asyncio.run(cell()).seed == 7


def test_a_bot_that_switches_the_collector_off_does_so_for_itself_only():
    assert gc.isenabled()
    arena.play("claim", ["search", "first"], seed=7, clock="1ms/move+2s")
    assert gc.isenabled()


def test_importing_arena_imports_nothing_else():
    script = "import sys; before = set(sys.modules); import arena; print(*sorted(set(sys.modules) - before))"
    run = subprocess.run([sys.executable, "-P", "-c", script], check=True, capture_output=True, text=True)
    foreign = {"numpy", "rich", "grpc", "google", "click", "pandas", "asyncio", "sqlalchemy", "engines"}
    assert not {name.split(".")[0] for name in run.stdout.split()} & foreign
    assert "arena.notebook" not in run.stdout


def test_the_public_functions_are_plain_and_typed():
    assert arena.__all__ == ["games", "play", "tournament"]
    for name in arena.__all__:
        function = getattr(arena, name)
        assert inspect.isfunction(inspect.unwrap(function))
        signature = inspect.signature(function)
        assert signature.return_annotation is not inspect.Signature.empty
        kinds = {parameter.kind for parameter in signature.parameters.values()}
        assert not kinds & {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    assert arena.games()["claim"].info.name == "claim"
    assert type(arena) is ModuleType
    with pytest.raises(AttributeError, match="module 'arena' has no attribute 'plya'"):
        arena.plya  # noqa: B018


def test_importing_the_referee_does_not_hide_the_function():
    script = (
        "import arena.referee.referee, arena.notebook; "
        "print(arena.play('claim', ['first', 'first'], seed=1).seed); from arena import play, tournament, games"
    )
    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert run.stdout.strip() == "1"

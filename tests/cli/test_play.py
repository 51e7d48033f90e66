"""A person at the table: what is typed, what is shown, and what is not."""

import re
import signal
import subprocess
import sys

import pytest
from rich.console import Console

from arena.cli.person import Menu, draw, move_words
from arena.game import Game
from arena.referee.record_files import read_record
from arena.registry import find, games
from tests.kits.contestants import arena, arena_process, choosing, write_bot

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("game", games())
def test_a_person_can_play_every_game_to_its_end(game, tmp_path):
    path = tmp_path / "game.arena"
    typed = "1\n" * find(game).info.max_moves
    played = arena_process("play", game, "--seed", 3, "--out", path, typed=typed)
    assert played.returncode == 0, played.stderr
    assert "The match is over: " in played.stdout
    _, kept = read_record(path)
    assert [bot.name for bot in kept.spec.contestants] == ["human", "random"]
    assert [verdict.ending.name for verdict in kept.verdicts] == ["NORMAL", "NORMAL"]
    assert all(move.times.charged == 0 for move in kept.played if move.seat == 0), "no clock runs for a person"
    assert arena("replay", "verify", path).exit_code == 0


def test_a_person_among_four_hears_of_everybody_and_sees_only_his_hand():
    played = arena_process("play", "kingdoms", "--seats", 4, "--seat", 2, "--seed", 3, typed="1\nq\n")
    assert played.returncode == 0, played.stderr
    assert "seat 2: you" in played.stdout
    assert re.search(r"^  seat [013] ", played.stdout, re.MULTILINE), "what the others did is told"
    hands = re.findall(r"^          hand +(.*)$", played.stdout, re.MULTILINE)
    assert [("??" in hand) for hand in hands[:4]] == [True, True, False, True]
    assert "gave up" in played.stdout


def test_the_king_is_not_told_who_the_assassins_are():
    typed = "1\n" * 30 + "q\n"
    seen = arena_process("play", "assassins", "--against", "first", "--seed", 3, typed=typed).stdout
    assert "the assassins are chosen" in seen
    assert not re.search(r"\ba\d", seen), "a hidden assassin is drawn as a citizen"
    theirs = arena_process(
        "play", "assassins", "--seat", 1, "--against", "first", "--seed", 3, typed="1\n1\nq\n"
    ).stdout
    assert re.search(r"\ba\d", theirs), "the other side knows them"


@pytest.mark.real(reason="a process is played with")
def test_a_person_against_a_sandboxed_program_in_a_match(tmp_path):
    folder = write_bot(tmp_path / "lowest", choosing("return turn.legal[0]"))
    words = ("match", "--game", "claim", "--bot", "human", "--bot", folder, "--sandbox", "process", "--seed", 2)
    played = arena_process(*words, "--clock", "10s/move", typed="1\n" * 26)
    assert played.returncode == 0, played.stderr
    assert played.stdout.count("played to the end") == 2


def test_persons_who_share_the_terminal_do_not_see_each_other():
    played = arena_process("match", "--game", "claim", "--bot", "human", "--bot", "human", typed="\n1\n\nq\n")
    assert "seat 0: press Enter when you are at the keyboard" in played.stdout
    assert "seat 1: press Enter when you are at the keyboard" in played.stdout
    assert played.stdout.count("?? ?? ??") >= 2


@pytest.mark.real(reason="a process is played with")
def test_ctrl_c_while_the_person_thinks_ends_the_match():
    running = subprocess.Popen(
        [sys.executable, "-u", "-m", "arena", "play", "claim"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while "a number plays that move" not in running.stdout.readline():
        pass
    running.send_signal(signal.SIGINT)
    _, complaint = running.communicate(timeout=30)
    assert (running.returncode, complaint.strip()) == (130, "Error: stopped")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["claim", "--seat", "2"], "there is no seat 2: seats are 0 to 1"),
        (["claim", "--against", "random", "--against", "first"], "claim is played by 2 seats, not 3"),
        (["kingdoms", "--seats", "4", "--against", "random", "--against", "first"], "leave room for 3 opponents"),
        (["chess"], "there is no game 'chess'"),
    ],
)
def test_what_cannot_be_is_one_sentence(words, complaint):
    refused = arena("play", *words)
    assert refused.exit_code == 2
    assert complaint in refused.stderr


@pytest.fixture
def menu():
    console = Console(width=100, record=True, quiet=True)
    return Menu(console, [f"[red]seat 0[/red] places the Castle on {space}" for space in range(9)] + ["seat 0 passes"])


@pytest.mark.parametrize(
    ("typed", "chosen"),
    [(["3"], 2), (["10"], 9), (["11"], None), (["0"], None), (["castle 7"], None), (["castle 7", ""], 7), ([""], None),
     (["PASS", ""], 9), (["nonsense", ""], None), (["9" * 5000], None), (["red", ""], None)],
)  # fmt: skip
def test_a_move_is_chosen_by_its_number_or_its_words(menu, typed, chosen):
    assert [menu.choose(line) for line in typed][-1] == chosen


def test_a_game_from_outside_needs_no_picture_of_its_own():
    class Plain(type(find("claim"))):
        render_observation = Game.render_observation

    game = Plain()
    state = game.start(game.configure(2, {}), 1)
    seen = state.view(0)
    assert "What you cannot know is made up in this picture." in draw(game, seen)
    assert "made up" not in draw(find("claim"), seen)
    assert len(move_words(game, seen, state.legal(), 0)) == 13

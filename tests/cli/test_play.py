"""A person at the table: what is typed, what is shown, and what is not."""

import asyncio
import re
import signal
import subprocess
import sys

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from arena.cli.choosing import Menu, Question, draw, move_words, result_for_seat
from arena.cli.line_dialog import LineDialog
from arena.cli.screen import LineEditor
from arena.cli.screen_dialog import fit
from arena.game import Game
from arena.match import Outcome
from arena.referee.record_files import read_record
from arena.registry import find, games
from tests.kits.contestants import arena, arena_process, choosing, write_bot
from tests.kits.terminals import Terminal

pytestmark = pytest.mark.slow
UP, LEFT, HOME = "\x1b[A", "\x1b[D", "\x1b[H"


@pytest.fixture(autouse=True)
def data_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


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
    assert re.search(r"^  random in seat [013] ", played.stdout, re.MULTILINE), "what the others did is told"
    hands = re.findall(r"^[> ] seat \d  hand +(.*)$", played.stdout, re.MULTILINE)
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
    return Menu([f"[red]seat 0 (Red)[/red] places the Castle on {space}" for space in range(9)] + ["seat 0 passes"])


class Typed:
    """Lines as they would be typed."""

    def __init__(self, lines):
        self.lines = list(lines)

    async def read(self, prompt):
        return self.lines.pop(0) if self.lines else None


@pytest.mark.parametrize(
    ("typed", "chosen"),
    [(["3"], 2), (["10"], 9), (["11"], None), (["0"], None), (["castle 7"], None), (["castle 7", ""], 7), ([""], None),
     (["PASS", ""], 9), (["nonsense", ""], None), (["9" * 5000], None), (["red", ""], None), (["q", "n", "3"], 2),
     (["q", "y", "3"], None), (["?", "rules", "3"], 2)],
)  # fmt: skip
def test_a_move_is_chosen_by_its_number_or_its_words(menu, typed, chosen):
    dialog = LineDialog(Console(quiet=True), Typed(typed), lambda: None)
    assert asyncio.run(dialog.ask(Question(0, "the board", menu, []))) == chosen


def test_words_narrow_the_moves_and_numbers_do_not(menu):
    assert menu.words[0].plain == "places the Castle on 0", "whoever chooses knows who he is"
    assert menu.matching("castle 7") == [7]
    assert menu.matching("7") == menu.matching("rules") == list(range(10))


def test_a_number_after_words_is_one_of_the_moves_that_they_list(menu):
    assert menu.matching("places 10") == [], "the tenth passes"
    assert menu.matching("places 9") == [8], "no Castle on 9 is there, so it is the ninth of the list"
    assert menu.matching("pass 1") == [9], "10 begins so"
    assert menu.matching("castle 3") == [3], "but words come first"


def test_moves_are_fitted_into_the_room_that_is_left(menu):
    wide, narrow = Console(width=80), Console(width=30)
    (page,) = fit(wide, menu, range(10), 5)
    assert [len(page), len(fit(wide, menu, range(10), 2)), len(fit(narrow, menu, range(10), 5))] == [5, 3, 2]
    shown = " ".join(line.plain for page in fit(narrow, menu, range(10), 3) for line in page)
    assert [int(number) for number in re.findall(r"(\d+)  p", shown)] == list(range(1, 11)), "each move once"
    long = Menu(["seat 0 " + "walks on " * 20])
    assert len(fit(wide, long, [0], 5)[0]) == 3, "what is longer than the window is wrapped, not cut"


@pytest.mark.parametrize(
    ("keys", "text"),
    [(["a", "c", LEFT, "b"], "abc"), (["a", "b", HOME, "x"], "xab"), (["a", "b", "\x7f"], "a"),
     (["a", "b", " ", "c", "\x17"], "ab "), (["a", "b", LEFT, "\x0b"], "a"), (["a", "b", LEFT, "\x15"], "b"),
     (["a", LEFT, "\x04"], ""), (["a", "\x1b[15~"], "a"), ([UP], "old"), ([UP, UP, "\x1b[B"], "old"), (["\x1b"], "")],
)  # fmt: skip
def test_the_line_is_edited_as_readline_does(keys, text):
    editor = LineEditor()
    for key in "older":
        editor.press(key)
    editor.take()
    for key in "old":
        editor.press(key)
    assert (editor.take(), editor.text) == ("old", "")
    for key in keys:
        editor.press(key)
    assert editor.text == text


@pytest.mark.parametrize(
    ("ranks", "words"),
    [((1, 2, 2), "you win: why"), ((2, 1, 3), "ann wins, not you: why"), ((1, 1, 3), "you and ann are level: why"),
     ((3, 1, 1), "ann and bob are level, not you: why"), ((), "why")],
)  # fmt: skip
def test_the_result_is_told_in_words(ranks, words):
    assert result_for_seat(Outcome(ranks, tuple(map(float, ranks)), "why"), 0, ["you", "ann", "bob"]) == words


def test_who_wins_a_trick_is_told_with_the_move_that_ends_it():
    game = find("claim")
    state, told = game.start(game.configure(2, {}), 3), []
    for _ in range(26):
        move = state.legal()[-1]
        told.append(Text.from_markup(game.describe_move(state, move, 0)).plain)
        state.apply(move)
    for (_, _, _, winner, *_), led, followed in zip(state.tricks, told[::2], told[1::2]):
        assert re.fullmatch(r"seat \d leads (Goblin|Dwarf|Undead|Doppelgänger|Knight) \d", led)
        if followed.startswith(f"seat {winner}"):
            assert followed.endswith(" and wins the trick")
        else:
            assert followed.endswith(f"; seat {winner} wins the trick with {led.partition('leads ')[2]}")


WHERE = {"claim": "Phase 1", "assassins": "K king", "kingdoms": "Round 1", "rrr": "Round 1, placement"}


@pytest.mark.real(reason="a process is played with")
@pytest.mark.parametrize("game", games())
def test_the_board_stays_in_sight_in_a_window_of_80_by_24(game):
    terminal = Terminal("play", game, "--seed", 3, columns=80, lines=24)
    for typed in ("", "1\r", "2\r"):
        shown = terminal.screen(r"\d+ moves(.|\r\n)*your move > $", typed)
        assert len(shown) == 24
        assert max(map(cell_len, shown)) <= 80
        assert re.search(r"^ +1  \w", "\n".join(shown), re.MULTILINE), "moves are listed"
        assert WHERE[game] in "\n".join(shown[:14]), "and the position is above them"
        assert not typed or re.search(r"^  (seat 0 \(you\)|random)", "\n".join(shown), re.MULTILINE), "news are told"
    terminal.resize(110, 45)
    assert len(terminal.screen(r"your move > $")) == 45, "another size of the window is drawn at once"
    assert terminal.quit("q\ry") == 0


@pytest.mark.real(reason="a process is played with")
def test_the_screen_helps_filters_and_asks_before_it_gives_up(data_folder):
    terminal = Terminal("play", "claim", "--seed", 3, columns=80, lines=24)
    terminal.screen("12 moves")
    terminal.screen(r"2 of 12 moves(.|\r\n)*your move > knight$", "knight")
    terminal.screen(r"Enter plays 12: leads Knight 8", " 8")
    terminal.screen(r"12 moves(.|\r\n)*your move > $", "\x1b")
    terminal.screen("type the number of a move, or words that it has", "\r")
    terminal.screen(r"2 moves have these words(.|\r\n)*your move > knight $", "knight\r")
    terminal.screen(r"Enter plays 11: leads Knight \d(.|\r\n)*your move > knight 11$", "11")
    terminal.screen(r"12 moves(.|\r\n)*your move > $", "\x1b")
    assert any("Page Down or Tab" in line for line in terminal.screen("page 1 of 1", "?"))
    terminal.screen("12 moves", "\r")
    assert any("Claim" in line for line in terminal.screen(r"page 1 of \d+", "rules\r")[:4])
    terminal.screen(r"page 2 of \d+", " ")
    terminal.screen("12 moves", "q")
    terminal.screen(r"random (follows with Knight \d and wins the trick|.*wins the trick)", "knight 8\r")
    terminal.screen("give up\\? y gives up", "q\r")
    terminal.screen(r"\d+ moves", "n")
    terminal.screen("give up\\? y gives up", "q\r")
    shown = terminal.wait_for(r"record: (.|\n)*replay show", "y")
    assert "The match is over: random wins, not you" in shown
    assert terminal.quit("") == 0
    (kept,) = (data_folder / "arena").iterdir()
    assert arena("replay", "verify", kept).exit_code == 0


@pytest.mark.real(reason="a process is played with")
@pytest.mark.parametrize(("term", "lines"), [("dumb", 50), ("xterm", 13)])
def test_a_terminal_that_cannot_be_drawn_on_gets_lines(term, lines):
    terminal = Terminal("play", "claim", "--seed", 3, columns=80, lines=lines, term=term)
    assert "\x1b[H" not in terminal.wait_for(r"12  leads Knight 8(.|\n)*seat 0, your move > ")
    ending = "\n" if term == "dumb" else "\r"
    terminal.wait_for("Enter plays it", f"knight 8{ending}")
    terminal.wait_for(r"random follows(.|\n)*seat 0, your move > ", ending)
    terminal.wait_for("give up", f"q{ending}")
    terminal.wait_for("The match is over", f"y{ending}")
    assert terminal.quit("") == 0


def test_a_game_from_outside_needs_no_picture_of_its_own():
    class Plain(type(find("claim"))):
        render_observation = Game.render_observation

    game = Plain()
    state = game.start(game.configure(2, {}), 1)
    seen = state.view(0)
    assert "What you cannot know is made up in this picture." in draw(game, seen)
    assert "made up" not in draw(find("claim"), seen)
    assert len(move_words(game, seen, state.legal(), 0)) == 13

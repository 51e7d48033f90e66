"""The replay in a terminal: its keys one by one, and the command as it is used in a real terminal."""

import json
import re
from pathlib import Path

import pytest

from arena.cli.replay_viewer import DELAYS, Viewer
from arena.cli.screen import split_keys
from tests.kits.contestants import arena, choosing, write_bot
from tests.kits.terminals import Terminal

RIGHT, LEFT, UP, DOWN, HOME, END = "\x1b[C", "\x1b[D", "\x1b[A", "\x1b[B", "\x1b[H", "\x1b[F"


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ([RIGHT, DOWN, "\r", " "], 4),
        (["\x1bOC", "\x1bOC", "\x1bOD"], 1),
        ([LEFT], 0),
        ([RIGHT, RIGHT, UP, "b"], 0),
        ([END], 9),
        ([END, RIGHT], 9),
        ([END, HOME], 0),
        (["7", "\r"], 6),
        (["g", "7", "\n"], 6),
        (["g", "1", "0", "\x7f", "\r"], 0),
        (["9", "9", "9", "\r"], 9),
        (["5", "\x1b", RIGHT], 1),
        (["g", "\r"], 0),
        (["\x1b[15~", "x", "é", "²", "٣"], 0),
    ],
)
def test_a_key_does_what_the_help_says(keys, place):
    viewer = Viewer(last=9)
    for key in keys:
        viewer.press(key)
    assert (viewer.place, viewer.done) == (place, False)


@pytest.mark.parametrize("key", ["q", "\x1b", "\x04"])
def test_quitting(key):
    viewer = Viewer(last=9)
    viewer.press(key)
    assert viewer.done


def test_it_plays_by_itself_until_a_key_or_the_end():
    viewer = Viewer(last=3)
    assert viewer.delay is None
    viewer.press("p")
    viewer.tick()
    viewer.press("+")
    assert (viewer.place, viewer.playing, viewer.delay) == (1, True, DELAYS[3])
    viewer.press("p")
    assert viewer.delay is None
    viewer.press("p")
    viewer.press(LEFT)
    assert (viewer.place, viewer.playing) == (0, False)
    viewer.press("p")
    for _ in range(3):
        viewer.tick()
    assert (viewer.place, viewer.delay) == (3, None)
    for _ in range(20):
        viewer.press("-")
    viewer.press("p")
    assert (viewer.speed, viewer.playing) == (0, False), "there is nothing to play at the end"


def test_keys_that_arrive_together_are_told_apart():
    assert split_keys(f"{RIGHT}q\x1b[15~\x1bOA12\r") == [RIGHT, "q", "\x1b[15~", "\x1bOA", "1", "2", "\r"]
    assert split_keys("\x1b") == ["\x1b"]


@pytest.mark.real(reason="waits for processes")
def test_the_keys_in_a_real_terminal(tmp_path):
    path = tmp_path / "game.arena"
    assert (
        arena("match", "--game", "claim", "--bot", "random", "--bot", "first", "--seed", 7, "--out", path).exit_code
        == 0
    )
    terminal = Terminal("replay", "show", path)
    terminal.wait_for("move 1 of 52, random:(.|\n)*q: quit")
    terminal.wait_for("move 2 of 52", RIGHT)
    terminal.wait_for("move 1 of 52", LEFT)
    terminal.wait_for("move 40 of 52", "40\r")
    terminal.wait_for("move 45 of 52", "+++p")
    terminal.wait_for("The game is over(.|\n)*seat 1, first: played to the end", END)
    assert terminal.quit() == 0


@pytest.fixture
def store(tmp_path):
    """A store in which both versions of a bot have played against the sample bot `random`."""
    db = ("--db", tmp_path / "db")
    folder = write_bot(tmp_path / "mine", choosing("print('thinking', flush=True)\nreturn turn.legal[0]"))
    for version in ("1", "2"):
        manifest = folder / "bot.toml"
        manifest.write_text(re.sub('version = "."', f'version = "{version}"', manifest.read_text()))
        words = ("--bots", f"{folder},{sample('random')}", "--rounds", 2, "--seed", 3, "--clock", "10s/move")
        played = arena("tournament", "--game", "claim", *words, "--sandbox", "process", *db)
        assert played.exit_code == 0, played.output
    return db


def sample(name):
    return Path(__file__).parents[2] / "sample_bots" / name


def versions(name, *words):
    listed = json.loads(arena("bots", "list", "--all", "--json", *words).output)
    return [entry["version"] for entry in listed if entry["name"] == name]


def ids(*words):
    return {row["match"]: row["rank"] for row in json.loads(arena("history", *words, "--json").output)}


@pytest.mark.real(reason="waits for processes")
@pytest.mark.slow
def test_matches_are_found_by_id_by_version_and_by_loss(store, tmp_path):
    first, second = sorted(versions("mine", *store))
    old, new = ids(f"mine@{first}", *store), ids("mine", *store)
    assert len(old) == len(new) == 4
    assert not old.keys() & new.keys()
    assert ids("mine", "--lost", *store) == {match: rank for match, rank in new.items() if rank > 1}
    assert 0 < len(ids("mine", "--lost", *store)) < 4
    match = next(iter(old))
    told = arena("history", "mine", "--match", match, *store)
    assert told.exit_code == 0, told.output
    assert f"output of mine {first}, its end:\nthinking" in told.stdout
    refused = arena("history", f"mine@{second}", "--match", match, *store)
    assert (refused.exit_code, "it played no match" in refused.stderr) == (2, True)
    shown = arena("replay", "show", match[:12], *store)
    assert shown.exit_code == 0, shown.output
    assert f"mine {first}" in shown.stdout.splitlines()[0]
    assert "The game is over" in shown.stdout
    assert shown.stdout.count("printed: thinking") == 26
    written = tmp_path / "game.arena"
    assert arena("history", "mine", "--match", match, "--out", written, *store).exit_code == 0
    assert b"thinking" not in written.read_bytes()  # what a bot printed is kept apart from the record
    assert arena("replay", "show", match, "--json", *store).stdout.startswith('{"state"')
    unknown = arena("replay", "show", "ffffffffffff", *store)
    assert unknown.exit_code == 2
    assert "there is no file 'ffffffffffff', and there is no match 'ffffffffffff' in the store" in unknown.stderr


def test_what_a_bot_printed_is_shown_beside_its_moves(tmp_path):
    code = "print('I think\\x1b[2J of', turn.legal[0], flush=True)\nreturn turn.legal[0]"
    folder = write_bot(tmp_path / "talker", choosing(code))
    words = ("match", "--game", "claim", "--bot", folder, "--bot", "random", "--seed", 1, "--sandbox", "process")
    path = tmp_path / "game.arena"
    told = arena(*words, "--clock", "10s/move", "--log", "--out", path)
    assert told.exit_code == 0, told.output
    assert "--- seat 1: the output of random ---\n(nothing)\n---" in told.stderr
    assert "I think" not in arena(*words, "--clock", "10s/move").output
    steps = [json.loads(line) for line in arena("replay", "show", "--json", path).output.splitlines()]
    moves = [(ply, step) for ply, step in enumerate(steps, 1) if step.get("seat") == 0]
    assert len(moves) == 26
    for ply, step in moves:
        thought = step["printed"]
        assert thought.startswith("I think\\x1b[2J of "), step
        assert f"[move {ply}]\n{thought}\n" in told.stderr
    assert not any("printed" in step for step in steps if step.get("seat") == 1)
    shown = arena("replay", "show", "--all", path).stdout
    assert f"printed: {moves[0][1]['printed']}" in shown
    assert shown.count("printed: I think") == 26

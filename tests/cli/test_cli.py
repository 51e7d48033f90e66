"""The commands as a user types them."""

import json
from contextlib import closing
from dataclasses import replace

import pytest

from arena.referee import record
from arena.registry import find, games
from arena.store.sql import Store
from tests.kits.contestants import arena


@pytest.fixture
def kept(tmp_path):
    path = tmp_path / "game.arena"
    result = arena("match", "--game", "claim", "--bot", "random", "--bot", "first", "--seed", 7, "--out", path)
    assert result.exit_code == 0, result.output
    return path


def test_match_prints_the_result(kept):
    result = arena("match", "--game", "claim", "--bot", "random", "--bot", "first", "--seed", 7)
    assert "votes 4 to 1" in result.output
    assert result.output.count("played to the end") == 2


def test_verify_says_true(kept):
    result = arena("replay", "verify", kept)
    assert (result.exit_code, result.output) == (0, f"{kept}: ok (claim, 52 moves, votes 4 to 1)\n")


def test_verify_finds_a_changed_byte(kept):
    data = bytearray(kept.read_bytes())
    data[len(data) // 2] ^= 1
    kept.write_bytes(data)
    result = arena("replay", "verify", kept)
    assert result.exit_code == 1
    assert "FAILED: the record is damaged" in result.output


def test_show_prints_every_position(kept):
    result = arena("replay", "show", kept)
    assert result.exit_code == 0
    assert "move 52 of 52" in result.output
    assert "The game is over" in result.output


def test_a_replay_is_written_as_one_page(kept, tmp_path):
    result = arena("replay", "html", kept, "-o", tmp_path / "page.html")
    assert (result.exit_code, result.output) == (0, f"replay: {tmp_path / 'page.html'}\n")
    page = (tmp_path / "page.html").read_text()
    assert "<title>random – first · Claim</title>" in page
    assert "src=" not in page
    assert arena("replay", "html", kept).exit_code == 0
    assert kept.with_suffix(".html").read_text() == page
    assert arena("replay", "html", "--embed", kept).exit_code == 0
    assert 'data-frame="allow"' in kept.with_suffix(".html").read_text()


def test_a_match_of_the_store_is_proved_and_written_like_one_in_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    played = arena("tournament", "--game", "claim", "--bots", "random,first", "--rounds", 1, "--db", "cup#2.db")
    assert played.exit_code == 0, played.output
    with closing(Store(tmp_path / "cup#2.db", read_only=True)) as store:
        first, second = (match.match_id for match in store.matches(tournament_id=1))
    proved = arena("replay", "verify", first[:12], second, "--db", "cup#2.db")
    assert proved.exit_code == 0, proved.output
    assert proved.output.count(": ok (claim, ") == 2
    assert arena("replay", "html", first, "--db", "cup#2.db").output == f"replay: {first}.html\n"
    assert "<title>" in (tmp_path / f"{first}.html").read_text()
    assert "there is no file 'nowhere', and there is no match" in arena("replay", "verify", "nowhere").stderr


def test_a_match_writes_its_page(kept, tmp_path):
    page = tmp_path / "page.html"
    words = ("--game", "claim", "--bot", "random", "--bot", "first", "--seed", 7, "--clock", "none")
    result = arena("match", *words, "--html", page)
    assert result.output.endswith(f"replay: {page}\n")
    assert "random – first" in page.read_text()


def test_no_page_is_made_of_a_record_that_is_not_true(kept, tmp_path):
    game, true = find("claim"), record.read(kept, find)
    record.save(kept, replace(true, outcome=replace(true.outcome, ranks=(2, 1))), game)
    result = arena("replay", "html", kept, "-o", tmp_path / "page.html")
    assert result.exit_code == 1
    assert "but replaying gives" in result.output
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("game", games())
def test_show_json_is_one_object_per_line(game, tmp_path):
    path = tmp_path / "game.arena"
    assert arena("match", "--game", game, "--seed", 3, "--out", path).exit_code == 0
    lines = [json.loads(line) for line in arena("replay", "show", "--json", path).output.splitlines()]
    assert all({"state", "seat", "move"} == set(line) for line in lines[:-1])
    assert {"state", "outcome", "result", "verdicts", "faults", "strikes"} == set(lines[-1])


@pytest.mark.parametrize("game", games())
def test_rules_and_games_name_every_game(game):
    assert arena("rules", game).exit_code == 0
    assert arena("rules", "--plain", game).output.startswith("# ")
    assert game in arena("games").output


BAD = [
    (["match"], "Missing option '--game'"),
    (["match", "--game", "chess"], "there is no game 'chess': choose "),
    (["match", "--game", "claim", "--bot", "nobody"], "'nobody'"),
    (["match", "--game", "claim", "--bot", "./nobody"], "there is no bot './nobody'"),
    (["match", "--game", "claim", "--seats", "3"], "claim is played by 2 seats, not 3"),
    (["match", "--game", "claim", "--bot", "random", "--bot", "first", "--bot", "first"], "claim is played by 2 seats"),
    (["match", "--game", "claim", "--option", "x=1"], "claim has no option 'x': it has first_leader=0|1"),
    (["match", "--game", "claim", "--option", "first_leader=7"], "first_leader cannot be '7': choose 0, 1"),
    (["match", "--game", "claim", "--option", "first_leader"], "not of the form NAME=VALUE"),
    (["match", "--game", "claim", "--clock", "soon"], "clock 'soon' is not understood"),
    (["match", "--game", "claim", "--seed", "-1"], "Invalid value for '--seed'"),
    (["match", "--game", "claim", "--out", "/no/such/folder/x"], "cannot be written"),
    (["match", "--game", "claim", "--html", "/no/such/folder/x"], "cannot be written"),
    (["replay", "show", "/no/such/file"], "does not exist"),
    (["replay", "verify"], "Missing argument"),
    (["rules", "chess"], "there is no game 'chess'"),
    (["match", "--game", "claim", "--seed", str(2**64)], "is not a valid seed: write a whole number from 0 to"),
    (["match", "--game", "kingdoms", "--seats", "0"], "0 is not in the range"),
    (["tournament", "--game", "claim", "--rounds", "two"], "'two' is not a whole number"),
    (["dance"], "there is no command 'dance' (see "),
    (["mach"], "there is no command 'mach': did you mean match?"),
    (["replay", __file__], f"to do what with {__file__}? `arena replay show {__file__}` plays it (see "),
    (["bot", "chek"], "there is no command 'chek': did you mean check? (see "),
    (
        ["match", "--game", "claim", "--bot", "gredy"],
        "there is no bot 'gredy': did you mean greedy? It is neither a folder",
    ),
]


@pytest.mark.parametrize(("args", "complaint"), BAD, ids=[" ".join(args) for args, _ in BAD])
def test_bad_input_is_one_sentence_and_exit_code_2(args, complaint):
    result = arena(*args)
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_a_file_that_is_no_record_is_refused(tmp_path):
    path = tmp_path / "x"
    path.write_text("hello")
    result = arena("replay", "show", path)
    assert (result.exit_code, result.stderr) == (1, "Error: this is not a match record\n")


def test_a_match_for_programs_is_one_object(tmp_path):
    result = arena(
        "match", "--game", "assassins", "--bot", "random", "--bot", "first", "--json", "--out", tmp_path / "x"
    )
    played = json.loads(result.stdout)
    assert (played["game"], played["clock"], played["void"]) == ("assassins", "200ms/move+5s", False)
    assert [(seat["name"], seat["role"], seat["ending"]) for seat in played["seats"]] == [
        ("random", "king", "NORMAL"),
        ("first", "assassins", "NORMAL"),
    ]
    assert sorted(seat["rank"] for seat in played["seats"]) == [1, 2]
    assert result.stderr.startswith("record: ")


def test_a_narrow_terminal_costs_no_option_of_a_game(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    said = arena("games").output
    assert max(map(len, said.splitlines())) <= 80
    for info in json.loads(arena("games", "--json").output):
        for name, option in info["options"].items():
            assert f"{name}={option['default']}" in said
            assert all(choice in said for choice in option["choices"])


@pytest.mark.parametrize("command", [[], ["bot"], ["bots"], ["replay"], ["site"]])
def test_who_names_no_command_is_told_which_there_are(command):
    result = arena(*command)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Usage: {' '.join(['main', *command])} ")
    assert "Error" not in result.stderr


@pytest.mark.parametrize("command", [[], ["match"], ["replay"], ["replay", "show"], ["games"], ["rules"]])
def test_every_command_has_help(command):
    result = arena(*command, "--help")
    assert result.exit_code == 0
    assert "Usage: " in result.output

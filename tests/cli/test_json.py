"""`--json`: one object alone on stdout, and all else on stderr; the commands that do something say what they did."""

import csv
import io
import json
import sqlite3
from contextlib import closing

import pytest

from tests.cli.test_help import PAGES
from tests.kits.contestants import arena, choosing, need_bubblewrap, write_bot

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="tournaments are played by worker processes")]

BOTS = ("--game", "claim", "--bots", "random,first", "--rounds", 1, "--seed", 5, "--clock", "10s/move")


def ask(*words, code=0):
    """The object that a command prints, and what it says beside it."""
    done = arena(*words, "--json")
    assert done.exit_code == code, done.output
    return json.loads(done.stdout), done.stderr


def test_there_is_one_option_for_json():
    helps = {
        option.help
        for name, command in PAGES.items()
        for option in command.params
        if option.name == "as_json" and name != "arena replay show"  # which prints an object for every position
    }
    assert helps == {"Print JSON on standard output; messages go to standard error."}


def test_a_tournament_is_its_settings_its_ending_and_the_rows_of_ratings(tmp_path):
    db = ("--db", tmp_path / "db")
    result, beside = ask("tournament", *BOTS, *db)
    assert beside.endswith("all 2 matches are played\n")
    assert (result["id"], result["game"], result["state"], result["matches"], result["void"]) == (
        1, "claim", "finished", 2, 0,
    )  # fmt: skip
    assert (result["stopped_by"], result["ending"]) == (None, "all 2 matches are played")
    assert (result["settings"]["seed"], result["settings"]["rounds"], result["by_role"]) == (5, 1, [])
    rows, _ = ask("ratings", "--game", "claim", "--tournament", 1, *db)
    assert result["table"] == rows
    assert len(rows) == 2
    assert any("deals could be guessed" in note for note in result["notes"])
    assert ask("tournament", "resume", 1, *db)[0] == result
    (listed,), _ = ask("tournament", "list", *db)
    (proved,) = ask("verify", *db)[0]["tournaments"]
    for name in ("id", "game", "state", "imported", "checksum", "weak_limits"):
        assert listed[name] == result[name] == proved[name]


def test_roles_have_rows_of_their_own(tmp_path):
    words = ("--game", "assassins", "--bots", "random,first", "--rounds", 1, "--db", tmp_path / "db")
    result, _ = ask("tournament", *words)
    rows, _ = ask("ratings", "--game", "assassins", "--by", "role", "--db", tmp_path / "db")
    assert result["by_role"] == rows
    assert rows


def test_a_tournament_that_is_not_over_says_what_stopped_it(tmp_path):
    words = ("--game", "claim", "--bots", "random,first", "--rounds", 500, "--budget", "1s", "--clock", "10s/move")
    result, beside = ask("tournament", *words, "--db", tmp_path / "db")
    assert (result["state"], result["stopped_by"], result["checksum"]) == ("stopped", "budget", None)
    go_on = f"arena tournament resume 1 --db {tmp_path / 'db'} --budget 1s"
    assert result["ending"].endswith(f"no more fits into 1s; go on with: {go_on}")
    assert result["ending"] in beside


def test_a_log_of_events_on_stdout_leaves_the_result_to_stderr(tmp_path):
    done = arena("tournament", *BOTS, "--json", "--log-json", "-", "--db", tmp_path / "db")
    assert done.exit_code == 0, done.output
    assert all("event" in json.loads(line) for line in done.stdout.splitlines())
    assert '"stopped_by": null' in done.stderr


def test_a_proof_names_what_is_proved_and_what_cannot_be(played):
    result, beside = ask("verify", "--db", played)
    assert (result["wrong"], result["matches"], result["findings"]) == (0, 6, [])
    (tournament,) = result["tournaments"]
    assert (tournament["id"], tournament["matches"], tournament["findings"]) == (1, 6, [])
    assert (tournament["proved"], tournament["not_proved"]) == (["rules", "schedule", "seed"], ["played"])
    assert tournament["unproved_schedule"] is None
    assert tournament["checksum"] in beside
    assert "ok: " in beside


def test_what_is_wrong_is_in_the_object_and_the_command_fails(played, tmp_path):
    changed = tmp_path / "changed.db"
    with closing(sqlite3.connect(played)) as there, closing(sqlite3.connect(changed)) as here, here:
        there.backup(here)
        here.execute("UPDATE matches SET reason = 'a draw' WHERE ordinal = 0")
        here.execute("UPDATE bots SET owner = 'mallory' WHERE name = 'two'")
    result, beside = ask("verify", "--db", changed, code=1)
    assert result["findings"] == [{"where": "bot two 1", "what": "its row was changed: it does not fit its checksum"}]
    (tournament,) = result["tournaments"]
    assert result["wrong"] == 1 + len(tournament["findings"]) > 2
    assert any("reason is kept as" in finding["what"] for finding in tournament["findings"])
    assert (tournament["proved"], tournament["not_proved"]) == ([], ["rules", "schedule", "seed", "played"])
    assert beside.endswith(f"Error: {result['wrong']} things wrong, named above\n")


def test_a_file_that_is_written_and_added_is_said_to_be(played, tmp_path):
    file, there = tmp_path / "cup.gz", tmp_path / "there.db"
    written, beside = ask("export", 1, "-o", file, "--db", played)
    assert (written["id"], written["file"], written["matches"], beside) == (1, str(file), 6, "")
    added, beside = ask("import", file, "--db", there)
    assert beside == f"a new store is made: {there}\n"
    assert (added["file"], added["new_matches"], added["imported"]) == (str(file), 6, True)
    assert added["checksum"] == written["checksum"] == ask("tournament", "list", "--db", played)[0][0]["checksum"]
    assert (added["proved"], added["not_proved"]) == (["rules", "schedule", "seed"], ["played"])
    assert added["absent"] == [{"name": name, "version": "1"} for name in ("one", "two", "three")]
    assert ask("import", file, "--db", there)[0]["new_matches"] == 0


def test_a_refused_file_prints_no_object(tmp_path):
    (tmp_path / "cup.gz").write_text("no archive")
    refused = arena("import", tmp_path / "cup.gz", "--json", "--db", tmp_path / "db")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize("words", [("list",), ("resume", 1), ("show-config", 1)])
def test_an_option_before_a_command_of_tournaments_is_not_passed_over(words, tmp_path):
    """`--db` there would be heard by nobody, and the list be that of another store."""
    refused = arena("tournament", "--db", tmp_path / "db", "--seed", 5, *words)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr == f"Error: write --seed and --db after {words[0]}: options before it are ignored\n"


NOT_JSON = {
    "arena tournament show-config": "prints a file",
    "arena replay html": "writes a page",
    "arena site build": "writes pages",
    "arena serve": "serves pages",
    "arena bots retire": "prints one sentence, and `bots show --json` the state",
    "arena bots restore": "prints one sentence, and `bots show --json` the state",
}


def test_every_command_on_a_store_has_a_form_for_programs():
    on_a_store = {name for name, command in PAGES.items() if "--db" in options_of(command)}
    assert {name for name in on_a_store if "--json" not in options_of(PAGES[name])} == NOT_JSON.keys()


def test_every_table_has_the_same_forms():
    tables = {name: options_of(command) for name, command in PAGES.items() if "--columns" in options_of(command)}
    assert tables.keys() == {
        "arena ratings", "arena crosstable", "arena history", "arena tournament list", "arena bots list",
        "arena contest people list",
    }  # fmt: skip
    assert all(options >= {"--json", "--csv"} and options & {"--db", "--contest"} for options in tables.values())


def options_of(command):
    return {name for parameter in command.params for name in parameter.opts}


@pytest.mark.parametrize("words", [("tournament", "list"), ("bots", "list", "--all")], ids=["tournaments", "bots"])
def test_a_list_has_the_columns_of_json_as_csv_and_in_the_terminal(words, played):
    rows, _ = ask(*words, "--db", played)
    read = list(csv.DictReader(io.StringIO(arena(*words, "--csv", "--db", played).stdout)))
    assert [list(row) for row in read] == [list(row) for row in rows]
    texts = {name: ", ".join(value) if isinstance(value, list) else value for name, value in rows[0].items()}
    assert read[0] == {name: "" if value is None else str(value) for name, value in texts.items()}
    name = next(iter(rows[0]))
    shown = arena(*words, "--columns", name, "--db", played).stdout
    assert shown.split()[0] == name
    assert str(rows[0][name]) in shown.split()
    refused = arena(*words, "--columns", "colour", "--db", played)
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert arena(*words, "--json", "--csv", "--db", played).stderr == "Error: choose one of --json and --csv\n"


@pytest.mark.slow
def test_a_check_is_its_steps_and_the_match_that_failed(tmp_path):
    bot = write_bot(tmp_path / "tired", choosing("raise ValueError('tired')"))
    record = tmp_path / "failed.arena"
    words = ("bot", "check", bot, "--sandbox", "process", "--clock", "10s/move", "--evidence", record)
    (result,), beside = ask(*words, code=1)
    assert (result["game"], result["passed"], result["sandbox"], result["seat"]) == ("claim", False, "process", 0)
    marks = [step["mark"] for step in result["steps"]]
    assert marks[:4] == ["passed", "passed", "failed", "skipped"]
    assert "ValueError: tired" in result["output"]
    assert result["evidence"] == str(record)
    assert record.exists()
    assert "Step 3 failed" in beside
    assert "Watch it happen" in beside


def test_every_command_that_plays_has_a_form_for_programs():
    """All that have a clock or a sandbox; who plays by hand needs none."""
    playing = {name for name, command in PAGES.items() if options_of(command) & {"--clock", "--sandbox"}}
    assert {name for name in playing if "--json" not in options_of(PAGES[name])} == {"arena play"}


def test_records_that_are_not_true_are_named(tmp_path):
    record = tmp_path / "game.arena"
    assert arena("match", "--game", "claim", "--bot", "random", "--seed", 3, "--out", record).exit_code == 0
    (true,), beside = ask("replay", "verify", record)
    assert (true["record"], true["true"], true["game"]) == (str(record), True, "claim")
    assert f"{true['moves']} moves, {true['reason']}" in beside
    (tmp_path / "cut.arena").write_bytes(record.read_bytes()[:-9])
    results, beside = ask("replay", "verify", record, tmp_path / "cut.arena", code=1)
    assert [result["true"] for result in results] == [True, False]
    assert results[1]["what"] in beside


def test_a_submission_is_said_as_in_bots_show(tmp_path):
    need_bubblewrap()
    bot = write_bot(tmp_path / "quick", choosing("return turn.legal[0]"))
    entry, beside = ask("submit", bot, "--owner", "alice", "--db", tmp_path / "db")
    assert [entry] == ask("bots", "show", "quick", "--db", tmp_path / "db")[0]
    assert (entry["owner"], entry["status"]) == ("alice", "ladder")
    assert "claim" in beside

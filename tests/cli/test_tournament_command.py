"""`arena tournament` as it is typed, with real programs: its formats, its budget, Ctrl-C, and what it shows."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

import pytest

from arena.cli.venue import SHARED
from tests.kits.contestants import arena, choosing, write_bot

pytestmark = [
    pytest.mark.slow,
    pytest.mark.real(reason="worker processes play, and some are interrupted"),
]

LEGAL = "return turn.legal[{}]"
BOTH = ('serve(B, game="claim")', 'serve({"claim": B, "kingdoms": B})')
PATIENT = ("--sandbox", "process", "--clock", "10s/move", "--seed", 5)


@pytest.fixture
def field(tmp_path):
    """Three quick bots that always do the same, and a store."""
    bodies = {"lowest": LEGAL.format(0), "highest": LEGAL.format(-1), "middle": LEGAL.format("len(turn.legal) // 2")}
    games = 'games = ["claim", "kingdoms"]'
    for name, body in bodies.items():
        folder = write_bot(tmp_path / name, choosing(body).replace(*BOTH))
        manifest = folder / "bot.toml"
        manifest.write_text(manifest.read_text().replace('games = ["claim"]', games))
    return [",".join(str(tmp_path / name) for name in bodies), "--db", tmp_path / "db"]


def ratings(field, game="claim"):
    return json.loads(arena("ratings", "--game", game, "--all", "--json", *field[1:]).output)


@pytest.mark.slow
def test_a_tournament_of_bots_that_are_elsewhere_is_not_gone_on_with(field, tmp_path):
    words = ("--format", "gauntlet", "--rounds", 50, "--budget", "1s", "--db", tmp_path / "db")
    arena("tournament", "--game", "claim", "--bots", f"{tmp_path / 'lowest'},first", *PATIENT, *words)
    arena("export", 1, "--out", tmp_path / "cup.gz", "--db", tmp_path / "db")
    arena("import", tmp_path / "cup.gz", "--db", tmp_path / "other")
    gone_on = arena("tournament", "resume", 1, "--budget", "1s", "--db", tmp_path / "other")
    assert re.fullmatch(
        r"Error: the files of lowest 1-\w{8} are not on this machine: `arena submit` them\n", gone_on.stderr
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "matches", "ending"),
    [
        (["--game", "claim", "--format", "swiss", "--rounds", 2], 4, "all 4 matches are played"),
        (["--game", "claim", "--format", "gauntlet", "--rounds", 1], 4, "all 4 matches are played"),
        (["--game", "kingdoms", "--seats", 3, "--rounds", 1], 3, "all 3 matches are played"),
        (["--game", "claim", "--format", "adaptive", "--top", 1, "--max-games", 6], 6, " after 6 matches"),
        (["--game", "kingdoms", "--format", "adaptive", "--seats", 3, "--max-games", 3], 3, " after 3 matches"),
    ],
    ids=["swiss", "gauntlet", "three seats", "adaptive", "adaptive with three seats"],
)
def test_every_format_ends_with_a_table_and_says_why(field, words, matches, ending):
    played = arena("tournament", "--bots", *field, *words, *PATIENT)
    assert played.exit_code == 0, played.output
    assert f", {matches} matches" in played.stdout
    assert played.stdout.strip().endswith(ending) or "certain" in played.stdout
    rows = ratings(field, words[1])
    assert sum(row["games"] for row in rows) == matches * (3 if "--seats" in words else 2)
    assert all(row["faults"] == 0 for row in rows)


def named(field):
    """The store, as messages name it."""
    where = field.index("--db")
    return " ".join(map(str, field[where : where + 2]))


@pytest.mark.slow
def test_a_budget_ends_in_time_and_the_same_command_goes_on(field):
    words = ["tournament", "--game", "claim", "--bots", *field, "--rounds", 500, "--budget", "6s", *PATIENT]
    started = time.monotonic()
    first = arena(*words)
    assert time.monotonic() - started < 60  # a busy machine starts bots slowly, and those are not cut off
    assert first.exit_code == 0, first.output
    assert f"no more fits into 6s; go on with: arena tournament resume 1 {named(field)} --budget 6s" in first.stdout
    before = sum(row["games"] for row in ratings(field))
    assert arena(*words).exit_code == 0
    assert sum(row["games"] for row in ratings(field)) >= before
    (listed,) = json.loads(arena("tournament", "list", "--json", *field[1:]).output)
    assert (listed["game"], listed["format"], listed["bots"], listed["state"]) == ("claim", "round-robin", 3, "stopped")
    assert listed["leader"] in ("lowest", "highest", "middle")
    assert "process (" in listed["weak_limits"][0]


BAD = [
    (["--top", "3"], "--top, --confidence and --max-games are for --format adaptive"),
    (["--format", "adaptive", "--rounds", "3"], "an adaptive tournament has no rounds"),
    (["--format", "adaptive", "--confidence", "1"], "Invalid value for '--confidence'"),
    (["--budget", "soon"], "'soon' is not a valid time: write 90s, 45m or 1h30m"),
    (["--budget", "0m"], "'0m' is not a valid time"),
    (["--format", "knockout"], "'knockout'"),
]


@pytest.mark.parametrize(("words", "complaint"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_bad_options_are_one_sentence(field, words, complaint):
    result = arena("tournament", "--game", "claim", "--bots", *field, "--sandbox", "process", *words)
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert result.stderr.count("\n") == 1


# -- a process of its own, with a process group and a terminal ------------------------------------------------


def begin(words, **streams):
    command = [sys.executable, "-m", "arena", "tournament", *map(str, words)]
    return subprocess.Popen(command, start_new_session=True, text=True, **streams)


def wait_for_matches(field, count):
    """Until the store has so many matches."""
    for _ in range(600):
        listed = arena("tournament", "list", "--json", *field[1:]).output
        if listed.startswith("[") and any(entry["matches"] >= count for entry in json.loads(listed)):
            return
        time.sleep(0.1)
    raise AssertionError(f"there were never {count} matches: {listed}")


@pytest.mark.slow
def test_ctrl_c_finishes_the_running_match_and_a_second_one_stops_at_once(field):
    slow = field[0].split(",")[0]
    source = f"import time\n{choosing(f'time.sleep(0.2){chr(10)}{LEGAL.format(0)}')}"
    with open(f"{slow}/bot.py", "w") as file:
        file.write(source.replace(*BOTH))
    words = ["--game", "claim", "--bots", *field, "--budget", "10m", "--json", *PATIENT]
    running = begin(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for_matches(field, 1)
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to everybody in the group
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert re.search(
        r"(finishing 1 running match|stopping, no match is running); press Ctrl-C again to stop at once", err
    )
    assert err.endswith(f"stopped; go on with: arena tournament resume 1 {named(field)} --budget 10m\n")
    result = json.loads(out)
    assert (result["stopped_by"], result["state"]) == ("interrupted", "stopped")
    assert [row for row in result["table"] if row["games"]] == ratings(field)  # some may not have met anybody yet
    assert all(row["faults"] == 0 for row in ratings(field))
    before = sum(row["games"] for row in ratings(field)) // 2
    endless = arena("tournament", "resume", 1, *field[1:])
    assert (endless.exit_code, endless.stderr.count("\n")) == (2, 1)
    assert "tournament 1 has no last round: say how long to go on, such as --budget 45m" in endless.stderr
    again = begin(["resume", "1", "--budget", "10m", *field[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for_matches(field, before + 1)
    os.killpg(again.pid, signal.SIGINT)
    while "press Ctrl-C again" not in again.stderr.readline():
        assert again.poll() is None
    os.killpg(again.pid, signal.SIGINT)
    _, err = again.communicate(timeout=60)
    assert again.returncode == 130, err
    assert "stopping at once; every match that was over is kept" in err
    assert sum(row["games"] for row in ratings(field)) // 2 > before
    assert all(row["faults"] == 0 for row in ratings(field))


@pytest.mark.slow
def test_a_pipe_gets_lines_with_the_leader_and_what_is_settled(field):
    words = ["--game", "claim", "--bots", *field, "--budget", "25s", *PATIENT]
    done = subprocess.run(
        [sys.executable, "-m", "arena", "tournament", *map(str, words)],
        capture_output=True, text=True, timeout=110, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    new, *lines = (line for line in done.stderr.splitlines() if line != SHARED)  # other tests play, too
    assert new.startswith("a new store is made: ")
    assert 1 <= len(lines) <= 4
    assert "\x1b" not in done.stderr
    for line in lines:
        progress = r"\d+ of about \d+ matches, .* left; (lowest|highest|middle) 1-\w{8} leads with .*"
        assert re.match(f"{progress}; (not all bots have met yet|.* settled)", line)
    assert "rating" not in done.stderr
    assert "rating" in done.stdout


@pytest.mark.slow
def test_a_terminal_gets_a_live_standing_and_keeps_only_the_table(field):
    ours, theirs = pty.openpty()
    running = begin(
        ["--game", "claim", "--bots", *field, "--rounds", 5, *PATIENT],
        stdin=theirs, stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "xterm", "COLUMNS": "110"},
    )  # fmt: skip
    os.close(theirs)
    shown = read_all(ours)
    assert running.wait(60) == 0
    assert re.search(r"\d+ of 30 matches, .* left", shown)
    assert "━" in shown
    assert re.search(r"(no place|top \d|all places) settled", shown)
    assert shown.rstrip().endswith("all 30 matches are played")


def read_all(terminal):
    """What is written to a terminal until everybody has let go of it."""
    shown = b""
    while select.select([terminal], [], [], 100)[0]:
        try:
            shown += os.read(terminal, 65536)
        except OSError:
            break
    os.close(terminal)
    return shown.decode()

"""What the command says when something fails that nobody expected, and when nobody listens."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.venue import SHARED
from tests.kits.contestants import arena, choosing, write_bot

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="commands are processes, and some are interrupted")]

FAILING = """
import sys
from arena.cli import games, main
def fail(**_):
    {}
games.games.callback = fail
main(["games"])
"""


def failing(statement, **streams):
    """`arena games` as a process of its own, in which this goes wrong."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.run([sys.executable, "-c", FAILING.format(statement)], text=True, check=False, **streams)


@pytest.mark.parametrize(
    "statement",
    ["raise TimeoutError('read timed out')", "raise ValueError('a\\nb')", "raise ExceptionGroup('x', [KeyError(1)])"],
)
def test_an_unexpected_error_is_called_ours_and_written_to_a_file(statement, tmp_path):
    done = failing(statement, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), done.stderr
    assert done.stderr.startswith("Error: this is a fault in Arena, not in what you did: ")
    path = Path(re.search(r"with the file (\S+)", done.stderr)[1])
    assert path.parent == tmp_path
    assert path.stat().st_mode & 0o777 == 0o600
    assert "Traceback" in path.read_text()
    assert "in fail" in path.read_text()


def test_without_a_place_for_the_file_the_traceback_is_said():
    done = failing("import tempfile; tempfile.tempdir = '/none'; raise ValueError('odd')")
    assert done.returncode == 1
    assert "Error: this is a fault in Arena" in done.stderr
    assert "in fail" in done.stderr


EXPECTED = [
    ("raise OSError(28, 'No space left on device', '/x')", "the system refused it: No space left on device: /x"),
    ("raise MemoryError", "the memory of this machine is used up"),
    ("from arena.errors import InfraError as E; raise ExceptionGroup('', [E('one'), E('two')])", "one"),
]


@pytest.mark.parametrize(("statement", "sentence"), EXPECTED, ids=[sentence for _, sentence in EXPECTED])
def test_what_the_machine_refuses_is_a_sentence(statement, sentence):
    done = failing(statement)
    assert (done.returncode, done.stderr) == (1, f"Error: {sentence}\n")


def test_ctrl_c_is_quiet():
    script = FAILING.format("print('here', flush=True); import time; time.sleep(60)")
    running = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout.readline() == "here\n"
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert (running.returncode, said.strip()) == (130, "Error: stopped")


def test_a_reader_that_has_seen_enough_is_no_error():
    command = f"{sys.executable} -m arena rules --plain rrr | true"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_without_a_stderr_the_exit_code_is_the_same(redirection):
    command = f"{sys.executable} -m arena dance {redirection}"
    assert subprocess.run(["sh", "-c", command], stdout=subprocess.DEVNULL, check=False).returncode == 2


def test_output_that_cannot_be_written_is_a_sentence():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "arena", "games"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (1, "Error: the system refused it: No space left on device\n")


def test_a_record_that_cannot_be_written_is_the_place_and_not_a_fault_of_ours():
    done = arena("match", "--game", "claim", "--bot", "random", "--bot", "first", "--out", "/proc/game.arena")
    assert done.exit_code == 2
    assert done.stderr == "Error: /proc/game.arena cannot be written: No such file or directory\n"


# -- what is shown on the way -----------------------------------------------------------------------------------

BLIND = """
import sys
from arena.cli import main, progress
def fail(*_):
    raise ZeroDivisionError("no fit")
for name in ("note", "renew", "render", "line"):
    setattr(progress.TournamentView, name, fail)
main(sys.argv[1:])
"""


@pytest.fixture
def words(tmp_path):
    places = {"a": 0, "b": -1}
    bots = [write_bot(tmp_path / name, choosing(f"return turn.legal[{place}]")) for name, place in places.items()]
    return [
        "tournament", "--game", "claim", "--bots", ",".join(map(str, bots)), "--rounds", "2", "--seed", "5",
        "--sandbox", "process", "--clock", "10s/move", "--db", str(tmp_path / "db"),
    ]  # fmt: skip


def check_complete(words, done):
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith("all 4 matches are played")
    (listed,) = json.loads(arena("tournament", "list", "--json", *words[-2:]).output)
    assert (listed["matches"], listed["state"]) == (4, "finished")


def test_a_view_that_fails_costs_no_tournament(words):
    done = subprocess.run([sys.executable, "-c", BLIND, *words], capture_output=True, text=True, check=False)
    check_complete(words, done)
    new, told = (line for line in done.stderr.splitlines() if line != SHARED)  # other tests play, too
    assert new.startswith("a new store is made: ")
    assert told.startswith("the progress display failed, but every result is saved: ZeroDivisionError")


def test_nor_does_one_in_a_terminal(words):
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", BLIND, *words], stdout=subprocess.PIPE, stderr=theirs, text=True, check=False,
        env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    check_complete(words, done)
    assert "every result is saved: ZeroDivisionError" in shown
    assert "Traceback" not in shown


def test_nor_does_a_terminal_that_goes_away(words):
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "arena", *words], stdout=subprocess.PIPE, stderr=theirs, stdin=subprocess.DEVNULL,
        text=True, env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)
    os.read(ours, 1)
    os.close(ours)
    out, _ = running.communicate(timeout=100)
    check_complete(words, subprocess.CompletedProcess(words, running.returncode, out, ""))


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full", "2>&1 >out | true"])
def test_nor_does_a_stderr_that_nobody_reads(words, tmp_path, redirection):
    # `line` comes after three seconds: here at once.
    script = "import sys; from arena.cli import main, progress; progress.FIRST_LINE = 0.0; main(sys.argv[1:])"
    command = f'"$@" {redirection}'
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command, "bash", sys.executable, "-c", script, *words],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    if "out" in redirection:
        done.stdout = (tmp_path / "out").read_text()
    check_complete(words, done)

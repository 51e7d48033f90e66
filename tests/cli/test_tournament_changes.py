"""What an organiser does with a tournament that has begun: title, close, exclude and add, and what lists say of it."""

import json
from dataclasses import replace

import click
import pytest

from arena.cli import main
from arena.cli.next_command import here, resume_command
from arena.store.leases import Holder
from arena.store.sql import Store
from tests.kits.contestants import arena
from tests.kits.tournaments import BASE

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="worker processes play")]

CUP = ("--game", "claim", "--bots", "first,random", "--clock", "10s/move", "--seed", 5, "--title", "<b>Cup</b> 7b")


@pytest.fixture(autouse=True)
def where(tmp_path, monkeypatch):
    """A store of its own."""
    monkeypatch.setenv("ARENA_DB", str(tmp_path / "db"))
    return tmp_path


def shown(number=1):
    return json.loads(arena("tournament", "show", number, "--json").stdout)


def test_a_cup_with_a_budget_is_closed_and_has_a_checksum(where):
    played = arena("tournament", *CUP, "--budget", "4s")
    for _ in range(5):  # on a busy machine a budget may end within a round, and it closes at a full one only
        if shown()["state"] == "closed":
            break
        played = arena("tournament", "resume", 1, "--budget", "4s")
    assert "since no other round fits into 4s: `arena tournament show 1` has its checksum" in played.output
    cup = shown()
    assert (cup["state"], cup["title"], bool(cup["checksum"])) == ("closed", "<b>Cup</b> 7b", True)
    assert f"checksum {cup['checksum']}" in arena("verify").stdout
    listed = arena("tournament", "list").stdout
    assert "<b>Cup</b" in listed  # folded
    assert "closed" in listed
    assert max(map(len, listed.splitlines())) <= 80
    assert 'title = "<b>Cup</b> 7b"' in arena("tournament", "show-config", 1).stdout
    assert "tournament 1 is closed, and nothing more is played" in arena("tournament", "resume", 1).stderr
    arena("export", 1, "-o", where / "cup.gz")
    assert arena("import", where / "cup.gz", "--db", where / "there").exit_code == 0
    there = json.loads(arena("tournament", "show", 1, "--json", "--db", where / "there").stdout)
    assert (there["state"], there["title"], there["checksum"]) == ("closed", cup["title"], cup["checksum"])
    assert arena("site", "build", where / "site").exit_code == 0
    page = (where / "site" / "tournaments" / "1.html").read_text()
    assert "&lt;b&gt;Cup&lt;/b&gt; 7b" in page
    assert "<b>Cup" not in page
    assert ", closed." in page


def test_bots_are_excluded_and_added_while_it_is_stopped(where):
    arena("tournament", *CUP, "--rounds", 500, "--budget", "2s")
    assert shown()["state"] == "stopped"
    store = Store(where / "db")
    store.report_run("run", 1, {"host": "elsewhere", "pid": 1})
    fence = store.take_lease("tournament 1", Holder("elsewhere", 1, "", ""), lambda _: False)
    assert (shown()["state"], json.loads(arena("tournament", "list", "--json").stdout)[0]["state"]) == ("running",) * 2
    for command in (["close", 1], ["add", 1, "greedy"], ["exclude", 1, "first"]):
        refused = arena("tournament", *command)
        assert refused.exit_code == 2
        assert "tournament 1 is being played by process 1 on elsewhere: stop it there with Ctrl-C" in refused.stderr
    store.end_run("run")
    store.release_lease(fence)
    store.close()
    assert "plays in tournament 1: arena tournament resume 1" in arena("tournament", "add", 1, "greedy").stdout
    assert "greedy 1 plays in tournament 1 already" in arena("tournament", "add", 1, "greedy").stderr
    assert (
        "it still plays in tournament 1: `arena tournament exclude 1 greedy`"
        in arena("bots", "retire", "greedy").stdout
    )
    gone = arena("tournament", "exclude", 1, "greedy")
    assert "greedy 1 plays no more in tournament 1; it has played no match: arena tournament" in gone.stdout
    assert "needs at least 2 bots" in arena("tournament", "exclude", 1, "first").stderr
    assert "tournament 1" not in arena("bots", "retire", "greedy").stdout
    assert shown()["excluded"] == ["greedy@1"]
    assert "  greedy@1 (excluded)\n" in arena("tournament", "show", 1).stdout
    assert "Excluded while it was played: greedy 1" in arena("ratings", "--tournament", 1, "--game", "claim").stdout
    assert 'bots = ["first@built-in", "random@built-in"]' in arena("tournament", "show-config", 1).stdout
    closed = arena("tournament", "close", 1)
    assert closed.stdout.startswith("tournament 1 is closed with ")
    assert "ok: " in arena("verify").stdout


@pytest.mark.parametrize("title", ["x" * 81, "a\nb", "a\x1b[31m", " a", "a\u202eb"])
def test_a_title_is_one_short_line_that_can_be_shown(title, where):
    refused = arena("tournament", *CUP[:-1], title)
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert "a title is one line of at most 80 printable characters" in refused.stderr
    assert list(where.iterdir()) == []


def test_the_commands_that_are_named_next_mean_the_same_store(where):
    there = where / "another store"
    stopped = arena("tournament", *CUP, "--rounds", 500, "--budget", "2s", "--db", there).output
    assert f"go on with: arena tournament resume 1 --db '{there}' --budget 2s" in stopped
    added = arena("tournament", "add", 1, "greedy", "--db", there).stdout
    assert added.endswith(f": arena tournament resume 1 --db '{there}'\n")


def test_how_long_to_go_on_is_named_where_there_is_no_last_round():
    assert resume_command(3, BASE) == "arena tournament resume 3"
    assert resume_command(3, replace(BASE, rounds=0)) == "arena tournament resume 3 --budget 45m"


def test_a_password_is_in_no_command_that_is_named_next():
    status = main.get_command(click.Context(main), "status")
    with status.make_context("status", ["--db", "postgresql://me:secret@127.0.0.1:1/cup?password=secret"]):
        assert here("arena status") == "arena status --db 'postgresql://me:***@127.0.0.1:1/cup'"

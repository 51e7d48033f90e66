"""Where the store is: a mistyped name is no empty store."""

import sys

import click
import pytest

from arena.cli.store import open_store
from tests.kits.contestants import arena

pytestmark = pytest.mark.slow

READING = [
    ["ratings", "--game", "claim"],
    ["crosstable", "--game", "claim"],
    ["history", "mine"],
    ["verify"],
    ["export", "1"],
    ["bots", "list"],
    ["bots", "show", "mine"],
    ["bots", "retire", "mine"],
    ["tournament", "list"],
    ["tournament", "resume", "1"],
    ["tournament", "show-config", "1"],
    ["replay", "show", "e91e5353"],
]


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_a_command_that_reads_makes_no_store(words, tmp_path):
    path = tmp_path / "mistyped.db"
    refused = arena(*words, "--db", path)
    assert refused.exit_code == 2, refused.output
    assert f"there is no store at {path}: look at --db" in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_new_store_in_which_nothing_was_played_is_taken_away_with_all_its_files(tmp_path):
    with click.Context(click.Command("refused")):
        open_store(str(tmp_path / "new.db"), make=True).clear_running(1)
    assert list(tmp_path.iterdir()) == []


def test_a_command_that_writes_says_that_it_makes_one(tmp_path):
    words = ("tournament", "--game", "claim", "--bots", "random,first", "--rounds", 1, "--db", tmp_path / "new.db")
    first, second = arena(*words), arena(*words)
    assert f"a new store is made: {tmp_path / 'new.db'}" in first.stderr
    assert "a new store" not in second.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["tournament", "--game", "claim", "--bots", "random,nobody"],
        ["tournament", "--game", "claim", "--rounds", "2", "--format", "adaptive"],
        ["test", "random", "nobody", "--game", "claim"],
    ],
    ids=" ".join,
)
def test_a_refused_command_leaves_no_store(words, tmp_path):
    """Otherwise the next command with the same mistyped name would find a store, and nobody would ever hear of it."""
    refused = arena(*words, "--db", tmp_path / "mistyped.db")
    assert refused.exit_code == 2, refused.output
    assert "store is made" not in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_one_pair_is_not_called_pairs(tmp_path):
    words = ("test", "random", "first", "--game", "claim", "--max-pairs", 1, "--seed", 1, "--db", tmp_path / "db")
    told = arena(*words)
    assert told.exit_code == 0, told.output
    assert told.stdout.startswith("1 pair, ")


@pytest.mark.parametrize("command", [["tournament"], ["test", "first", "random"]], ids=" ".join)
@pytest.mark.parametrize(
    ("module", "words", "extra"),
    [("prometheus_client", ["--metrics", "127.0.0.1:0"], "metrics"), ("ray", ["--executor", "ray"], "ray")],
)
def test_an_option_whose_extra_is_missing_stores_nothing(command, module, words, extra, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    refused = arena(*command, "--game", "claim", *words, "--db", tmp_path / "arena.db")
    assert refused.exit_code == 2, refused.output
    assert f"[{extra}]" in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_log_that_cannot_be_written_leaves_no_empty_tournament(tmp_path):
    words = ("--game", "claim", "--bots", "first,random", "--log-json", tmp_path / "none" / "log")
    refused = arena("tournament", *words, "--db", tmp_path / "db")
    assert "cannot be written" in refused.stderr
    assert list(tmp_path.iterdir()) == []

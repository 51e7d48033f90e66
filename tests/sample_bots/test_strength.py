"""The measurement of the sample bots: its statistics, its file and its table."""

import sys
from pathlib import Path

import pytest

from bench import strength
from bench.strength import Contest, Deal, Rate, append, read, table

CLAIM = Contest("claim", 2, "search:greedy", "cpu:0.2s/move")
ASSASSINS = Contest("assassins", 2, "search:greedy", "cpu:0.2s/move")


def run(monkeypatch, capsys, *arguments):
    """What the command prints."""
    monkeypatch.setattr(sys, "argv", ["strength", *map(str, arguments)])
    strength.main()
    return capsys.readouterr().out.splitlines()


def test_the_interval_is_that_of_independent_deals():
    rate = Rate.of([0.5, 1.0] * 50)
    assert rate.mean == 0.75
    assert rate.spread == pytest.approx(1.96 * 0.25 / 10, rel=0.05)
    assert rate.exceeds(0.69)
    assert not rate.exceeds(0.71)


def test_a_few_wins_prove_nothing():
    assert not Rate.of([1.0]).exceeds(0.5)
    assert not Rate.of([1.0, 1.0]).exceeds(0.6)
    assert Rate.of([1.0] * 20).exceeds(0.8)


def test_the_file_gives_back_what_was_played(tmp_path):
    deals = [Deal(0, (1.0, 0.5), 0), Deal(1, (0.0, 1.0), 1)]
    for deal in deals:
        append(tmp_path / "file", CLAIM, deal)
    append(tmp_path / "file", ASSASSINS, deals[0])
    assert read(tmp_path / "file") == {CLAIM: dict(enumerate(deals)), ASSASSINS: {0: deals[0]}}
    assert read(tmp_path / "none") == {}


def test_roles_are_compared_with_the_weaker_bot_against_itself():
    wins, mirror = {n: Deal(n, (1.0, 0.0), 0) for n in range(30)}, {n: Deal(n, (0.0, 0.0), 0) for n in range(30)}
    lines = list(table({ASSASSINS: wins, ASSASSINS.mirror: mirror}))
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| `assassins`", "| as king", "| as assassins"]
    assert [line[-3] for line in lines[2:]] == ["✗", "✓", "✗"]


@pytest.mark.slow
def test_a_stopped_run_goes_on_where_it_was(monkeypatch, capsys, tmp_path):
    options = ("--game", "claim", "--pair", "greedy:random", "--results", tmp_path / "file")
    run(monkeypatch, capsys, *options, "--deals", 1)
    before = (tmp_path / "file").read_text()
    lines = run(monkeypatch, capsys, *options, "--deals", 3)
    assert (tmp_path / "file").read_text().startswith(before)
    assert lines[-1].startswith("| `claim` | greedy:random | 6 |")
    assert run(monkeypatch, capsys, "--table", "--results", tmp_path / "file") == lines


def test_bots_that_are_not_there_are_named(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["strength", "--pair", "greedy:nobody"])
    with pytest.raises(SystemExit):
        strength.main()
    assert "greedy:nobody" in capsys.readouterr().err


def test_the_table_of_the_docs_is_what_was_measured():
    root = Path(strength.__file__).parents[1]
    lines = list(table(read(root / "bench" / "strength.jsonl")))
    assert len(lines) > 2
    assert "\n".join(lines) in (root / "docs" / "games.md").read_text()

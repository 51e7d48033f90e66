"""`arena test`: it tells the better bot from the worse one, and goes on where it stopped."""

import json
import re

import pytest

from arena.cli.sprt_report import numbers
from arena.schedules.sprt import Sprt
from tests.kits.contestants import arena, choosing, write_bot

pytestmark = pytest.mark.real(reason="tournaments are played by worker processes")

QUICK = ("--sandbox", "process", "--clock", "10s/move", "--seed", 5, "--sprt", "elo0=0", "elo1=100")


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    """A store of its own."""
    monkeypatch.setenv("ARENA_DB", str(tmp_path / "db"))


@pytest.mark.slow
def test_the_better_bot_is_better_and_the_worse_one_is_not(tmp_path):
    last = write_bot(tmp_path / "last", choosing("return turn.legal[-1]", "kingdoms"), "kingdoms")
    better = arena("test", last, "first", *QUICK)
    assert better.exit_code == 0, better.output
    assert re.fullmatch(
        r"\d+ pairs, score \d+.*%, Elo .* to .*, LLR .* \(-2.94 to 2.94\), LOS .*%\n"
        r"last 1 is better than built-in-first 1\n",
        better.stdout,
    )
    worse = arena("test", "first", last, *QUICK, "--json")
    assert worse.exit_code == 0, worse.output
    result = json.loads(worse.stdout)
    assert (result["verdict"], result["new"], result["old"]) == ("not better", "built-in-first", "last")
    assert result["sentence"] == "built-in-first 1 is not better than last 1 by 100 Elo"
    assert sum(result["counts"]) == result["pairs"]
    assert result["llr"] <= result["llr_lower"]
    listed = arena("tournament", "list").output
    assert re.search(r"2 +20\S+ +kingdoms +test +2 ", listed)
    assert max(map(len, listed.splitlines())) <= 80


def test_two_players_of_our_own_are_not_decided_after_a_few_pairs():
    words = ("test", "first", "random", "--game", "claim", "--max-pairs", 3, "--seed", 5, "--clock", "10s/move")
    undecided = arena(*words)
    assert undecided.exit_code == 0, undecided.output
    assert undecided.stdout.startswith("3 pairs, score ")
    assert undecided.stdout.endswith(
        "not decided after 3 pairs whether built-in-first 1 is better than built-in-random 1\n"
    )
    assert (
        arena("tournament", "resume", 1).stderr
        == "Error: tournament 1 is a test: the same `arena test` goes on with it\n"
    )
    assert arena("bots", "list").exit_code == 0


@pytest.mark.slow
def test_a_test_goes_on_where_its_budget_ended():
    words = ("test", "first", "random", "--game", "claim", "--max-pairs", 60, "--seed", 5, "--clock", "10s/move")
    runs = [arena(*words, "--budget", "1s", "--json")]
    while "go on with" in runs[-1].stderr:
        runs.append(arena(*words, "--budget", "1s", "--json"))
    results = [json.loads(run.stdout) for run in runs]
    assert all(run.exit_code == 0 for run in runs)
    assert {result["tournament"] for result in results} == {1}
    assert results[-1]["pairs"] == 60


def test_pairs_after_one_that_is_not_over_are_left_out_and_counted():
    text = numbers(Sprt(0.0, 30.0, 0.05, 0.05, (1, 0, 2, 0, 1)), 3)
    assert text.endswith("; 3 later pairs left out: deals count in their order, and an earlier one is not over")
    assert "left out" not in numbers(Sprt(0.0, 30.0, 0.05, 0.05, (1, 0, 2, 0, 1)))
    assert numbers(Sprt(0.0, 30.0, 0.05, 0.05), 1).startswith("no pair is complete yet; 1 later pair left out")


def test_a_likelihood_of_superiority_is_never_rounded_to_certainty():
    assert "LOS >99.9%" in numbers(Sprt(0.0, 30.0, 0.05, 0.05, (0, 10, 50, 60, 40)))


BAD = [
    (["first"], "a test is between two bots, but 1 were named"),
    (["first", "random"], "say which game is played, such as --game claim: both play assassins, claim"),
    (["first", "first", "--game", "claim"], "a bot cannot be tested against itself"),
    (
        ["first", "random", "--game", "claim", "--sprt", "elo0=0", "elo2=3"],
        "a test has no 'elo2': it has elo0=0, elo1=10",
    ),
    (["first", "random", "--game", "claim", "--sprt", "elo0=much"], "elo0 must be a number, not 'much'"),
    (["first", "random", "--game", "claim", "--sprt", "elo0=10", "elo1=0"], "a sequential test needs elo0 below elo1"),
    (["first", "random", "--game", "claim", "--sprt", "elo0=nan"], "a sequential test needs elo0 below elo1"),
    (["first", "nobody", "--game", "claim"], "'nobody'"),
]


@pytest.mark.parametrize(("words", "complaint"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_bad_words_are_one_sentence(words, complaint):
    result = arena("test", *words)
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert result.stderr.count("\n") == 1

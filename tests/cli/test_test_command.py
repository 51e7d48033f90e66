"""`arena test`: it tells the better bot from the worse one, and goes on where it stopped."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from arena.cli.fault_report import BotFaults
from arena.cli.sprt_report import FinalReport, numbers
from arena.schedules.sprt import Sprt
from arena.store.base import BotEntry
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
        r"last 1-[0-9a-f]{8} is better than first built-in\n",
        better.stdout,
    )
    worse = arena("test", "first", last, *QUICK, "--json")
    assert worse.exit_code == 0, worse.output
    result = json.loads(worse.stdout)
    assert (result["verdict"], result["new"], result["old"]) == ("not better", "first", "last")
    assert re.fullmatch(r"first built-in is not better than last 1-[0-9a-f]{8} by 100 Elo", result["sentence"])
    assert sum(result["counts"]) == result["pairs"]
    assert result["llr"] <= result["llr_lower"]
    listed = arena("tournament", "list").output
    assert re.search(r"2 +20\S+ +kingdoms +test +2 ", listed)
    assert max(map(len, listed.splitlines())) <= 80


@pytest.mark.slow
def test_a_bot_that_never_starts_gets_no_verdict(tmp_path):
    broken = write_bot(tmp_path / "broken", "print('no such module: torch', flush=True)\nraise SystemExit(3)")
    words = ("test", broken, "first", *QUICK)
    stopped = arena(*words)
    assert stopped.exit_code == 3, stopped.output
    assert re.search(r"broken 1-\w{8} was at fault in 4 of 4 matches \(NO_START 4\), the last time: ", stopped.stdout)
    assert "it printed:\n  no such module: torch\n" in stopped.stdout
    assert "is not better" not in stopped.output
    assert re.search(r"Error: broken 1-\w{8} was at fault in 4 matches in a row", stopped.stderr)
    assert f"`arena bot check {broken} --game claim` finds out why" in stopped.stderr
    again = arena(*words, "--json")
    result = json.loads(again.stdout)
    assert (again.exit_code, result["verdict"], result["stopped_by"]) == (3, "not decided", "faults")
    assert result["faults"][0]["endings"] == {"NO_START": 8}
    assert "no such module" in result["faults"][0]["output"]
    assert arena("verify").exit_code == 0


def test_a_verdict_by_forfeits_alone_says_so():
    test = Sprt(0.0, 100.0, 0.05, 0.05)
    bot = BotEntry(1, "late", "1", "", "", "/bots/late", ("claim",), retired=False, created=datetime.now(UTC))
    faults = [BotFaults(bot, 60, {"TIME": 29}, "it was late", "")]
    report = FinalReport(test.after([(0.0, 0.0)] * 30), 0, faults, test.after([(0.0, 0.0)]))
    assert report.by_forfeits
    assert report.plain([bot, bot], 1)["by_forfeits"]
    assert "late 1 was at fault in 29 of 60 matches (TIME 29), the last time: it was late; it printed: nothing" in (
        report.text([bot, bot])
    )
    assert str(report.not_by_play("claim")) == (
        "faults of late 1 have decided this test: 1 pair without a fault would not: `arena bot check /bots/late --game "
        "claim` finds out why"
    )
    assert not replace(report, fair=report.test).by_forfeits


def test_two_players_of_our_own_are_not_decided_after_a_few_pairs():
    words = ("test", "first", "random", "--game", "claim", "--max-pairs", 3, "--seed", 5, "--clock", "10s/move")
    undecided = arena(*words)
    assert undecided.exit_code == 0, undecided.output
    assert undecided.stdout.startswith("3 pairs, score ")
    assert undecided.stdout.endswith(
        "not decided after 3 pairs whether first built-in is better than random built-in\n"
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

"""The soak runs and can fail; `make soak` does it for an hour."""

import random

import pytest

from arena.store.base import MatchEntry, SeatResult
from tests.hostile import backends
from tests.kits.needs import need
from tools import soak

NAMES = {1: "honest_random_0", 2: "hangs"}


@pytest.mark.real(reason="bots play in sandboxes")
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_short_soak_hurts_no_honest_bot():
    need(backends.BACKENDS["bubblewrap"].missing())
    (turn,) = soak.soak(minutes=0.4, seed=3)
    assert turn.matches
    assert turn.memory
    assert turn.sandboxed
    assert turn.problems == []


def test_the_hostile_bots_of_the_soak_are_of_many_kinds():
    among = soak.candidates()
    assert len({case.name for case in among}) > 30
    chosen = soak.choose(random.Random(1), among)
    assert len({case.name for case in chosen}) == soak.HOSTILE


@pytest.mark.parametrize(
    ("endings", "problems"), [(("NORMAL", "TIME"), 0), (("TIME", "NORMAL"), 1), (("CRASH", "CRASH"), 1)]
)
def test_a_fault_of_an_honest_bot_is_a_problem(endings, problems):
    turn = soak.Turn("claim", strikes=0, seconds=1.0)
    seats = tuple(SeatResult(bot, 1, 0.0, ending, "", 0, 0) for bot, ending in enumerate(endings, 1))
    turn.matches.append(MatchEntry(1, "m", 0, "", 0, "", 0, "", seats))
    soak.judge(turn, NAMES)
    assert len(turn.problems) == problems


def test_void_matches_growth_and_idleness_are_problems():
    # The second process was started late, and the third has not loaded everything yet.
    memory = {
        1: [(1.0, 1), (5.0, 100_000), (9.0, 150_000)],
        2: [(3.0, 1), (7.0, 90_000), (8.0, 140_000), (9.0, 120_000)],
    }
    memory[3] = [(0.1, 1), (3.0, 300_000)]
    turn = soak.Turn("claim", strikes=0, seconds=1.0, void=2, memory=memory)
    soak.judge(turn, NAMES)
    assert turn.problems == ["2 matches are void", "the referee grew by 97 MiB", "no match was played"]


@pytest.mark.slow
def test_what_is_left_is_found(tmp_path):
    (tmp_path / "forgotten").touch()
    turn = soak.Turn("claim", strikes=0, seconds=1.0)
    assert soak.left_over(turn, 0, tmp_path) == [f"left: file {tmp_path / 'forgotten'}"]

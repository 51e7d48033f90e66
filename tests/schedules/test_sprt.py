"""The sequential test: its numbers, and its error rates in simulation."""

import math

import numpy as np
import pytest

from arena.errors import UsageError
from arena.schedules.outcomes import FixtureResult, Outcomes
from arena.schedules.sprt import (
    PairSchedule,
    Sprt,
    SprtDecision,
    elo_of,
    later_pairs,
    leading_pairs,
    log_likelihood_ratio,
    score_of,
)
from bench.sprt import measure


@pytest.mark.slow
def test_error_rates_are_what_was_asked_for():
    test = Sprt(elo0=0.0, elo1=50.0, alpha=0.05, beta=0.1)
    # The standard error over 800 runs is 0.8 % and 1.1 %.
    assert measure(test, 0.0, runs=800, seed=1).accepted == pytest.approx(0.05, abs=0.025)
    assert 1.0 - measure(test, 50.0, runs=800, seed=2).accepted == pytest.approx(0.10, abs=0.03)


def test_bounds_are_walds():
    assert Sprt(0.0, 10.0, 0.05, 0.05).bounds == pytest.approx((-math.log(19), math.log(19)))


def test_the_normal_approximation_agrees_for_many_pairs():
    counts = np.array([500, 2500, 5000, 2700, 560])
    scores = np.arange(5) / 4
    mean = counts @ scores / counts.sum()
    variance = counts @ (scores - mean) ** 2 / counts.sum()
    s0, s1 = score_of(0.0), score_of(5.0)
    normal = counts.sum() * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    assert float(log_likelihood_ratio(counts, 0.0, 5.0)) == pytest.approx(normal, rel=0.01)


def test_pairs_are_counted_and_decide():
    test = Sprt(0.0, 50.0, 0.05, 0.05)
    assert test.report().decision is SprtDecision.CONTINUE
    assert test.report().interval == (-math.inf, math.inf)
    assert test.after([(1.0, 0.5), (0.0, 0.0), (0.5, 0.5)]).counts == (1, 0, 1, 1, 0)
    better = Sprt(0.0, 50.0, 0.05, 0.05, (5, 20, 50, 60, 30)).report()
    assert better.decision is SprtDecision.ACCEPT_H1
    assert better.interval[0] < better.elo < better.interval[1]
    assert better.los > 0.99
    assert Sprt(0.0, 50.0, 0.05, 0.05, (30, 60, 50, 20, 5)).report().decision is SprtDecision.ACCEPT_H0


def test_pairs_after_the_decision_do_not_count():
    test = Sprt(0.0, 100.0, 0.05, 0.05)
    won, lost = [(1.0, 1.0)] * 200, [(0.0, 0.0)] * 200
    decided = test.after(won)
    assert decided.report().decision is SprtDecision.ACCEPT_H1
    assert decided.report().pairs < 200
    assert test.after(won + lost) == decided
    assert test.after(won[:3]).counts == (0, 0, 0, 0, 3)
    assert test.after([]) == test


@pytest.mark.parametrize(
    ("ranks", "most", "decision"), [((1, 2), 30, SprtDecision.ACCEPT_H1), ((1, 1), 5, SprtDecision.CONTINUE)]
)
def test_a_schedule_of_pairs_ends_with_the_test_or_its_cap(ranks, most, decision):
    test = Sprt(0.0, 100.0, 0.05, 0.05)
    schedule, finished, deals = PairSchedule(test, most), Outcomes(), []
    while rounds := schedule.rounds(finished):
        assert all([fixture.seating for fixture in each] == [(0, 1), (1, 0)] for each in rounds)
        for place, fixture in enumerate((fixture for pair in rounds for fixture in pair), len(finished)):
            finished.note(place, FixtureResult(fixture.seating, ranks if fixture.seating[0] == 0 else ranks[::-1]))
            deals.append(fixture.deal)
        assert finished.finish(finished.end)
    pairs = len(finished) // 2
    assert test.after(leading_pairs(finished)).report().decision is decision
    assert (pairs < most) == (decision is SprtDecision.ACCEPT_H1)
    assert deals[::2] == deals[1::2] == list(range(pairs))


def test_points_are_the_first_bots_from_either_seat():
    finished = Outcomes()
    finished.note(0, FixtureResult((0, 1), (1, 2)))
    finished.note(1, FixtureResult((1, 0), (1, 2)))
    assert leading_pairs(finished) == [(1.0, 0.0)]


def test_the_test_is_fair_to_both_sides():
    counts = (3, 9, 20, 14, 6)
    there, back = (float(log_likelihood_ratio(c, -10.0, 10.0)) for c in (counts, counts[::-1]))
    assert there == pytest.approx(-back)
    assert Sprt(-10.0, 10.0, 0.05, 0.05, counts).report().los == pytest.approx(
        1.0 - Sprt(-10.0, 10.0, 0.05, 0.05, counts[::-1]).report().los
    )


@pytest.mark.parametrize("counts", [(0, 0, 0, 0, 1000), (1000, 0, 0, 0, 0), (0, 0, 10**6, 0, 0), (0, 0, 0, 0, 0)])
def test_one_sided_counts_stay_finite(counts):
    assert np.isfinite(log_likelihood_ratio(counts, 0.0, 10.0))
    assert 0.0 <= Sprt(0.0, 10.0, 0.05, 0.05, counts).report().los <= 1.0


def test_elo_and_score_are_inverse():
    for elo in (-300.0, 0.0, 12.5, 700.0):
        assert elo_of(score_of(elo)) == pytest.approx(elo)
    assert elo_of(1.0) == math.inf


def test_nonsense_is_refused():
    with pytest.raises(UsageError):
        Sprt(10.0, 0.0, 0.05, 0.05)


def test_pairs_count_in_the_order_of_the_deals_whatever_ended_first():
    """Quick wins of later deals say nothing while an earlier deal is still played."""
    won, lost = FixtureResult((0, 1), (1, 2)), FixtureResult((0, 1), (2, 1))
    played = Outcomes()
    for place in (8, 9, 6, 7, 0, 2, 1):
        played.note(place, lost if place < 2 else won)
    assert leading_pairs(played) == [(0.0, 0.0)]
    assert later_pairs(played, 1) == 2
    played.note(3, won)
    played.note(4, won)
    assert (leading_pairs(played), later_pairs(played, 2)) == ([(0.0, 0.0), (1.0, 1.0)], 2)
    played.note(5, won)
    assert (len(leading_pairs(played)), later_pairs(played, 5)) == (5, 0)


def test_fast_wins_do_not_decide_a_test_that_was_stopped():
    """Equal bots whose wins are quicker than their losses: what is over first would call one of them better."""
    test, won, lost = Sprt(0.0, 50.0, 0.05, 0.05), FixtureResult((0, 1), (1, 2)), FixtureResult((0, 1), (2, 1))
    played = Outcomes()
    for pair in range(400):
        if pair % 2 == 0 or pair < 40:
            for place in (2 * pair, 2 * pair + 1):
                played.note(place, won if pair % 2 == 0 else lost)
    by_ending = [(1.0, 1.0) if pair % 2 == 0 else (0.0, 0.0) for pair in range(400) if pair % 2 == 0 or pair < 40]
    assert test.after(by_ending).report().decision is SprtDecision.ACCEPT_H1
    assert test.after(leading_pairs(played)).report().decision is SprtDecision.CONTINUE
    assert later_pairs(played, len(leading_pairs(played))) == 179

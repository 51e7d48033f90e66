"""Intervals of rank and the chance to be the best come from the joint posterior."""

import numpy as np
import pytest

from arena.match import percent
from arena.ratings import Result, collect, rate
from tests.ratings.rating_field import ENV, simulate


def test_nothing_is_known_before_the_first_match():
    rows = rate(collect([], bots="abcd"), ENV).rows
    assert {row.ranks for row in rows} == {(1, 4)}
    assert [row.best for row in rows] == pytest.approx([0.25] * 4, abs=0.02)
    assert [row.sigma for row in rows] == pytest.approx([ENV.sigma] * 4)


def test_a_clear_order_is_certain():
    rows = rate(collect(Result(pair, (1, 2), count=200) for pair in (("a", "b"), ("b", "c"))), ENV).rows
    assert [(row.bot, row.ranks) for row in rows] == [("a", (1, 1)), ("b", (2, 2)), ("c", (3, 3))]
    assert rows[0].best == pytest.approx(1.0, abs=1e-3)


def test_no_number_of_matches_makes_the_chance_to_be_best_all_or_nothing():
    first, last = rate(collect([Result(("a", "b"), (1, 2), count=2000)]), ENV).rows
    assert 0.0 < last.best < 1e-3
    assert first.best < 1.0
    assert (percent(first.best), percent(last.best)) == (">99%", "<1%")
    assert rate(collect([], bots="a"), ENV).rows[0].best == 1.0


def test_equal_bots_share_the_chance_to_be_best():
    rows = rate(collect([Result(("a", "b"), (1, 2), count=30), Result(("b", "a"), (1, 2), count=30)]), ENV).rows
    assert rows[0].best == pytest.approx(0.5, abs=0.02)
    assert rows[0].ranks == (1, 2)


def test_the_offset_common_to_all_does_not_widen_intervals():
    rows = rate(collect([Result(("a", "b"), (1, 2), count=3000), Result(("b", "a"), (1, 2), count=2000)]), ENV).rows
    assert rows[0].sigma > 5.0  # where both stand among all conceivable bots is hardly known ...
    assert rows[0].field_sigma < 0.1  # ... but their distance is
    assert [row.ranks for row in rows] == [(1, 1), (2, 2)]


@pytest.mark.slow
def test_intervals_hold_the_true_rank_as_often_as_they_say():
    inside, best = [], []
    for seed in range(60):
        skills, results = simulate((7, seed), 8, 60)
        table = rate(results, ENV)
        places = {f"{number:03}": place for place, number in enumerate(np.argsort(-skills), start=1)}
        inside += [row.ranks[0] <= places[row.bot] <= row.ranks[1] for row in table.rows]
        best += [(row.best, places[row.bot] == 1) for row in table.rows]
        assert sum(row.best for row in table.rows) == pytest.approx(1.0)
    assert 0.93 <= np.mean(inside) <= 1.0
    said, was = np.array(best).T
    assert abs(said[said > 0.3].mean() - was[said > 0.3].mean()) < 0.1

"""The table is a function of the set of results: their order, and the names' order of appearance, do not matter."""

import numpy as np
import pytest
import trueskill
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings import Result, collect, rate
from tests.ratings.rating_field import ENV

NAMES = "abcdef"


@st.composite
def results(draw):
    seats = draw(st.integers(2, 4))
    bots = draw(st.permutations(NAMES))[:seats]
    ranks = draw(st.lists(st.integers(1, seats), min_size=seats, max_size=seats))
    return Result(tuple(bots), tuple(ranks), count=draw(st.sampled_from([1, 1, 2, 50])))


@pytest.mark.slow
@settings(max_examples=10)
@given(st.lists(results(), min_size=1, max_size=15), st.randoms(use_true_random=False))
def test_a_shuffled_history_gives_the_same_table(history, random):
    shuffled = list(history)
    random.shuffle(shuffled)
    for role_sigma in (0.0, ENV.beta):
        left, right = (rate(collect(rows), ENV, role_sigma=role_sigma) for rows in (history, shuffled))
        assert left.rows == right.rows
        assert left.advantages == right.advantages
        np.testing.assert_array_equal(left.posterior.covariance, right.posterior.covariance)


@settings(max_examples=10)
@given(st.lists(results(), min_size=1, max_size=15))
def test_the_mean_of_all_skills_stays_where_the_prior_put_it(history):
    known = rate(collect(history), ENV).posterior
    assert abs(known.mu.mean() - ENV.mu) < 1e-9


@settings(max_examples=10)
@given(st.lists(results(), min_size=1, max_size=15))
def test_new_names_for_the_bots_change_nothing_else(history):
    renamed = [Result(tuple(chr(219 - ord(bot)) for bot in row.bots), row.ranks, count=row.count) for row in history]
    left, right = rate(collect(history), ENV).posterior, rate(collect(renamed), ENV).posterior
    np.testing.assert_allclose(left.mu, right.mu[::-1], rtol=0, atol=1e-6)
    np.testing.assert_allclose(left.sigma, right.sigma[::-1], rtol=0, atol=1e-6)


def test_win_and_loss_cancel_in_either_order():
    """The package gives two ratings for a win and a loss against each other (sublee/trueskill#63)."""
    rows = [Result(("a", "b"), (1, 2)), Result(("a", "b"), (2, 1))]
    known = rate(collect(rows), ENV).posterior
    np.testing.assert_allclose(known.mu, ENV.mu, rtol=0, atol=1e-9)
    first = trueskill.rate_1vs1(ENV.create_rating(), ENV.create_rating(), env=ENV)
    second = trueskill.rate_1vs1(first[1], first[0], env=ENV)
    assert abs(second[0].mu - second[1].mu) > 0.1

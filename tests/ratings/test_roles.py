"""What a seat is worth is estimated along, and does not spoil the skills."""

import numpy as np
import pytest

from arena.ratings import Result, collect, fit, rate, rate_by_role
from tests.ratings.rating_field import ENV, simulate


def test_the_first_seat_advantage_is_found():
    _, results = simulate(3, 12, 4000, 2, advantages=np.array([1.5, -1.5]))
    table = rate(results, ENV, role_sigma=ENV.beta)
    first, second = table.advantages
    assert first.role == "seat 0"
    assert abs(first.value - 1.5) < 3 * first.sigma < 0.5
    assert first.value + second.value == pytest.approx(0.0, abs=1e-9)


def test_the_advantages_of_four_seats_are_found():
    truth = np.array([2.0, 0.5, -0.5, -2.0])
    _, results = simulate(4, 8, 1500, 4, advantages=truth)
    for found, true in zip(rate(results, ENV, role_sigma=ENV.beta).advantages, truth):
        assert abs(found.value - true) < 3.5 * found.sigma


def test_roles_matter_when_a_bot_always_has_the_better_seat():
    rows = [
        Result(("a", "b"), (1, 2), ("king", "assassins"), count=60),
        Result(("a", "b"), (2, 1), ("king", "assassins"), count=40),
    ]
    rows += [
        Result(("c", "d"), (1, 2), ("king", "assassins"), count=30),
        Result(("d", "c"), (1, 2), ("king", "assassins"), count=30),
    ]
    plain, aware = (rate(collect(rows), ENV, role_sigma=s).posterior for s in (0.0, ENV.beta))
    assert aware.mu[0] - aware.mu[1] < plain.mu[0] - plain.mu[1]
    assert aware.sigma[0] > plain.sigma[0]


def test_without_advantages_roles_change_nothing():
    named = [Result(("a", "b"), (1, 2), ("king", "assassins")), Result(("b", "a"), (1, 2), ("king", "assassins"))]
    plain = [Result(row.bots, row.ranks) for row in named]
    left, right = (fit(collect(rows), ENV) for rows in (named, plain))
    np.testing.assert_array_equal(left.mean, right.mean)
    np.testing.assert_array_equal(left.covariance, right.covariance)
    assert rate(collect(named), ENV).advantages == ()


def test_each_role_has_a_table_of_its_own():
    rows = [
        Result(("strong king", "strong assassin"), (1, 2), ("king", "assassins"), count=50),
        Result(("strong assassin", "strong king"), (2, 1), ("king", "assassins"), count=1),
        Result(("strong assassin", "other"), (2, 1), ("king", "assassins"), count=20),
        Result(("other", "strong assassin"), (2, 1), ("king", "assassins"), count=20),
        Result(("strong king", "other"), (1, 2), ("king", "assassins"), count=20),
        Result(("other", "strong king"), (1, 2), ("king", "assassins"), count=20),
    ]
    tables = rate_by_role(collect(rows), ENV, role_sigma=ENV.beta)
    assert tables["king"][0].bot == "strong king"
    assert tables["king"][0].games == 70
    assert tables["assassins"][0].bot == "strong assassin"
    assert tables["assassins"][0].games == 70

"""Sigma is honest: true skills drawn from the prior lie within two of them as often as they should."""

import numpy as np
import pytest
from rating_field import ENV, simulate

from arena.ratings import fit


def share_within(two, *, fields, bots, matches, seats):
    inside = []
    for seed in range(fields):
        skills, results = simulate((seats, matches, seed), bots, matches, seats)
        known = fit(results, ENV)
        inside.append(np.abs(known.mu - skills) < two * known.sigma)
    return np.mean(inside)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bots", "matches", "seats"),
    [(10, 15, 2), (10, 400, 2), (8, 60, 3), (8, 60, 4)],
    ids=["few", "many", "three", "four"],
)
def test_true_skills_lie_within_two_sigma(bots, matches, seats):
    assert 0.93 <= share_within(2.0, fields=150, bots=bots, matches=matches, seats=seats) <= 0.97

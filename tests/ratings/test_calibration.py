"""Sigma is honest: true skills drawn from the prior lie within two of them as often as they should."""

import numpy as np
import pytest

from arena.ratings import fit
from tests.ratings.rating_field import ENV, simulate

# The offset common to all bots of a field errs for all of them at once. In a large field it is small, so that the bots
# are nearly independent and the share below has a standard error of 0.6 %; with 8 bots it would be three times that.
BOTS = 40
FIELDS = 50


def share_within(two, matches, seats):
    inside = []
    for seed in range(FIELDS):
        skills, results = simulate((seats, matches, seed), BOTS, matches, seats)
        known = fit(results, ENV)
        inside.append(np.abs(known.mu - skills) < two * known.sigma)
    return np.mean(inside)


@pytest.mark.slow
@pytest.mark.parametrize(("matches", "seats"), [(60, 2), (400, 2), (100, 3), (60, 4)])
def test_true_skills_lie_within_two_sigma(matches, seats):
    assert 0.93 <= share_within(2.0, matches, seats) <= 0.97

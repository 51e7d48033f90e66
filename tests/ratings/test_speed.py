"""Many results cost little; the bench tells how little."""

from time import perf_counter

import numpy as np
import pytest

from arena.ratings import block, rate
from tests.ratings.rating_field import ENV, play, results_of


@pytest.mark.slow
def test_two_hundred_thousand_results_of_a_hundred_bots():
    rng = np.random.default_rng(5)
    chosen, ranks = play(rng, rng.normal(ENV.mu, ENV.sigma, 100), 200_000, 2)
    started = perf_counter()
    results = results_of(100, block(chosen, ranks))
    table = rate(results, ENV)
    assert perf_counter() - started < 20.0
    assert results.matches == 200_000
    assert table.posterior.iterations < 60

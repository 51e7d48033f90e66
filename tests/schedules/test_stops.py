"""An adaptive tournament that says 95 % is right that often, also in fields of near rivals."""

import numpy as np
import pytest

from arena.ratings import Results, block, fit
from arena.ratings.model import ROLE_SIGMA
from arena.schedules.adaptive import next_groups
from arena.schedules.certainty import certainty
from bench.adaptive_stops import Fields, next_pairs, simulate
from tests.ratings.rating_field import ENV

pytestmark = pytest.mark.slow

BOTS = 5


@pytest.fixture(scope="module")
def fields():
    """Three tournaments with some results."""
    rng, fields = np.random.default_rng(4), Fields(3, BOTS)
    often = np.array([[4.0, 2.0, 0.5], [0.5, 0.5, 0.2], [900.0, 700.0, 90.0]])
    fields.counts[:] = rng.poisson(often[:, :, None], fields.counts.shape)
    fields.learn(np.arange(3))
    return fields


def known(fields, run):
    """The same by the ratings themselves."""
    rows, ranks, counts = [], [], []
    for outcome, each in enumerate(((1, 2), (2, 1), (1, 1))):
        for pair, count in zip(fields.pairs, fields.counts[run, outcome]):
            if count:
                rows.append(pair)
                ranks.append(each)
                counts.append(int(count))
    names = tuple(f"{number:05}" for number in range(BOTS))
    return fit(Results(names, ("a", "b"), (block(rows, ranks, counts=counts),)), ENV, role_sigma=ROLE_SIGMA)


@pytest.mark.parametrize("run", range(3))
def test_the_bench_knows_what_the_ratings_know(fields, run):
    posterior = known(fields, run)
    np.testing.assert_allclose(ENV.mu + fields.mean[run, :BOTS], posterior.mu, rtol=0, atol=1e-5)
    np.testing.assert_allclose(fields.covariance[run, :BOTS, :BOTS], posterior.skills, rtol=0, atol=1e-5)


@pytest.mark.parametrize("top", [1, 3])
def test_the_bench_chooses_as_the_schedule_does(fields, top):
    mean, covariance = ENV.mu + fields.mean[:, :BOTS], fields.covariance[:, :BOTS, :BOTS]
    chosen = []
    for _ in range(4):
        pairs, covariance = next_pairs(mean, covariance, top)
        chosen.append(pairs)
    for run in range(3):
        skills = fields.covariance[run, :BOTS, :BOTS]
        groups = next_groups(mean[run], skills, top=top, games=2, count=4)
        assert [tuple(pairs[run]) for pairs in chosen] == groups


@pytest.mark.parametrize(("spread", "runs"), [(0.5, 150), (2.0, 40), (8.3, 40)])
def test_stops_are_right(spread, runs):
    """The bench does this with a thousand stops of each; here the standard error is about 4 %."""
    stops = simulate(spread, runs=runs, bots=4, top=1, seed=2, most=400)
    right = stops.right[stops.certain]
    assert len(right) >= 10
    assert right.mean() >= 0.88


def test_a_lead_among_near_rivals_convinces_less():
    """The same lead between two: among others as far apart it is nothing special, among equals it may be luck."""
    covariance = np.full((6, 6), 10.0) + np.eye(6)
    apart, near = np.array([30.0, 26.5, 20.0, 15.0, 10.0, 5.0]), np.array([30.0, 26.5, 26.5, 26.5, 26.5, 26.5])
    assert certainty(apart, covariance, 1) > certainty(near, covariance, 1)


def test_nothing_is_certain_before_a_match():
    mean, covariance = np.full(6, ENV.mu), np.eye(6) * ENV.sigma**2
    assert certainty(mean, covariance, 1) == pytest.approx(1 / 6, abs=0.02)

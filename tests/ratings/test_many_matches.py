"""However many matches there are and however one-sided they were, there is a table, and it is the right one."""

import sys
from math import erf, sqrt

import numpy as np
import pytest

from arena.ratings import Result, block, collect, fit, rate
from arena.schedules.certainty import certainty
from tests.ratings.precise import precise_fit
from tests.ratings.rating_field import ENV, MARGIN, play, results_of

pytestmark = pytest.mark.slow

SPREADS = (8.3, 1.0)
"""The spread of true skills: that of the prior, and that of a field of near rivals."""
FEW_ITERATIONS = 400
"""Below the most that a fit may take, so that each of these settled."""


def below(x):
    return 0.5 * (1.0 + erf(x / sqrt(2.0)))


def round_robin(bots, matches, spread, seed=1):
    """So many matches between each two, half from either side, as the model has them."""
    rng, rows = np.random.default_rng((seed, bots)), []
    skills = rng.normal(ENV.mu, spread, bots)
    for first in range(bots):
        for second in range(bots):
            lead = (skills[first] - skills[second]) / (ENV.beta * sqrt(2.0))
            margin = MARGIN / (ENV.beta * sqrt(2.0))
            won, lost = below(lead - margin), below(-lead - margin)
            counts = rng.multinomial(matches // 2, [won, lost, 1.0 - won - lost]) if first != second else ()
            rows += [(first, second, *ranks, n) for ranks, n in zip(((1, 2), (2, 1), (1, 1)), counts) if n]
    columns = np.array(rows)
    return results_of(bots, block(columns[:, :2], columns[:, 2:4], counts=columns[:, 4]))


def repeated(seed, bots, matches, seats, times):
    """A few matches at tables of so many seats, each of which came up so many times: as inconsistent as can be."""
    rng = np.random.default_rng((seed, seats))
    played = play(rng, rng.normal(ENV.mu, ENV.sigma, bots), matches, seats)
    return results_of(bots, block(*played, counts=np.full(matches, times)))


def in_field(known):
    """Means and deviations against the mean of the field, those of advantages against the mean of roles."""
    bots, roles = len(known.bots), len(known.roles)
    centring = np.zeros((bots + roles, bots + roles))
    centring[:bots, :bots] = np.eye(bots) - 1.0 / bots
    if roles:
        centring[bots:, bots:] = np.eye(roles) - 1.0 / roles
    return centring @ known.mean, np.sqrt(np.diag(centring @ known.covariance @ centring))


def agrees(results, role_sigma, step=0.7):
    """Whether the fit is the fixed point that long doubles find in better coordinates."""
    known = fit(results, ENV, role_sigma=role_sigma)
    mean, deviation = in_field(known)
    exact_mean, exact_deviation = precise_fit(results, ENV, MARGIN, role_sigma, step)
    np.testing.assert_allclose(mean, exact_mean.astype(float), rtol=0, atol=1e-6)
    np.testing.assert_allclose(deviation, exact_deviation.astype(float), rtol=1e-4)
    assert known.iterations < FEW_ITERATIONS
    # What no match tells stays as the prior has it.
    assert known.mu.mean() == pytest.approx(ENV.mu, abs=1e-6)
    assert known.skills.mean() == pytest.approx(ENV.sigma**2 / len(known.bots), rel=1e-6)


@pytest.mark.parametrize("matches", [10, 1_000, 100_000, 10_000_000])
@pytest.mark.parametrize("role_sigma", [0.0, 3.0])
def test_by_matches_per_pair(matches, role_sigma):
    for spread in SPREADS:
        agrees(round_robin(3, matches, spread), role_sigma)


@pytest.mark.parametrize("matches", [300_000, 1_200_000, 10_000_000])
def test_no_field_is_refused(matches):
    for bots in (4, 6):
        for seed in range(5):
            results = round_robin(bots, matches // (bots * (bots - 1) // 2), ENV.sigma, seed)
            assert fit(results, ENV, role_sigma=3.0).iterations < 40


@pytest.mark.parametrize(("seats", "bots"), [(3, 3), (4, 4)])
@pytest.mark.parametrize("times", [1, pytest.param(10_000_000, marks=pytest.mark.slow)])
def test_by_seats(seats, bots, times):
    for role_sigma in (0.0, 3.0):
        agrees(repeated(2, bots, 2, seats, times), role_sigma, step=0.7 if times == 1 else 0.2)


@pytest.mark.parametrize("bots", [2, 10, 100, pytest.param(1_000, marks=pytest.mark.slow)])
def test_by_number_of_bots(bots):
    """Neighbours in a circle, each of whom beats the next as often as not: nobody is better than anybody."""
    rows = np.c_[np.arange(bots), (np.arange(bots) + 1) % bots]
    played = np.concatenate([rows, rows[:, ::-1]])
    for times in (1, 10_000_000):
        results = results_of(
            bots, block(played, np.broadcast_to((1, 2), played.shape), counts=np.full(2 * bots, times))
        )
        known = fit(results, ENV)
        np.testing.assert_allclose(known.mu, ENV.mu, rtol=0, atol=1e-5)
        # Everybody is at the same place in the circle, and so is what is known of them.
        np.testing.assert_allclose(known.sigma, known.sigma[0], rtol=1e-6)


@pytest.mark.parametrize(
    "counts",
    [(10**7, 0, 0), (10**9, 0, 0), (10**7, 1, 0), (10**7, 0, 1), (0, 0, 10**7), (1, 0, 10**9), (10**7, 10**7, 10**7)],
)
@pytest.mark.parametrize("role_sigma", [0.0, 3.0])
def test_two_bots_and_the_extremes(counts, role_sigma):
    kinds = zip(((1, 2), (2, 1), (1, 1)), counts)
    results = collect(Result(("a", "b"), ranks, count=n) for ranks, n in kinds if n)
    agrees(results, role_sigma, step=0.1)
    table = rate(results, ENV, role_sigma=role_sigma)
    assert np.isfinite([(row.mu, row.sigma, row.field_sigma, row.best) for row in table.rows]).all()
    assert [row.bot for row in table.rows] == ["a", "b"] or counts[0] == counts[1] or not counts[0]


@pytest.mark.parametrize("role_sigma", [0.0, 3.0])
def test_groups_that_only_one_sided_results_connect(role_sigma):
    """Near rivals with many matches, between whom and the rest one result says little: both must be kept apart."""
    for results in (
        repeated(4, 6, 20, 2, 10**7),
        repeated(3, 6, 20, 3, 10**7),
        repeated(4, 6, 20, 4, 10**7),
        collect(Result((f"{a}", f"{b}"), (1, 2), count=10**7) for a in range(6) for b in range(a + 1, 6)),
    ):
        known = fit(results, ENV, role_sigma=role_sigma)
        assert known.iterations < FEW_ITERATIONS
        assert known.mu.mean() == pytest.approx(ENV.mu, abs=1e-5)
        assert np.linalg.eigvalsh(known.covariance).min() > 0.0
        assert 0.0 <= certainty(known.mu, known.skills, 3) <= 1.0


def test_ten_times_the_matches_shrink_the_deviation_by_the_root_of_ten():
    once, more = (
        in_field(fit(results_of(4, block(*rows, counts=10**5 * times * np.ones(12, int))), ENV))
        for times in (1, 10)
        for rows in [([(a, b) for a in range(4) for b in range(4) if a != b], [(1, 2)] * 12)]
    )
    np.testing.assert_allclose(once[1] / more[1], sqrt(10.0), rtol=1e-4)


def test_a_fit_that_runs_out_of_iterations_still_gives_a_table(monkeypatch):
    monkeypatch.setattr(sys.modules["arena.ratings.fit"], "_ITERATIONS", 3)
    table = rate(round_robin(4, 1_000, ENV.sigma), ENV, role_sigma=3.0)
    assert table.posterior.iterations == 3
    assert len(table.rows) == 4

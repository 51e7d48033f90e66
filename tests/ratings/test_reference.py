"""One match gives the numbers of the `trueskill` package; many give those of a plain, slow implementation."""

from itertools import product

import numpy as np
import pytest
import trueskill

from arena.errors import UsageError
from arena.ratings import Result, collect, fit, rate
from arena.ratings.truncated import draw, win
from tests.ratings.rating_field import ENV, MARGIN, simulate

NAMES = ("a", "b", "c", "d")
# Every way to rank so many seats, with and without ties.
SHAPES = {
    seats: [
        ranks for ranks in product(range(1, seats + 1), repeat=seats) if set(ranks) == set(range(1, max(ranks) + 1))
    ]
    for seats in (2, 3, 4)
}


def reference(env, ranks, min_delta):
    rated = env.rate([(env.create_rating(),) for _ in ranks], ranks=ranks, min_delta=min_delta)
    return np.array([tuple(rating) for (rating,) in rated]).T


@pytest.mark.parametrize(
    ("seats", "chance"), [(seats, chance) for seats in (2, 3) for chance in (0.02, 0.1, 0.5, 0.9)] + [(4, 0.1)]
)
def test_one_match_gives_the_numbers_of_the_package(seats, chance):
    env = trueskill.TrueSkill(tau=0.0, draw_probability=chance)
    for ranks in SHAPES[seats]:
        known = fit(collect([Result(NAMES[:seats], ranks)]), env)
        np.testing.assert_allclose([known.mu, known.sigma], reference(env, ranks, 1e-12), rtol=0, atol=1e-9)
        # The package stops early unless it is told not to; even then the difference is far below what a table shows.
        np.testing.assert_allclose([known.mu, known.sigma], reference(env, ranks, 1e-4), rtol=0, atol=1e-6)


def test_every_shape_was_meant():
    assert [len(SHAPES[seats]) for seats in (2, 3, 4)] == [3, 13, 75]


def test_a_match_without_draws_in_the_model():
    env = trueskill.TrueSkill(tau=0.0, draw_probability=0.0)
    known = fit(collect([Result(("a", "b"), (2, 1))]), env)
    np.testing.assert_allclose([known.mu, known.sigma], reference(env, (2, 1), 1e-12), rtol=0, atol=1e-9)
    with pytest.raises(UsageError, match="draw probability"):
        fit(collect([Result(("a", "b"), (1, 1))]), env)


def test_drift_is_refused():
    with pytest.raises(UsageError, match="tau"):
        fit(collect([Result(("a", "b"), (1, 2))]), trueskill.TrueSkill())


def slow_fit(results, env):
    """Expectation propagation as in textbooks: a site per game and link, one after the other, in one joint Gaussian."""
    size = len(results.bots)
    games = [
        (part.bots[:, n], part.ties[:, n])
        for part in results.blocks
        for n in range(len(part.counts))
        for _ in range(part.counts[n])
    ]
    # Performances are variables too, so every link is a cut of a difference of two of them.
    total = size + sum(len(bots) for bots, _ in games)
    precision, shift, links, at = np.zeros((total, total)), np.zeros(total), [], size
    precision[range(size), range(size)] = env.sigma**-2.0
    for bots, ties in games:
        for seat, bot in enumerate(bots):
            noise = np.zeros(total)
            noise[[bot, at + seat]] = 1.0, -1.0
            precision += np.outer(noise, noise) / env.beta**2
        links += [(at + seat, tie) for seat, tie in enumerate(ties)]
        at += len(bots)
    covariance, mean = np.linalg.inv(precision), shift
    sites = np.zeros((len(links), 2))
    for _ in range(60):
        for number, (seat, tie) in enumerate(links):
            pi, tau = sites[number]
            column = covariance[:, seat] - covariance[:, seat + 1]
            own, centre = column[seat] - column[seat + 1], mean[seat] - mean[seat + 1]
            c, m = own / (1 - pi * own), (centre - own * tau) / (1 - pi * own)
            v, w = (draw if tie else win)(np.array([m / np.sqrt(c)]), np.array([MARGIN / np.sqrt(c)]))
            new = np.array([w[0] / (1 - w[0]) / c, (w[0] * m / c + v[0] / np.sqrt(c)) / (1 - w[0])])
            more, sites[number] = new - sites[number], new
            gain = column / (1 + more[0] * own)
            mean = mean + gain * (more[1] - more[0] * centre)
            covariance = covariance - more[0] * np.outer(gain, column)
    return mean[:size] + env.mu, np.sqrt(np.diag(covariance)[:size])


@pytest.mark.parametrize(("seats", "matches"), [(2, 30), (3, 12), (4, 8)])
def test_many_matches_give_the_fixed_point_of_a_plain_implementation(seats, matches):
    _, results = simulate(seats, 5, matches, seats)
    known = fit(results, ENV)
    np.testing.assert_allclose([known.mu, known.sigma], slow_fit(results, ENV), rtol=0, atol=1e-7)


def test_equal_results_share_a_factor():
    once = [Result(("a", "b"), (1, 2)), Result(("b", "c"), (1, 1))]
    counted = [Result(row.bots, row.ranks, count=7) for row in once]
    assert len(collect(once * 7).blocks[0].counts) == 2
    np.testing.assert_array_equal(fit(collect(once * 7), ENV).mean, fit(collect(counted), ENV).mean)


@pytest.mark.parametrize(
    ("won", "lost", "drawn"),
    [(100, 0, 0), (10**6, 0, 0), (10**6, 1, 0), (0, 0, 10**6), (1, 0, 10**5), (10**6, 10**6, 0)],
)
def test_one_sided_histories_settle(won, lost, drawn):
    counts = (((1, 2), won), ((2, 1), lost), ((1, 1), drawn))
    known = fit(collect(Result(("a", "b"), ranks, count=n) for ranks, n in counts if n), ENV)
    assert known.mu.sum() == pytest.approx(2 * ENV.mu)
    assert (known.mu[0] > known.mu[1]) == (won > lost)
    assert (known.sigma > ENV.sigma / np.sqrt(2) - 1e-6).all()


@pytest.mark.parametrize("chance", [1e-6, 1e-3, 0.999])
def test_extreme_draw_probabilities_settle(chance):
    env = trueskill.TrueSkill(tau=0.0, draw_probability=chance)
    shapes = [Result(NAMES, (1, 2, 2, 3), count=100), Result(NAMES, (1, 1, 1, 1), count=10)]
    known = fit(collect(shapes), env)
    assert np.argmax(known.mu) == 0
    assert known.mu[0] + known.mu[3] == pytest.approx(2 * env.mu, abs=1e-6)


@pytest.mark.parametrize("x", [-1000.0, -60.0, -9.0, -4.5, 0.0, 9.0, 60.0])
@pytest.mark.parametrize("margin", [1e-9, 1e-3, 0.03, 0.7, 3.0])
def test_cuts_stay_finite_and_within_bounds(x, margin):
    for cut in (win, draw):
        v, w = cut(np.array([x]), np.array([margin]))
        assert np.isfinite(v).all()
        assert 0.0 <= w[0] < 1.0


def test_cuts_are_continuous_where_formulas_change():
    x = np.linspace(-6.0, -3.0, 3001)
    for values in (
        *win(x, np.zeros_like(x)),
        *draw(x - 0.1, np.full_like(x, 0.1)),
        *draw(np.full_like(x, 1.0), 0.02 + x / 400),
    ):
        jumps = np.abs(np.diff(values, n=2))
        assert jumps.max() < 1e-3


def test_tallies():
    rows = [Result(("a", "b", "c"), (1, 2, 2)), Result(("c", "b"), (1, 1)), Result(("a", "b"), (2, 1), count=2)]
    table = {row.bot: row for row in rate(collect(rows, bots=["d"]), ENV).rows}
    assert [(r.games, r.wins, r.draws, r.losses) for _, r in sorted(table.items())] == [
        (3, 1, 0, 2),
        (4, 2, 1, 1),
        (2, 0, 1, 1),
        (0, 0, 0, 0),
    ]


def test_results_must_be_complete():
    with pytest.raises(UsageError):
        collect([Result(("a",), (1,))])
    with pytest.raises(UsageError):
        collect([Result(("a", "b"), (1,))])
    assert rate(collect([]), ENV).rows == ()

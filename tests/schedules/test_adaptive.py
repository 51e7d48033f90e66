"""The adaptive choice asks what is worth asking, and stops when it knows."""

import math
from functools import partial

import numpy as np
import pytest

from arena.errors import UsageError
from arena.ratings import Result, collect, fit
from arena.schedules.adaptive import games_to_separate, next_groups
from arena.schedules.certainty import certainty, settled
from tests.ratings.rating_field import ENV, MARGIN

RANKS = {0: (1, 1), 1: (1, 2), -1: (2, 1)}


def known(*rows):
    posterior = fit(collect(Result(pair, (1, 2), count=count) for *pair, count in rows), ENV)
    return posterior.mu, posterior.skills


def test_the_doubtful_pair_meets():
    mean, covariance = known(("a", "c", 50), ("b", "c", 50), ("c", "d", 50))
    assert set(next_groups(mean, covariance, top=1)[0]) == {0, 1}


def test_groups_for_the_same_time_differ():
    mean, covariance = np.full(6, 25.0), np.eye(6) * ENV.sigma**2
    groups = next_groups(mean, covariance, top=6, games=2, count=3)
    assert len({frozenset(group) for group in groups}) == 3


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_group_has_its_seats_and_each_bot_once(seats):
    mean, covariance = known(("a", "b", 3), ("c", "d", 3), ("d", "e", 1))
    (group,) = next_groups(mean, covariance, top=2, seats=seats)
    assert len(group) == len(set(group)) == seats


def test_too_many_seats_are_refused():
    with pytest.raises(UsageError, match="field of 2"):
        next_groups(np.zeros(2), np.eye(2), top=1, seats=3)


def test_certainty_and_settled_places():
    mean, covariance = known(("a", "b", 100), ("b", "c", 100), ("b", "d", 100))
    assert certainty(mean, covariance, 2) > 0.99
    assert certainty(mean, covariance, 3) == pytest.approx(0.5, abs=0.05)
    assert certainty(mean, covariance, 4) == certainty(mean, covariance, 3)
    assert settled(mean, covariance, 0.95) == 2


def shaken(values, seed):
    """The same numbers as another machine may compute them: their last bits differ."""
    last_bits = np.random.default_rng(seed).normal(0.0, 1e-14, values.shape)
    return values * (1.0 + (last_bits + last_bits.T) / 2.0)


def test_another_machine_is_as_certain(monkeypatch):
    mean, covariance = known(*(("a", other, 4) for other in "bcde"))  # four equal bots: no direction is theirs
    found, eigh = [certainty(mean, shaken(covariance, seed), 1) for seed in range(5)], np.linalg.eigh

    def mirrored(matrix):
        values, directions = eigh(matrix)
        return values, directions * [1, -1, 1, -1, -1]  # a direction has no sign

    monkeypatch.setattr(np.linalg, "eigh", mirrored)
    assert found == [certainty(mean, covariance, 1)] * 5


def test_another_machine_chooses_the_same_groups():
    mean, covariance = np.array([27.0, 27.0, 26.0, 25.0]), np.diag([1.0, 4.0, 9.0, 9.0])  # two leaders
    groups = next_groups(mean, covariance, top=1, count=4)
    for seed in range(5):
        assert next_groups(shaken(mean, seed), shaken(covariance, seed), top=1, count=4) == groups


def test_a_lone_bot_is_settled():
    assert settled(np.array([25.0]), np.array([[ENV.sigma**2]]), 0.95) == 1


def test_games_to_separate_falls_with_distance():
    covariance = np.eye(2)
    near, far = (
        games_to_separate(np.array([25.0, 25.0 - d]), covariance, first=0, second=1, confidence=0.95)
        for d in (0.5, 1.5)
    )
    assert near > far > 0
    assert games_to_separate(np.zeros(2), covariance, first=0, second=1, confidence=0.95) == math.inf
    assert games_to_separate(np.array([9.0, 0.0]), covariance, first=0, second=1, confidence=0.95) == 0.0


def until_certain(skills, seed, choose):
    """Games until the first two places are 95 % certain, two games a pairing, and whether they are the true ones."""
    rng, counts = np.random.default_rng((1, seed)), {}
    names = [f"{number:02}" for number in range(len(skills))]
    mean, covariance = np.full(len(skills), ENV.mu), np.eye(len(skills)) * ENV.sigma**2
    while certainty(mean, covariance, 2) < 0.95 and sum(counts.values()) < 1500:
        for a, b in choose(mean, covariance):
            for pair in ((a, b), (b, a)):
                d = skills[pair[0]] - skills[pair[1]] + rng.normal(0.0, ENV.beta * math.sqrt(2.0))
                key = *pair, 0 if abs(d) < MARGIN else int(np.sign(d))
                counts[key] = counts.get(key, 0) + 1
        rows = (Result((names[a], names[b]), RANKS[won], count=n) for (a, b, won), n in counts.items())
        posterior = fit(collect(rows, bots=names), ENV)
        mean, covariance = posterior.mu, posterior.skills
    right = (np.argsort(-mean)[:2] == np.argsort(-skills)[:2]).all()
    return sum(counts.values()), right


def in_turn(parts, _mean, _covariance):
    return next(parts)


@pytest.mark.slow
@pytest.mark.timeout(600)  # half a minute of work, on a machine that may be busy
def test_half_of_a_round_robin_is_enough():
    """The bench does this for larger and more fields."""
    pairings = [(a, b) for a in range(10) for b in range(a + 1, 10)]

    def chosen(mean, covariance):
        return next_groups(mean, covariance, top=2, games=2, count=3)

    runs = []
    for seed in range(8):
        skills = np.random.default_rng((2, seed)).normal(ENV.mu, ENV.sigma, 10)
        order = np.random.default_rng((3, seed)).permutation(len(pairings))
        parts = [[pairings[number] for number in order[part::4]] for part in range(4)] * 200
        full = until_certain(skills, seed, partial(in_turn, iter(parts)))
        runs.append((*until_certain(skills, seed, chosen), *full))
    adaptive, adaptive_right, full, full_right = np.mean(runs, axis=0)
    assert adaptive <= 0.5 * full
    assert min(adaptive_right, full_right) > 0.8

"""How drivers share the tables of a cluster."""

import pytest

from arena.workers.ray.shares import LEASE_S, Shares

MANY = 10**6


class Clock:
    def __init__(self):
        self.time = 0.0

    def __call__(self):
        return self.time


def claims(shares, *asked):
    """What drivers a, b, c … get that ask one after the other, the last time that they ask."""
    names = [chr(ord("a") + number) for number in range(len(asked))]
    for _ in range(2):
        found = [shares.claim(name, *claim) for name, claim in zip(names, asked, strict=True)]
    return found


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ([(10, MANY, 8)], [8]),
        ([(10, 3, 8)], [3]),
        ([(10, MANY, 8), (10, MANY, 8)], [4, 4]),
        ([(30, MANY, 8), (10, MANY, 8)], [6, 2]),
        ([(30, MANY, 4), (10, MANY, 4)], [3, 1]),
        # What one cannot use goes to the others, by their weights.
        ([(10, 1, 9), (10, MANY, 9), (10, MANY, 9)], [1, 4, 4]),
        ([(90, 2, 8), (20, MANY, 8), (10, MANY, 8)], [2, 4, 2]),
        # Matches of two sizes: half of the cluster is four small ones, or two large ones.
        ([(10, MANY, 8), (10, MANY, 4)], [4, 2]),
        # What cannot be divided goes to one of them.
        ([(10, MANY, 3), (10, MANY, 3)], [2, 1]),
        ([(10, MANY, 1), (10, MANY, 1), (10, MANY, 1)], [1, 0, 0]),
        ([(10, MANY, 0), (10, MANY, 0)], [0, 0]),
    ],
)
def test_tables_are_shared_by_weight(asked, expected):
    assert claims(Shares(Clock()), *asked) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("capacity", "weights"), [(3, (10, 10)), (1, (10, 10, 10)), (2, (30, 10, 10)), (5, (7, 3)), (2, (40, 10, 10, 10))]
)
def test_over_many_turns_everybody_has_its_part_of_every_table(capacity, weights):
    clock, asked = Clock(), [(weight, MANY, capacity) for weight in weights]
    shares, had, times = Shares(clock), [0] * len(weights), 5000
    for _ in range(times):
        clock.time += LEASE_S / 2
        given = claims(shares, *asked)
        assert sum(given) == capacity
        had = [before + now for before, now in zip(had, given, strict=True)]
    due = [times * capacity * weight / sum(weights) for weight in weights]
    assert had == pytest.approx(due, rel=0.03)


def test_a_driver_that_is_gone_gives_its_tables_back():
    clock = Clock()
    shares = Shares(clock)
    assert claims(shares, (10, MANY, 4), (10, MANY, 4)) == [2, 2]
    clock.time += LEASE_S / 2
    assert shares.claim("a", 10, MANY, 4) == 2
    clock.time += LEASE_S / 2 + 1  # b, which was killed, is silent for longer than it may be
    assert shares.claim("a", 10, MANY, 4) == 4
    assert claims(shares, (10, MANY, 4), (10, MANY, 4)) == [2, 2]
    shares.release("a")
    assert shares.claim("b", 10, MANY, 4) == 4


def test_a_cluster_that_grows_is_shared_anew():
    shares = Shares(Clock())
    assert claims(shares, (10, MANY, 2), (10, MANY, 2)) == [1, 1]
    assert claims(shares, (10, MANY, 6), (10, MANY, 6)) == [3, 3]
    assert claims(shares, (10, 1, 6), (10, MANY, 6)) == [1, 5]

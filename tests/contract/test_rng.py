"""Randomness that must never change."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from arena.rng import below, choice, sample, shuffle, stream


def test_numbers_are_the_same_for_ever():
    rng = stream(7, "deal", 3)
    cards = list(range(10))
    shuffle(rng, cards)
    assert cards == [4, 9, 3, 1, 6, 8, 2, 7, 5, 0]
    assert [below(rng, 100) for _ in range(5)] == [32, 51, 59, 15, 10]
    assert choice(rng, "abcdefgh") == "c"
    assert sample(rng, range(20), 4) == [12, 5, 18, 10]


def test_labels_give_independent_streams():
    assert len({stream(1, label).random() for label in ("a", "b", ("a", "b"), 1, 2)}) == 5


@given(st.lists(st.integers()), st.integers(0, 2**64))
def test_shuffle_keeps_the_items(items, seed):
    shuffled = list(items)
    shuffle(stream(seed), shuffled)
    assert Counter(shuffled) == Counter(items)


def test_shuffle_is_uniform():
    rng, seen = stream(1), Counter()
    for _ in range(12000):
        items = [0, 1, 2]
        shuffle(rng, items)
        seen[tuple(items)] += 1
    assert len(seen) == 6
    assert all(1800 < times < 2200 for times in seen.values())


@given(st.integers(0, 30), st.integers(0, 2**64))
def test_sample_takes_different_places(count, seed):
    assert len(set(sample(stream(seed), range(30), count))) == count

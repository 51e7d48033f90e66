"""Randomness that gives the same numbers for ever, on any machine and any Python.

Python promises that `Random.random()` keeps its sequence for a given seed; it promises nothing
about `shuffle`, `choice` or `randrange`. So everything here is built on `random()` alone.
"""

import hashlib
import secrets
from collections.abc import Sequence
from math import floor
from random import Random
from typing import TypeVar

T = TypeVar("T")


def stream(seed: int, *labels: object) -> Random:
    """An independent generator for (seed, labels): the same numbers whatever else was drawn before."""
    key = "/".join(map(str, (seed, *labels))).encode()
    return Random(int.from_bytes(hashlib.blake2b(key, digest_size=16).digest(), "big"))


def below(rng: Random, limit: int) -> int:
    """A uniform whole number from 0 to limit - 1."""
    return floor(rng.random() * limit)


def choice(rng: Random, items: Sequence[T]) -> T:
    """One of the items, each equally likely."""
    return items[floor(rng.random() * len(items))]


def shuffle(rng: Random, items: list[T]) -> None:
    """Put the items into a uniformly random order, in place (Fisher and Yates)."""
    random = rng.random
    for last in range(len(items) - 1, 0, -1):
        other = floor(random() * (last + 1))  # a quarter faster than int()
        items[last], items[other] = items[other], items[last]


def sample(rng: Random, items: Sequence[T], count: int) -> list[T]:
    """`count` different places of the items, in random order."""
    pool = list(items)
    for place in range(count):
        other = place + floor(rng.random() * (len(pool) - place))
        pool[place], pool[other] = pool[other], pool[place]
    return pool[:count]


def random_id() -> str:
    """A random id for bots: the id in the store is a digest of the seed, and would let a bot confirm a guess."""
    return secrets.token_hex(8)


def draw_seed() -> int:
    """A seed that cannot be guessed: bots have the engines, and a known seed would show them what is hidden."""
    return secrets.randbits(63)

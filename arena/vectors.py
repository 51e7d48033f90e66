"""Positions and moves as numbers, for programs that learn; a game says how in its `vector.py`, without any library."""

from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Generic, TypeAlias, TypeVar

from arena.errors import RegistryError, UsageError
from arena.game import AnyGame, package_of

M = TypeVar("M")
O = TypeVar("O")  # M, O: move, observation

Vector: TypeAlias = "array[float]"
"""Numbers of 32 bits, as the array of the standard library: numpy can use it without copying."""
Stretch: TypeAlias = "slice[int, int, None]"


class Layout(dict[str, Stretch]):
    """Names for the stretches of a row of numbers, one after the other: `layout["hand"]` is a slice."""

    def __init__(self, **sizes: int) -> None:
        super().__init__()
        self.size = 0
        for name, size in sizes.items():
            self[name] = slice(self.size, self.size + size)
            self.size += size


class Vectors(ABC, Generic[M, O]):
    """How one game is put into numbers: what a seat sees as a vector, and its moves as whole numbers from 0 on."""

    observation: Layout
    """What stands where in the vector of an observation."""
    actions: Layout
    """Which numbers stand for which kind of move."""

    @abstractmethod
    def fill(self, seen: O, into: Vector) -> None:
        """Write what the seat sees into a vector of zeros; every number lies between 0 and 1."""

    @abstractmethod
    def number(self, seen: O, move: M) -> int:
        """The number of a legal move; no other legal move of the seat that sees this has the same."""

    def vector(self, seen: O) -> Vector:
        """What the seat sees, as a new vector."""
        into = array("f", bytes(4 * self.observation.size))
        self.fill(seen, into)
        return into

    def numbered(self, seen: O, legal: Iterable[M]) -> dict[int, M]:
        """The legal moves of the seat that sees this, by their numbers."""
        number = self.number
        return {number(seen, move): move for move in legal}


def has_vectors(game: AnyGame) -> bool:
    """Whether there is a `vector.py` beside the rules of this game."""
    return find_spec(f"{package_of(game)}.vector") is not None


def vectors(game: AnyGame) -> Vectors[Any, Any]:
    """The vectors of this game; UsageError if it has none."""
    name = f"{package_of(game)}.vector"
    if not has_vectors(game):
        file = name.replace(".", "/") + ".py"
        raise UsageError(f"{game.info.name} has no vectors to learn from: {file} is missing")
    found = getattr(import_module(name), "VECTORS", None)
    if not isinstance(found, Vectors):
        raise RegistryError(f"{name} must export VECTORS, an instance of arena.vectors.Vectors")
    return found


def mark(into: Vector, first: int, places: Iterable[int]) -> None:
    """Write a 1 at each of these places, counted from the first one."""
    for place in places:
        into[first + place] = 1.0

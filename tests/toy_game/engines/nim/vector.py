"""Nim in numbers, for programs that learn."""

from arena.vectors import Layout, Vector, Vectors
from engines.nim.rules import View


class NimVectors(Vectors[int, View]):
    """How many sticks are left."""

    observation = Layout(sticks=22)
    actions = Layout(take=3)

    def fill(self, seen: View, into: Vector) -> None:
        """Mark the number of sticks."""
        into[seen[0]] = 1.0

    def number(self, seen: View, move: int) -> int:  # noqa: ARG002
        """One stick is 0."""
        return move - 1


VECTORS = NimVectors()

"""Nim: take one to three sticks; whoever takes the last one wins."""

from arena.errors import IllegalMove
from arena.game import State, check_seat
from arena.match import Outcome, Seat

View = tuple[int, Seat]
"""The sticks that are left and the seat that moves: nothing is hidden."""


class NimState(State[int, View]):
    """A position."""

    __slots__ = ("mover", "sticks")

    def __init__(self, sticks: int, mover: Seat) -> None:
        self.sticks = sticks
        self.mover = mover

    def to_move(self) -> Seat | None:
        """The seats take turns."""
        return self.mover if self.sticks else None

    def legal(self) -> range:
        """One to three sticks, and not more than there are."""
        return range(1, min(3, self.sticks) + 1)

    def apply(self, move: int) -> None:
        """Take sticks."""
        if type(move) is not int or move not in self.legal():  # 1.0 and True are no moves, although they equal one
            raise IllegalMove(f"{move!r} sticks cannot be taken from {self.sticks}")
        self.sticks -= move
        self.mover = 1 - self.mover

    def clone(self) -> "NimState":
        """A copy."""
        return NimState(self.sticks, self.mover)

    def outcome(self) -> Outcome | None:
        """The seat that would move next has lost."""
        if self.sticks:
            return None
        ranks, scores = ((2, 1), (0.0, 1.0)) if self.mover == 0 else ((1, 2), (1.0, 0.0))
        return Outcome(ranks, scores, f"seat {1 - self.mover} took the last stick")

    def view(self, seat: Seat) -> View:
        """Everything."""
        check_seat(seat, 2)
        return self.sticks, self.mover

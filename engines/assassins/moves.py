"""The moves as small numbers.

An action is its kind (STEP, KILL, CAPTURE or ATTACK) + 100 * figure + square; all other moves follow from 8000 on.
"""

from itertools import combinations
from typing import Final

from engines.assassins.board import CITIZENS, FIGURES, SQUARES

Move = int

KIND: Final = FIGURES * SQUARES
"""The distance between the numbers of two kinds of action."""
STEP: Final = 0
KILL: Final = KIND
CAPTURE: Final = 2 * KIND
ATTACK: Final = 3 * KIND
CHOOSE: Final = 4 * KIND
CHOICES: Final[tuple[tuple[int, ...], ...]] = tuple(combinations(CITIZENS, 3))
ALL_CHOICES: Final[tuple[Move, ...]] = tuple(range(CHOOSE, CHOOSE + len(CHOICES)))
HIDDEN_CHOICE: Final = CHOOSE + len(CHOICES)
"""How the secret choice looks to the other seat; never a legal move."""
START: Final = 8300
REVEAL: Final = 8400
ENTER: Final = 8500
END_TURN: Final = 8501


def figure_of(action: Move) -> int:
    """The figure that carries out this action."""
    return action // SQUARES % FIGURES


def square_of(action: Move) -> int:
    """The square that this action goes to or strikes at."""
    return action % SQUARES


def kind_of(action: Move) -> Move:
    """STEP, KILL, CAPTURE or ATTACK."""
    return action - action % KIND


def shown_to_all(move: Move) -> Move:
    """The move as the other seat sees it: everything is open but the choice of the three."""
    return HIDDEN_CHOICE if CHOOSE <= move < HIDDEN_CHOICE else move

"""King & Assassins by a rule of thumb: try every single action, and take the one after which things look best.

Both sides look at the king alone. His side wants him to be close to home, with a free street before him, his knights
beside him and nobody else. The crowd wants to be close to him, the assassins most of all, and to stand in his way.
A turn ends when no action makes things better.
"""

from collections.abc import Iterable, Sequence
from random import Random

from engines.assassins.board import KING, KNIGHTS, OFF
from engines.assassins.determinize import imagine
from engines.assassins.moves import END_TURN, Move
from engines.assassins.rules import ATTACK_PRICE, KINGS_TURN, AssassinsState, Observation

WON = 1000.0


def choose(seen: Observation, legal: Sequence[Move], rng: Random) -> Move:
    """The action of the highest value; chance decides among equals, and names the assassins before the first turn."""
    if seen.phase < KINGS_TURN:
        return rng.choice(legal)
    state = imagine(seen, rng)  # fills in what this seat cannot see, so that actions can be tried
    value = (kings_value, crowds_value)[seen.seat]
    return max(legal, key=lambda move: (value(after(state, move)), move == END_TURN, rng.random()))


def after(state: AssassinsState, move: Move) -> AssassinsState:
    """The position after an action; ending the turn leaves everything as it stands."""
    child = state.clone()
    if move != END_TURN:
        child.apply(move)
    return child


def kings_value(state: AssassinsState) -> float:
    """How the king stands, in his own eyes: he sees who was revealed, but not who the other assassins are."""
    if state.ending:
        return WON
    knights = [figure for figure in KNIGHTS if state.where[figure] != OFF]
    return (
        -10.0 * state.board.steps_home[state.where[KING]]
        + 6.0 * is_way_open(state)
        + 4.0 * len(state.removed)
        - 0.5 * closeness(state, state.hidden)
        - 1.5 * closeness(state, state.hunters)
        + 0.1 * closeness(state, knights)
    )


def crowds_value(state: AssassinsState) -> float:
    """How the assassins stand: they reveal themselves only beside the king, and then they attack."""
    if state.ending:
        return WON
    knives = [figure for figure in state.assassins if state.where[figure] != OFF]
    beside = [figure for figure in state.hunters if distance(state, figure) == 1]
    can_attack = bool(beside) and state.crowd_points >= ATTACK_PRICE
    knights = sum(state.where[figure] != OFF for figure in KNIGHTS)
    return (
        60.0 * state.wounds
        + 20.0 * can_attack
        - 10.0 * len(state.hunters)
        - 3.0 * knights
        - 3.0 * is_way_open(state)
        + closeness(state, state.hidden)
        + closeness(state, knives)
    )


# -- around the king ------------------------------------------------------------------------------------


def distance(state: AssassinsState, figure: int) -> int:
    """Rows and columns between a figure and the king."""
    (row, column), (kings_row, kings_column) = divmod(state.where[figure], 10), divmod(state.where[KING], 10)
    return abs(row - kings_row) + abs(column - kings_column)


def closeness(state: AssassinsState, figures: Iterable[int]) -> int:
    """How close these figures are to the king: a figure beside him counts 5, one that is far away nothing."""
    return sum(max(0, 6 - distance(state, figure)) for figure in figures)


def is_way_open(state: AssassinsState) -> bool:
    """Whether a free street, or the door itself, leads the king on towards home."""
    steps, king = state.board.steps_home, state.where[KING]
    return steps[king] == 1 or any(state.at[to] < 0 and steps[to] < steps[king] for to in state.board.streets[king])

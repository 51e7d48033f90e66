"""King & Assassins in numbers: the squares as planes, the figures by row and column, and actions by direction.

An action is numbered by its figure and direction, not by its square. Whether a strike kills, captures or wounds follows
from who strikes whom, so one number serves for all three.
"""

from collections.abc import Iterable
from functools import cache

from arena.vectors import Layout, Vector, Vectors, mark
from engines.assassins import board as boards
from engines.assassins.board import CITIZENS, FIGURES, KING, KNIGHTS, OFF, SIZE, SQUARES
from engines.assassins.moves import (
    CHOICES,
    CHOOSE,
    END_TURN,
    ENTER,
    KILL,
    REVEAL,
    START,
    Move,
    figure_of,
    square_of,
)
from engines.assassins.rules import CARDS, MAX_KILLS, OVER, WOUNDS_TO_DIE, Observation

DIRECTION = {-SIZE: 0, 1: 1, SIZE: 2, -1: 3}
"""North, east, south, west, by the difference of the squares."""
STEPS, STRIKES, STARTS = 4 * FIGURES, 4 * (FIGURES - 1), 2
"""Every figure can step, and all but the king can strike, in four directions; the king has up to two starts."""
DECISIONS = (
    *range(CHOOSE, CHOOSE + len(CHOICES)),
    *range(START, START + STARTS),
    *(REVEAL + citizen for citizen in CITIZENS),
    ENTER,
    END_TURN,
)
NUMBER = {move: number for number, move in enumerate(DECISIONS, start=STEPS + STRIKES)}
"""The numbers of the moves that are no action of a figure."""
MOST_KING, MOST_KNIGHTS, MOST_CROWD = (max(card[part] for card in CARDS) for part in (0, 1, 3))


class AssassinsVectors(Vectors[Move, Observation]):
    """What lies open, and for seat 1 who the assassins are."""

    observation = Layout(
        king=SQUARES,
        citizens=SQUARES,  # not revealed
        hunters=SQUARES,  # revealed assassins
        knights=SQUARES,
        secret=SQUARES,  # where the assassins stand, for the seat that knows them
        roofs=SQUARES,
        doors=SQUARES,
        where=FIGURES * 2 * SIZE,  # row and column of every figure, zeros if it is not on the board
        assassins=len(CITIZENS),
        revealed=len(CITIZENS),
        removed=len(CITIZENS),
        card=len(CARDS),  # the current one
        opened=len(CARDS),  # the share of each kind of card that is not in the deck any more
        points=3,  # king, knights, crowd
        counts=4,  # wounds, kills of this turn, capture of this round, deck
        phase=OVER,
        seat=2,
    )
    actions = Layout(
        step=STEPS,
        strike=STRIKES,
        choose=len(CHOICES),
        start=STARTS,
        reveal=len(CITIZENS),
        enter=1,
        end_turn=1,
    )

    def fill(self, seen: Observation, into: Vector) -> None:
        """Write the board, the figures and the cards."""
        self._fill_planes(seen, into)
        self._fill_figures(seen, into)
        self._fill_cards(seen, into)
        at = self.observation
        counts = at["counts"].start
        into[counts] = seen.wounds / WOUNDS_TO_DIE
        into[counts + 1] = seen.kills / MAX_KILLS
        into[counts + 2] = float(seen.captured)
        into[counts + 3] = seen.deck_size / len(boards.load(seen.config.board).deck)
        into[at["phase"].start + seen.phase - 1] = 1.0
        into[at["seat"].start + seen.seat] = 1.0

    def number(self, seen: Observation, move: Move) -> int:
        """By figure and direction for an action, by what is decided for every other move."""
        if move < CHOOSE:
            figure = figure_of(move)
            way = 4 * figure + DIRECTION[square_of(move) - seen.where[figure]]
            return way if move < KILL else STEPS + way - 4
        return NUMBER[move]

    def _fill_planes(self, seen: Observation, into: Vector) -> None:
        at, where, revealed = self.observation, seen.where, seen.revealed
        planes: dict[str, Iterable[int]] = {
            "king": (KING,),
            "citizens": (figure for figure in CITIZENS if figure not in revealed),
            "hunters": revealed,
            "knights": KNIGHTS,
            "secret": seen.assassins,
        }
        for name, figures in planes.items():
            mark(into, at[name].start, (where[figure] for figure in figures if where[figure] != OFF))
        roofs, doors = _terrain(seen.config.board)
        mark(into, at["roofs"].start, roofs)
        mark(into, at["doors"].start, doors)

    def _fill_figures(self, seen: Observation, into: Vector) -> None:
        at = self.observation
        first = at["where"].start
        for square in seen.where:
            if square != OFF:
                into[first + square // SIZE] = into[first + SIZE + square % SIZE] = 1.0
            first += 2 * SIZE
        for name, figures in (("assassins", seen.assassins), ("revealed", seen.revealed), ("removed", seen.removed)):
            mark(into, at[name].start - CITIZENS[0], figures)

    def _fill_cards(self, seen: Observation, into: Vector) -> None:
        at, deck = self.observation, boards.load(seen.config.board).deck
        if seen.cards:
            into[at["card"].start + seen.cards[-1]] = 1.0
        for kind in set(seen.cards):
            into[at["opened"].start + kind] = seen.cards.count(kind) / deck.count(kind)
        points = at["points"].start
        into[points] = seen.king_points / MOST_KING
        into[points + 1] = seen.knight_points / MOST_KNIGHTS
        into[points + 2] = seen.crowd_points / MOST_CROWD


@cache
def _terrain(board: str) -> tuple[list[int], list[int]]:
    """The squares with a roof and those with a door."""
    data = boards.load(board)
    return [square for square, roof in enumerate(data.roof) if roof], list(data.doors)


VECTORS = AssassinsVectors()

"""What the search knows about 7 Kingdoms besides its rules: a round is worth judging when it is over."""

from collections.abc import Sequence
from math import exp
from random import Random

from arena.rng import choice
from engines.kingdoms.cards import (
    ALL_CARDS,
    GENERAL,
    KING,
    KNIGHT,
    OF_TITLE,
    PRINCESS,
    SLOTS,
    TAKES,
    Move,
    mask_of,
    reach,
)
from engines.kingdoms.rules import KingdomsState
from engines.kingdoms.scoring import points
from engines.kingdoms.table import PLAY, TAKE

STRONG = OF_TITLE[KING] | OF_TITLE[GENERAL] | OF_TITLE[PRINCESS] | OF_TITLE[KNIGHT]
IN_HAND = 1.0
"""What a card that takes more than one other is worth in hand, besides what it counts in the end."""
EVEN = 4.0
"""A lead of this many points wins three games of four."""


def evaluate(state: KingdomsState) -> Sequence[float] | None:
    """How likely each seat wins, by the points as if the game ended now, and by strong hands; only between rounds."""
    if state.phase != PLAY or any(state.played):
        return None
    hands = [mask_of(hand) for hand in state.hands]
    kingdoms = [kingdom | hand for kingdom, hand in zip(state.kingdoms, hands)]
    scores = [
        score + IN_HAND * (hand & STRONG).bit_count()
        for score, hand in zip(points(kingdoms, state.coats, state.tokens), hands)
    ]
    return [1 / (1 + exp((best_other(scores, seat) - score) / EVEN)) for seat, score in enumerate(scores)]


def best_other(scores: Sequence[float], seat: int) -> float:
    """The most points that another seat has."""
    return max(score for other, score in enumerate(scores) if other != seat)


def playout(state: KingdomsState, rng: Random) -> Move:
    """Any move, but a power takes as much as it can."""
    if state.phase == TAKE:
        return choice(rng, HUNGRY[state.resolving()][state.occupied])
    return choice(rng, state.legal())


def hungry(card: int, occupied: int) -> tuple[Move, ...]:
    """The moves of a card's power that take the most cards."""
    count = {move: (reach(card, move) & occupied).bit_count() for move in TAKES[card][occupied]}
    most = max(count.values(), default=0)
    return tuple(move for move in count if count[move] == most)


HUNGRY = ((), *(tuple(hungry(card, occupied) for occupied in range(1 << SLOTS)) for card in ALL_CARDS))
"""HUNGRY[card][occupied slots]: what a power takes that takes as much as it can."""

OPTIONS = {"evaluate": evaluate, "playout": playout, "exploration": 0.3, "width": 1.5}
"""Rounds are played to their end, then judged; few moves are tried, the hungriest first."""

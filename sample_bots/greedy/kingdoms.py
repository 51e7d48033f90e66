"""7 Kingdoms by a rule of thumb: play the card that brings most now, take the best, keep strong cards for later.

There are four kinds of decisions, and each has a way of its own to judge a move. Nearly all is measured by one number:
by how many points I would lead if the game ended right after the move.
"""

from collections.abc import Sequence
from random import Random

from engines.kingdoms.cards import (
    BISHOP,
    BIT,
    GENERAL,
    KIND,
    KING,
    KNIGHT,
    PRINCESS,
    SLOTS_IN,
    TAKES,
    TITLE,
    TO_HAND,
    TOKEN_MOVE,
    Card,
    Mask,
    Move,
    Token,
    mask_of,
    reach,
)
from engines.kingdoms.scoring import points, worth
from engines.kingdoms.table import Observation

STRONG = {KING, GENERAL, PRINCESS, KNIGHT}
"""Titles that take more than one card: better in hand than in the kingdom."""


def choose(seen: Observation, legal: Sequence[Move], rng: Random) -> Move:
    """The move of the highest value; chance decides among equals. All legal moves are of one kind."""
    value = (value_of_play, value_of_token, value_of_take, value_of_take, value_of_place)[legal[0] // KIND]
    return max(legal, key=lambda move: (value(seen, move), rng.random()))


def value_of_play(seen: Observation, card: Card) -> int:
    """The best that the card can take if it comes first; the card itself goes to the row, unless it is a Bishop."""
    occupied = sum(1 << slot for slot, each in enumerate(seen.table.row) if each)
    best = max((lead(seen, cards_of(seen, card, move)) for move in TAKES[card][occupied]), default=lead(seen))
    return best if TITLE[card] == BISHOP else best - worth(BIT[card])


def value_of_token(seen: Observation, move: Move) -> int:
    """My lead once this token lies on its coat."""
    return lead(seen, token=move - TOKEN_MOVE)


def value_of_take(seen: Observation, move: Move) -> int:
    """My lead with the cards that this move takes."""
    return lead(seen, cards_of(seen, seen.table.resolving, move))


def value_of_place(seen: Observation, move: Move) -> bool:
    """A card with a strong power belongs into the hand, as does any card if the hand is empty."""
    return (move == TO_HAND) == (TITLE[seen.table.pending[0]] in STRONG or not seen.hand)


def cards_of(seen: Observation, card: Card, move: Move) -> Mask:
    """The cards that the power of this card takes by this move."""
    slots = SLOTS_IN[reach(card, move)]
    return mask_of(tuple(seen.table.row[slot] for slot in slots if seen.table.row[slot]))


def lead(seen: Observation, more: Mask = 0, token: Token = 0) -> int:
    """By how many points I lead with these cards and this token, if the game ended now: then hands count too."""
    table = seen.table
    kingdoms = [kingdom | known for kingdom, known in zip(table.kingdoms, table.known)]
    kingdoms[seen.seat] |= mask_of(seen.hand) | more
    tokens = list(table.tokens)
    if token:
        tokens[tokens.index(0)] = token
    scores = list(points(kingdoms, table.coats, tokens))
    return scores.pop(seen.seat) - max(scores)

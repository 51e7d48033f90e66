"""What the kingdoms of 7 Kingdoms are worth, and who has won."""

from collections.abc import Sequence

from arena.match import Seat
from engines.kingdoms.cards import (
    COAT_TOKEN,
    COATS,
    DOUBLE,
    KING,
    OF_COAT,
    OF_TITLE,
    PEASANT,
    PEASANT_TOKEN,
    PLUS_FIVE,
    Mask,
    Token,
)


def points(kingdoms: Sequence[Mask], coats: Sequence[int], tokens: Sequence[Token]) -> tuple[int, ...]:
    """The points of each seat: its cards, and the tokens on the coats in which it has the majority."""
    total = [worth(kingdom) for kingdom in kingdoms]
    for coat, token in zip(coats, tokens):
        owner = majority(kingdoms, coat) if token else None
        if owner is not None:
            total[owner] += bonus(kingdoms[owner], coat, token)
    return tuple(total)


def worth(cards: Mask) -> int:
    """One point a card, two a King."""
    return cards.bit_count() + kings(cards)


def kings(cards: Mask) -> int:
    """How many Kings are among these cards."""
    return (cards & OF_TITLE[KING]).bit_count()


def majority(kingdoms: Sequence[Mask], coat: int) -> Seat | None:
    """The one seat with the most cards of this coat; None if several have that many, or nobody has any."""
    counts = [(kingdom & OF_COAT[coat]).bit_count() for kingdom in kingdoms]
    most = max(counts)
    return counts.index(most) if counts.count(most) == 1 else None


def bonus(kingdom: Mask, coat: int, token: Token) -> int:
    """What this token on this coat adds to the points of the seat that takes it."""
    if token <= PLUS_FIVE:
        return token
    if token == DOUBLE:
        return worth(kingdom & OF_COAT[coat])
    if token == PEASANT_TOKEN:
        return (kingdom & OF_TITLE[PEASANT]).bit_count()
    assert token == COAT_TOKEN  # noqa: S101  (there are eight tokens)
    return sum(kingdom & OF_COAT[coat] > 0 for coat in COATS)


def ranks(kingdoms: Sequence[Mask], scores: Sequence[int]) -> tuple[int, ...]:
    """The place of each seat: more points first, then more Kings; seats that are level in both share a place."""
    strength = [(score, kings(kingdom)) for score, kingdom in zip(scores, kingdoms)]
    return tuple(1 + sum(other > mine for other in strength) for mine in strength)

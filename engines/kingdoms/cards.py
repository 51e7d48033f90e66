"""The cards, tokens and moves of 7 Kingdoms as numbers, with tables of what each power may take.

A card is its number, 1 to 49; a token 1 to 8; a move 1000 * kind + value. Sets of slots are bit masks (slot 1
is bit 0), sets of cards too (card n is bit n).
"""

from collections.abc import Iterator
from typing import Final

Card = int
Token = int
Move = int
Mask = int

KING: Final = 0
BISHOP: Final = 1
GENERAL: Final = 2
PRINCESS: Final = 3
KNIGHT: Final = 4
MERCHANT: Final = 5
PEASANT: Final = 6
TITLES: Final = ("King", "Bishop", "General", "Princess", "Knight", "Merchant", "Peasant")
ALL_CARDS: Final = tuple(range(1, 50))
TITLE: Final = (-1, *((card - 1) // 7 for card in ALL_CARDS))
# That every title has one card of each coat is known; which number has which coat is our choice.
COAT: Final = (0, *((card - 1) % 7 + 1 for card in ALL_CARDS))
COATS: Final = tuple(range(1, 8))

PLUS_FIVE: Final = 5
DOUBLE: Final = 6
PEASANT_TOKEN: Final = 7
COAT_TOKEN: Final = 8
"""The tokens 1 to 5 add as many points; these are the highest of them and the other three."""
ALL_TOKENS: Final = tuple(range(1, 9))
TOKEN_NAMES: Final = ("–", "+1", "+2", "+3", "+4", "+5", "x2", "Peasant", "Coat")

# Which two slots a Peasant shows is our choice: each slot is on two Peasants and no pair of slots repeats.
PEASANT_SLOTS: Final = {43: (1, 4), 44: (2, 5), 45: (3, 6), 46: (4, 7), 47: (5, 1), 48: (6, 2), 49: (7, 3)}

HAND_LIMIT: Final = 3
SLOTS: Final = 7
LAST_ROUND: Final = 60
"""A limit of ours: without it, powers that take little could keep the same cards going round for ever."""

# -- moves ------------------------------------------------------------------------------------------------

KIND: Final = 1000
SEAT: Final = 10000
"""A move is KIND * kind + value; with its seat, in the log, SEAT * seat is added."""
TOKEN_MOVE: Final = 1000
TAKE_MOVE: Final = 2000
WINDOW_MOVE: Final = 3000
PLACE_MOVE: Final = 4000
KINDS: Final = ("play", "token", "take", "window", "place")
"""The kinds of moves, named as in kingdoms.proto."""
TO_HAND: Final = PLACE_MOVE + 1
TO_KINGDOM: Final = PLACE_MOVE + 2

ANY_PLACE: Final[tuple[Move, ...]] = (TO_HAND, TO_KINGDOM)
KINGDOM_ONLY: Final[tuple[Move, ...]] = (TO_KINGDOM,)

# -- tables -----------------------------------------------------------------------------------------------

BIT: Final = tuple(1 << card for card in range(50))
OF_TITLE: Final = tuple(sum(BIT[card] for card in ALL_CARDS if TITLE[card] == title) for title in range(7))
OF_COAT: Final = (0, *(sum(BIT[card] for card in ALL_CARDS if COAT[card] == coat) for coat in COATS))

WIDTH: Final = {GENERAL: 3, KNIGHT: 2}
"""How many consecutive slots a General or Knight empties."""
WINDOW: Final = tuple((1 << WIDTH.get(title, 0)) - 1 for title in range(7))
"""The same as a mask of slots, from slot 1 on."""
MOST: Final = {KING: 4, BISHOP: 1, PRINCESS: 2, MERCHANT: 1, PEASANT: 1}
"""How many cards of the owner's choice the other titles may take."""

SLOTS_IN: Final = tuple(tuple(slot for slot in range(SLOTS) if mask >> slot & 1) for mask in range(1 << SLOTS))
"""The slots of a mask, counted from 0, from the left."""


def wording(move: object) -> str:
    """A move for an error message, in the words of kingdoms.proto; also of things that are no move."""
    if type(move) is int and 0 <= move < KIND * len(KINDS):
        return f"{KINDS[move // KIND]} {move % KIND}"
    return repr(move)


def cards_in(mask: Mask) -> Iterator[Card]:
    """The cards of a mask in ascending order."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def mask_of(cards: tuple[Card, ...]) -> Mask:
    """The set of these cards as a mask."""
    return sum(BIT[card] for card in cards)


_FEW = {title: tuple(m for m in range(1, 1 << SLOTS) if m.bit_count() <= most) for title, most in MOST.items()}
"""The sets of slots that are no more than a title may take, in ascending order."""


def _takes(card: Card, occupied: Mask) -> tuple[Move, ...]:
    """What the power of this card may do when these slots hold a card; nothing if it cannot take any."""
    title = TITLE[card]
    if title in WIDTH:
        return tuple(WINDOW_MOVE + first for first in range(1, SLOTS + 2 - WIDTH[title])) if occupied else ()
    missing = ~(occupied & sum(1 << slot - 1 for slot in PEASANT_SLOTS.get(card, COATS)))
    return tuple(TAKE_MOVE + mask for mask in _FEW[title] if not mask & missing)


def _takes_of_title(title: int) -> tuple[tuple[Move, ...], ...]:
    return tuple(_takes(7 * title + 1, occupied) for occupied in range(1 << SLOTS))


_BY_TITLE: Final = tuple(map(_takes_of_title, range(PEASANT)))
TAKES: Final[tuple[tuple[tuple[Move, ...], ...], ...]] = (
    (),
    *(_BY_TITLE[TITLE[card]] for card in range(1, 43)),
    *(tuple(_takes(card, occupied) for occupied in range(1 << SLOTS)) for card in PEASANT_SLOTS),
)
"""TAKES[card][occupied slots]: the legal moves of the card's power in ascending order, empty if it is skipped."""


def reach(card: Card, move: Move) -> Mask:
    """The slots that this move of the card's power empties."""
    return WINDOW[TITLE[card]] << (move - WINDOW_MOVE - 1) if move > WINDOW_MOVE else move - TAKE_MOVE

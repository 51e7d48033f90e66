"""7 Kingdoms in numbers, for any number of seats: the seat itself comes first, those after it follow in order."""

from collections.abc import Iterable

from arena.vectors import Layout, Vector, Vectors, mark
from engines.kingdoms.cards import (
    ALL_CARDS,
    ALL_TOKENS,
    COAT,
    COATS,
    HAND_LIMIT,
    LAST_ROUND,
    MOST,
    PLACE_MOVE,
    SLOTS,
    TAKE_MOVE,
    TITLE,
    TITLES,
    TOKEN_MOVE,
    WIDTH,
    WINDOW_MOVE,
    Card,
    Move,
    cards_in,
)
from engines.kingdoms.table import OVER_DECK, Observation

CARDS, TOKENS, SEATS = len(ALL_CARDS), len(ALL_TOKENS), 4
FACE = len(TITLES) + len(COATS)
"""A card that lies somewhere: its title and its coat; all zeros if there is none."""

TAKES = [TAKE_MOVE + slots for slots in range(1, 1 << SLOTS) if slots.bit_count() <= max(MOST.values())]
WINDOWS = [WINDOW_MOVE + first for first in range(1, SLOTS + 2 - min(WIDTH.values()))]
MOVES = (*ALL_CARDS, *(TOKEN_MOVE + token for token in ALL_TOKENS), *TAKES, *WINDOWS, PLACE_MOVE + 1, PLACE_MOVE + 2)
NUMBER = {move: number for number, move in enumerate(MOVES)}


class KingdomsVectors(Vectors[Move, Observation]):
    """The table slot by slot, then every seat; the places of seats that are not there stay zero."""

    observation = Layout(
        hand=CARDS,
        row=SLOTS * FACE,
        coats=SLOTS * len(COATS),
        tokens=SLOTS * TOKENS,
        revealed=TOKENS,
        pending=CARDS,  # taken and not yet put away
        next=FACE,  # the one of them that is put away next
        resolving=CARDS,
        removed=CARDS,
        played=SEATS * CARDS,
        kingdoms=SEATS * CARDS,
        known=SEATS * CARDS,  # the cards in a hand that everybody has seen
        hand_sizes=SEATS,
        seats=SEATS,  # 1 for every seat of the match
        first=SEATS,
        phase=5,  # play, token, take, place, over
        counts=4,  # round, seats that have acted, deck, tokens face down
    )
    actions = Layout(play=CARDS, token=TOKENS, take=len(TAKES), window=len(WINDOWS), place=2)

    def fill(self, seen: Observation, into: Vector) -> None:
        """Write the table and the seats."""
        self._fill_slots(seen, into)
        self._fill_piles(seen, into)
        self._fill_seats(seen, into)
        at, table = self.observation, seen.table
        into[at["phase"].start + min(table.phase, OVER_DECK) - 1] = 1.0
        counts = at["counts"].start
        into[counts] = table.round / LAST_ROUND
        into[counts + 1] = table.acted / SEATS
        into[counts + 2] = seen.deck_size / CARDS
        into[counts + 3] = seen.face_down_count / TOKENS

    def number(self, seen: Observation, move: Move) -> int:  # noqa: ARG002  (a move means the same in every position)
        """The place of the move among all that there are."""
        return NUMBER[move]

    def _fill_slots(self, seen: Observation, into: Vector) -> None:
        at, table = self.observation, seen.table
        for slot in range(SLOTS):
            _face(into, at["row"].start + slot * FACE, table.row[slot])
            into[at["coats"].start + slot * len(COATS) + table.coats[slot] - 1] = 1.0
            if token := table.tokens[slot]:
                into[at["tokens"].start + slot * TOKENS + token - 1] = 1.0

    def _fill_piles(self, seen: Observation, into: Vector) -> None:
        at, table = self.observation, seen.table
        mark(into, at["revealed"].start - 1, table.revealed)
        _cards(into, at["hand"].start, seen.hand)
        _cards(into, at["pending"].start, table.pending)
        _cards(into, at["removed"].start, table.removed)
        _cards(into, at["resolving"].start, (table.resolving,))
        _face(into, at["next"].start, table.pending[0] if table.pending else 0)

    def _fill_seats(self, seen: Observation, into: Vector) -> None:
        at, table, seats = self.observation, seen.table, seen.config.seats
        for place in range(seats):
            seat = (seen.seat + place) % seats
            _cards(into, at["played"].start + place * CARDS, (table.played[seat],))
            _cards(into, at["kingdoms"].start + place * CARDS, cards_in(table.kingdoms[seat]))
            _cards(into, at["known"].start + place * CARDS, cards_in(table.known[seat]))
            into[at["hand_sizes"].start + place] = seen.hand_sizes[seat] / HAND_LIMIT
            into[at["seats"].start + place] = 1.0
        into[at["first"].start + (table.first - seen.seat) % seats] = 1.0


def _cards(into: Vector, first: int, cards: Iterable[Card]) -> None:
    mark(into, first - 1, filter(None, cards))  # cards are counted from 1, and 0 is none


def _face(into: Vector, first: int, card: Card) -> None:
    if card:
        into[first + TITLE[card]] = into[first + len(TITLES) + COAT[card] - 1] = 1.0


VECTORS = KingdomsVectors()

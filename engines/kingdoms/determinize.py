"""What a seat can work out in 7 Kingdoms: a full position drawn at random among those it cannot tell apart."""

from random import Random

from arena.errors import BadMessage
from arena.rng import shuffle
from engines.kingdoms.cards import ALL_CARDS, ALL_TOKENS, Card, Token, cards_in
from engines.kingdoms.rules import KingdomsState
from engines.kingdoms.table import Observation


def imagine(seen: Observation, rng: Random) -> KingdomsState:
    """Deal the unseen cards and tokens anew: every deal that fits all that was observed is equally likely."""
    cards, tokens = unseen_cards(seen), unseen_tokens(seen)
    shuffle(rng, cards)
    shuffle(rng, tokens)
    hands = [_imagined_hand(seen, seat, cards) for seat in range(seen.config.seats)]
    if len(cards) < seen.deck_size or len(tokens) < seen.face_down_count:
        raise BadMessage("the observation counts more cards or tokens than the game has")
    return KingdomsState.assemble(
        seen.config,
        seen.table,
        hands=hands,
        deck=cards[: seen.deck_size],
        face_down=tuple(tokens[: seen.face_down_count]),
        log=[*seen.earlier, *seen.events],
    )


def unseen_cards(seen: Observation) -> list[Card]:
    """The cards that this seat has not located, in ascending order."""
    table = seen.table
    located = {*seen.hand, *table.row, *table.pending, *table.removed, *table.played}
    for cards in (*table.kingdoms, *table.known):
        located.update(cards_in(cards))
    return [card for card in ALL_CARDS if card not in located]


def unseen_tokens(seen: Observation) -> list[Token]:
    """The tokens that lie face down, in ascending order."""
    return [token for token in ALL_TOKENS if token not in seen.table.tokens and token not in seen.table.revealed]


def _imagined_hand(seen: Observation, seat: int, unseen: list[Card]) -> tuple[Card, ...]:
    """A hand of the right size with the cards that are known to be in it; the others come off the unseen ones."""
    if seat == seen.seat:
        return seen.hand
    known = tuple(cards_in(seen.table.known[seat]))
    hidden = seen.hand_sizes[seat] - len(known)
    if len(unseen) < hidden:
        raise BadMessage("the observation counts more cards in hand than there can be")
    drawn = [unseen.pop() for _ in range(hidden)]
    return tuple(sorted((*known, *drawn)))

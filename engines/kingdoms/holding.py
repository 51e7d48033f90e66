"""What one seat of 7 Kingdoms has: its hand, its kingdom and the card that it has played."""

from engines.kingdoms.cards import Card, Mask, mask_of


class Holding:
    """The cards of one seat."""

    __slots__ = ("hand", "kingdom", "known", "played")

    hand: tuple[Card, ...]
    """At most three, in ascending order, since a hand is at the same time the list of legal moves."""
    kingdom: Mask
    known: Mask
    """The cards in hand that all have seen."""
    played: Card
    """The card that was played in this round, 0 if none was."""

    def __init__(self, hand: tuple[Card, ...], kingdom: Mask, known: Mask, played: Card) -> None:
        self.hand = hand
        self.kingdom = kingdom
        self.known = known
        self.played = played

    def play(self, card: Card) -> None:
        """Play this card of the hand."""
        hand = self.hand
        if card == hand[0]:
            self.hand = hand[1:]
        else:
            self.hand = hand[:-1] if card == hand[-1] else (hand[0], hand[2])
        self.known &= ~(1 << card)
        self.played = card

    def keep(self, card: Card) -> None:
        """Take a card that all have seen into the hand of at most two, in its place."""
        hand = self.hand
        if not hand:
            self.hand = (card,)
        elif len(hand) == 1:
            self.hand = (card, hand[0]) if card < hand[0] else (hand[0], card)
        elif card < hand[0]:
            self.hand = (card, hand[0], hand[1])
        else:
            self.hand = (hand[0], card, hand[1]) if card < hand[1] else (hand[0], hand[1], card)
        self.known |= 1 << card

    def validate(self, card: Card) -> None:
        """Put a card into the kingdom."""
        self.kingdom |= 1 << card

    def validate_all(self) -> None:
        """Put the hand into the kingdom, and a card that was played but not resolved."""
        self.kingdom |= mask_of(self.hand) | (1 << self.played if self.played else 0)
        self.hand, self.known, self.played = (), 0, 0

"""Claim by a rule of thumb: fight for the tricks that are worth it, with the cheapest card that wins them.

Every card is judged by one sum: how likely it wins the trick, times what the trick is worth, minus what is lost by
giving the card away. It never looks ahead, and knows of the past only which cards can still be out.
"""

from collections.abc import Sequence
from random import Random

from engines.claim.determinize import unseen_cards
from engines.claim.rules import BEATS, DOPPELGANGERS, DWARVES, FACTION, KNIGHTS, UNDEAD, Card, Observation

SIZES = (14, 10, 10, 10, 8)
"""How many cards each faction has: the fewer, the more each of them counts towards the vote."""
VOTE = 30.0
"""What all cards of a faction are worth in a score pile."""
UNSEEN = 4.5
"""What the follower is worth that the loser of a trick draws unseen in phase 1."""
THRIFT = 0.1
"""The share of a card's strength that counts as lost when it is played."""
CHOICES = 3
"""How many cards an opponent has, as a rule, that can follow."""


def choose(seen: Observation, legal: Sequence[Card], rng: Random) -> Card:
    """The card of the highest value; chance decides among equals."""
    return max(legal, key=lambda card: (value(seen, card), rng.random()))


def value(seen: Observation, card: Card) -> float:
    """How good it is to play this card now."""
    return chance_to_win(seen, card) * stake(seen, card) - THRIFT * strength(card)


def chance_to_win(seen: Observation, card: Card) -> float:
    """Known to who follows; who leads wins unless one of the opponent's choices is better."""
    if seen.lead is not None:
        return float(BEATS[seen.lead][card])
    unseen = unseen_cards(seen)
    worse = sum(not BEATS[card][other] for other in unseen) / len(unseen)
    return worse**CHOICES


def stake(seen: Observation, card: Card) -> float:
    """What winning the trick with this card brings, compared to losing it."""
    trick = [card] if seen.lead is None else [seen.lead, card]
    if seen.prize is not None:
        undead = sum(FACTION[each] == UNDEAD for each in trick)
        return strength(seen.prize) - UNSEEN + undead * VOTE / SIZES[UNDEAD]
    # In phase 2 the winner scores the cards of the trick, but Dwarves go to the loser.
    return sum((-VOTE if FACTION[each] == DWARVES else VOTE) / SIZES[FACTION[each]] for each in trick)


def strength(card: Card) -> float:
    """How well a card wins tricks: by its number, and better if it can win in other factions too."""
    return card % 10 + 1.5 * (FACTION[card] in (DOPPELGANGERS, KNIGHTS))

"""Claim in numbers: 48 kinds of cards, the five Goblin 0s being one of them."""

from array import array
from collections import Counter

from arena.vectors import Layout, Vector, Vectors, mark
from engines.claim.determinize import void_factions
from engines.claim.rules import ALL_CARDS, BEATS, FACTION, HAND_SIZE, Card, Observation

KINDS = tuple(sorted(set(ALL_CARDS)))
NUMBER = {card: number for number, card in enumerate(KINDS)}
GOBLIN_ZEROS = ALL_CARDS.count(0)
SIZES = Counter(FACTION[card] for card in ALL_CARDS)
EVERY_CARD = array("f", [1.0] * len(KINDS))


class ClaimVectors(Vectors[Card, Observation]):
    """A place per kind of card and pile; the Goblin 0s of a pile are counted in fifths."""

    observation = Layout(
        hand=len(KINDS),
        lead=len(KINDS),
        prize=len(KINDS),
        followers=len(KINDS),  # what this seat has won and drawn for phase 2
        opponent_prizes=len(KINDS),
        score=len(KINDS),
        opponent_score=len(KINDS),
        discard=len(KINDS),
        unseen=len(KINDS),  # in the opponent's hand, among his draws, or in the deck
        winning=len(KINDS),  # the cards in hand that would take the trick
        hand_counts=5,  # by faction, as a share of all cards that it has
        score_counts=5,
        opponent_score_counts=5,
        opponent_void=5,  # the factions that he did not follow in phase 1
        phase=3,  # followers, votes, over
        leads=1,
        sizes=4,  # own hand, opponent's hand, his draws, deck
    )
    actions = Layout(play=len(KINDS))

    def fill(self, seen: Observation, into: Vector) -> None:
        """Mark the cards of every pile, and what follows from them."""
        self._fill_piles(seen, into)
        self._fill_hints(seen, into)
        at = self.observation
        into[at["phase"].start + seen.phase - 1] = 1.0
        into[at["leads"].start] = float(seen.leader == seen.seat)
        sizes = at["sizes"].start
        into[sizes] = len(seen.hand) / HAND_SIZE
        into[sizes + 1] = seen.opponent_hand_size / HAND_SIZE
        into[sizes + 2] = seen.opponent_draw_count / HAND_SIZE
        into[sizes + 3] = seen.deck_size / (2 * HAND_SIZE)

    def number(self, seen: Observation, move: Card) -> int:  # noqa: ARG002  (a card is the same in every position)
        return NUMBER[move]

    def _fill_piles(self, seen: Observation, into: Vector) -> None:
        at = self.observation
        piles = {
            "hand": seen.hand,
            "lead": () if seen.lead is None else (seen.lead,),
            "prize": () if seen.prize is None else (seen.prize,),
            "followers": seen.prizes + seen.draws,
            "opponent_prizes": seen.opponent_prizes,
            "score": seen.score,
            "opponent_score": seen.opponent_score,
            "discard": seen.discard,
        }
        unseen, zeros = at["unseen"].start, GOBLIN_ZEROS
        into[at["unseen"]] = EVERY_CARD
        for name, cards in piles.items():
            first = at[name].start
            for card in cards:
                into[first + NUMBER[card]], into[unseen + NUMBER[card]] = 1.0, 0.0
            into[first] = cards.count(0) / GOBLIN_ZEROS
            zeros -= cards.count(0)
        into[unseen] = zeros / GOBLIN_ZEROS

    def _fill_hints(self, seen: Observation, into: Vector) -> None:
        """What the piles say already, in a form that is easier to learn from."""
        at = self.observation
        if seen.lead is not None and seen.leader != seen.seat:
            beats = BEATS[seen.lead]
            mark(into, at["winning"].start, (NUMBER[card] for card in seen.hand if beats[card]))
        counted = {"hand": seen.hand, "score": seen.score, "opponent_score": seen.opponent_score}
        for name, cards in counted.items():
            first = at[f"{name}_counts"].start
            for faction, count in Counter(FACTION[card] for card in cards).items():
                into[first + faction] = count / SIZES[faction]
        mark(into, at["opponent_void"].start, void_factions(seen))


VECTORS = ClaimVectors()

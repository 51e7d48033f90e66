"""What a seat can work out in Claim: a full position drawn at random among those it cannot tell apart."""

from collections import Counter
from random import Random

from arena.errors import BadMessage
from arena.rng import sample, shuffle
from engines.claim.rules import ALL_CARDS, DOPPELGANGERS, FACTION, Card, ClaimState, Observation, Trick

COPIES = tuple(map(ALL_CARDS.count, range(50)))
"""How many of each card there are."""


def imagine(seen: Observation, rng: Random) -> ClaimState:
    """Deal the unseen cards anew: every deal that fits all that was observed is equally likely."""
    unseen = unseen_cards(seen)
    if len(unseen) < seen.opponent_hand_size + seen.opponent_draw_count + seen.deck_size:
        raise BadMessage("the observation shows more cards than the game has")
    shuffle(rng, unseen)
    void = void_factions(seen) if seen.phase == 1 else frozenset()
    possible = [place for place, card in enumerate(unseen) if FACTION[card] not in void]
    if len(possible) < seen.opponent_hand_size:
        raise BadMessage("the opponent cannot hold that many cards")
    held = set(sample(rng, possible, seen.opponent_hand_size))
    hand = sorted(unseen[place] for place in held)
    rest = [card for place, card in enumerate(unseen) if place not in held]
    draws, deck = rest[: seen.opponent_draw_count], rest[seen.opponent_draw_count :][: seen.deck_size]
    state = _position(seen, hand, draws, deck)
    state.tricks = _with_draws(seen.tricks, draws if seen.phase == 1 else past_draws(seen, hand, rng))
    return state


def unseen_cards(seen: Observation) -> list[Card]:
    """The cards that this seat has not located, in ascending order."""
    left = list(COPIES)
    for pile in (
        seen.hand,
        seen.prizes,
        seen.draws,
        seen.opponent_prizes,
        seen.score,
        seen.opponent_score,
        seen.discard,
    ):
        for card in pile:
            left[card] -= 1
    for open_card in (seen.lead, seen.prize):
        if open_card is not None:
            left[open_card] -= 1
    return [card for card, copies in enumerate(left) for _ in range(copies)]


def void_factions(seen: Observation) -> frozenset[int]:
    """The factions of which the opponent has shown, in phase 1, to hold no card: he did not follow them."""
    return frozenset(
        FACTION[lead]
        for leader, lead, follow, _, prize, _ in seen.tricks
        if prize is not None and leader == seen.seat and FACTION[follow] not in (FACTION[lead], DOPPELGANGERS)
    )


def _position(seen: Observation, hand: list[Card], draws: list[Card], deck: list[Card]) -> ClaimState:
    state = ClaimState.empty(seen.config)
    state.phase, state.leader, state.lead = seen.phase, seen.leader, seen.lead
    mine = (list(seen.hand), list(seen.prizes), list(seen.draws), list(seen.score))
    theirs = (hand, list(seen.opponent_prizes), draws, list(seen.opponent_score))
    pairs = zip(mine, theirs) if seen.seat == 0 else zip(theirs, mine)
    state.hands, state.prizes, state.draws, state.score = pairs
    state.deck = deck if seen.prize is None else [seen.prize, *deck]
    state.discard = list(seen.discard)
    state.recompute()
    return state


def past_draws(seen: Observation, hand: list[Card], rng: Random) -> list[Card]:
    """What the opponent drew in phase 1, in a random order: all that he got for phase 2 and won by no trick."""
    got = Counter(hand)
    for leader, lead, follow, winner, prize, _ in seen.tricks:
        if prize is None:
            got[follow if leader == seen.seat else lead] += 1
        elif winner != seen.seat:
            got[prize] -= 1
    if seen.lead is not None and seen.leader != seen.seat:
        got[seen.lead] += 1
    draws = sorted(got.elements())
    shuffle(rng, draws)
    return draws


def _with_draws(tricks: tuple[Trick, ...], draws: list[Card]) -> list[Trick]:
    """The tricks with the opponent's imagined draws put back where they were hidden."""
    hidden = iter(draws)
    return [trick if trick[4] is None or trick[5] is not None else (*trick[:5], next(hidden, None)) for trick in tricks]

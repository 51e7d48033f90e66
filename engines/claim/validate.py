"""Which positions of Claim can be: the sizes of hands and piles, the cards that there are, and what tricks bring.

A position may lack cards and its oldest tricks, so that a few cards make a puzzle; what is there must fit.
"""

from collections.abc import Iterable, Sequence

from arena.codec import require
from arena.match import Seat
from engines.claim.determinize import unseen_cards
from engines.claim.rules import (
    ALL_CARDS,
    BEATS,
    DWARVES,
    FACTION,
    HAND_SIZE,
    UNDEAD,
    Card,
    ClaimState,
    Observation,
    Trick,
)

Hidden = Card | None
"""A card, or None for one that the observer may not know."""
Piles = tuple[Sequence[Hidden], ...]


def require_state(state: ClaimState) -> None:
    """Refuse a position that no game can come to."""
    hands = (len(state.hands[0]), len(state.hands[1]))
    to_play = _require_hands(state.phase, state.leader, state.lead, hands)
    require(
        len(state.deck) == (2 * to_play if state.phase == 1 else 0), "phase 1 needs two deck cards per trick to come"
    )
    require(all(trick[4] is None or trick[5] is not None for trick in state.tricks), "a trick's draw is missing")
    cards = [*state.hands, *state.prizes, *state.draws, *state.score, state.deck, state.discard]
    _require_copies(cards, state.lead)
    _require_followers(state.phase, to_play, state.prizes, state.draws)
    _require_tricks(state.tricks, state.phase, to_play, state.leader)
    _require_piles(state.tricks, state.score, state.discard)
    if state.phase == 1:
        _require_last(state.prizes, state.draws, state.tricks)
    else:
        for seat in (0, 1):
            held = _held(state.tricks, seat, state.hands[seat], _led(state, seat))
            require(_has_all(held, _gained(state.tricks, seat)), "a follower was never played")


def require_observation(seen: Observation) -> None:
    """Refuse what a seat can see in no position."""
    mine, seat = len(seen.hand), seen.seat
    sizes = (mine, seen.opponent_hand_size) if seat == 0 else (seen.opponent_hand_size, mine)
    to_play = _require_hands(seen.phase, seen.leader, seen.lead, sizes)
    require((seen.prize is not None) == (seen.phase == 1), "there is a prize exactly in phase 1")
    require(
        seen.deck_size == (2 * to_play - 1 if seen.phase == 1 else 0), "phase 1 needs two deck cards per trick to come"
    )
    for trick in seen.tricks:
        loser_sees = trick[4] is not None and trick[3] != seat
        require((trick[5] is not None) == loser_sees, "the loser of a trick alone sees what he drew")
    prize = () if seen.prize is None else (seen.prize,)
    piles = [seen.hand, seen.prizes, seen.draws, seen.opponent_prizes, seen.score, seen.opponent_score, seen.discard]
    _require_copies([*piles, prize], seen.lead)
    require(seen.opponent_draw_count <= HAND_SIZE, "a seat draws 13 cards at most")
    prizes = _by_seat(seat, seen.prizes, seen.opponent_prizes)
    draws = _by_seat(seat, seen.draws, (None,) * seen.opponent_draw_count)
    _require_followers(seen.phase, to_play, prizes, draws)
    _require_tricks(seen.tricks, seen.phase, to_play, seen.leader)
    _require_piles(seen.tricks, _by_seat(seat, seen.score, seen.opponent_score), seen.discard)
    if seen.phase == 1:
        _require_last(prizes, draws, seen.tricks)
    else:
        led, theirs = (seen.lead, None) if seen.leader == seat else (None, seen.lead)
        held = _held(seen.tricks, seat, seen.hand, led)
        require(_has_all(held, _gained(seen.tricks, seat)), "a follower was never played")
        held = _held(seen.tricks, 1 - seat, unseen_cards(seen), theirs)
        require(_has_all(held, _gained(seen.tricks, 1 - seat)), "a follower of the opponent was never played")


def _by_seat(seat: Seat, mine: Sequence[Hidden], theirs: Sequence[Hidden]) -> Piles:
    return (mine, theirs) if seat == 0 else (theirs, mine)


def _led(state: ClaimState, seat: Seat) -> Hidden:
    return state.lead if state.leader == seat else None


def _require_hands(phase: int, leader: Seat, lead: Hidden, hands: tuple[int, int]) -> int:
    """How many cards each seat has still to play in this phase, that on the table included."""
    to_play = hands[leader] + (lead is not None)
    require(to_play == hands[1 - leader], "both seats must have the same number of cards left to play")
    require(to_play <= HAND_SIZE, "a hand holds 13 cards at most")
    require(bool(to_play) == (phase < 3), "there are cards in hand exactly until the game is over")
    return to_play


def _require_copies(piles: Iterable[Iterable[Card]], lead: Hidden) -> None:
    cards = [card for pile in piles for card in pile]
    if lead is not None:
        cards.append(lead)
    require(_has_all(ALL_CARDS, cards), "a card is there more often than the game has it")


def _has_all(pile: Sequence[Card], cards: Sequence[Card]) -> bool:
    """Whether the pile has each of these cards as often as they have it; only the Goblin 0 comes in copies."""
    zeros, different = cards.count(0), set(cards)
    once = len(cards) - len(different) == max(0, zeros - 1)
    return once and zeros <= pile.count(0) and different.issubset(pile)


def _require_followers(phase: int, to_play: int, prizes: Piles, draws: Piles) -> None:
    followers = [len(prizes[seat]) + len(draws[seat]) for seat in (0, 1)]
    require(phase == 1 or not any(followers), "followers are in hand after phase 1")
    require(followers[0] == followers[1], "every trick of phase 1 gives each seat one follower")
    require(followers[0] <= HAND_SIZE - to_play, "a seat has more followers than tricks were played")
    require(len(prizes[0]) == len(draws[1]), "who loses a trick draws a card")


# -- what the tricks brought ------------------------------------------------------------------------------


def _require_tricks(tricks: Sequence[Trick], phase: int, to_play: int, leader: Seat) -> None:
    """Each trick is won by the right card, its winner leads next, and there are no more of them than were played."""
    first = [trick for trick in tricks if trick[4] is not None]
    require(list(tricks[: len(first)]) == first, "prizes are won in phase 1 only, and in all of its tricks")
    done = HAND_SIZE - to_play if phase < 3 else HAND_SIZE
    require(len(first) <= (done if phase == 1 else HAND_SIZE), "more tricks are listed than were played")
    require(len(tricks) - len(first) <= (0 if phase == 1 else done), "more tricks are listed than were played")
    leaders = [trick[0] for trick in tricks[1:]] + [leader]
    for (begins, lead, follow, winner, _, _), leads_next in zip(tricks, leaders):
        require(winner == (1 - begins if BEATS[lead][follow] else begins), "a trick was won by the wrong seat")
        require(leads_next == winner, "the winner of a trick leads the next one")


def _require_piles(tricks: Sequence[Trick], score: Piles, discard: Sequence[Card]) -> None:
    """The cards of these tricks are the latest in the piles."""
    scored: tuple[list[Card], list[Card]] = ([], [])
    gone: list[Card] = []
    for _, lead, follow, winner, prize, _ in tricks:
        for card in (lead, follow):
            if prize is None:
                scored[1 - winner if FACTION[card] == DWARVES else winner].append(card)
            else:
                (scored[winner] if FACTION[card] == UNDEAD else gone).append(card)
    require(_ends_with(discard, gone), "the discard is not what the tricks left")
    require(
        all(_ends_with(score[seat], scored[seat]) for seat in (0, 1)), "a score pile is not what the tricks brought"
    )


def _require_last(prizes: Piles, draws: Piles, tricks: Sequence[Trick]) -> None:
    """The prizes and draws of these tricks are the latest that the seats got."""
    for seat in (0, 1):
        won = [trick[4] for trick in tricks if trick[3] == seat]
        drawn = [trick[5] for trick in tricks if trick[3] != seat]
        require(_ends_with(prizes[seat], won), "the prizes are not those of the tricks")
        require(_ends_with(draws[seat], drawn), "the draws are not those of the tricks")


def _ends_with(pile: Sequence[Hidden], cards: Sequence[Hidden]) -> bool:
    return len(cards) <= len(pile) and list(pile[len(pile) - len(cards) :]) == list(cards)


def _gained(tricks: Sequence[Trick], seat: Seat) -> list[Card]:
    """The followers that a seat is known to have got in these tricks."""
    got = (trick[4] if trick[3] == seat else trick[5] for trick in tricks)
    return [card for card in got if card is not None]


def _held(tricks: Sequence[Trick], seat: Seat, hand: Iterable[Card], led: Hidden) -> list[Card]:
    """All that a seat has had in hand in phase 2: what it holds and what it has played."""
    held = [*hand, *(trick[1] if trick[0] == seat else trick[2] for trick in tricks if trick[4] is None)]
    return held if led is None else [*held, led]

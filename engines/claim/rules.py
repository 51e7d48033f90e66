"""Claim (Scott Almes): win followers in 13 tricks, then win votes with them in 13 more.

Phase 1: each trick is about the face-up top card of the deck, the prize. The winner takes it; the loser
draws the next card unseen. These 13 cards are a seat's hand in phase 2, whose tricks fill the score piles.
Following: a card of the led faction if there is one, or any Doppelgänger; a led Doppelgänger asks for a
Doppelgänger. The higher card of the led faction wins, the leader at a tie; a Doppelgänger counts as the
led faction; a Knight beats a led Goblin. Played Undead of phase 1 go to the winner's score pile; Dwarves
of phase 2 go to the loser's. A faction's vote goes to the seat with more of its cards, then to the highest.

A card is 10 * faction + value; the five Goblin 0s are one and the same card.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arena.errors import IllegalMove
from arena.game import check_seat
from arena.match import Outcome, Seat
from arena.rng import shuffle, stream

Card = int

GOBLINS: Final = 0
DWARVES: Final = 1
UNDEAD: Final = 2
DOPPELGANGERS: Final = 3
KNIGHTS: Final = 4
FACTIONS: Final = ("Goblins", "Dwarves", "Undead", "Doppelgängers", "Knights")
ALL_CARDS: Final[tuple[Card, ...]] = (0,) * 4 + tuple(range(42 - 2)) + tuple(range(42, 50))
HAND_SIZE: Final = 13

FACTION: Final = tuple(card // 10 for card in range(50))


def _beats(lead: Card, follow: Card) -> bool:
    if FACTION[lead] == GOBLINS and FACTION[follow] == KNIGHTS:
        return True
    return FACTION[follow] in (FACTION[lead], DOPPELGANGERS) and follow % 10 > lead % 10


# Tables are much faster than comparing factions card by card.
FOLLOWS: Final = tuple(
    tuple(FACTION[card] in (FACTION[lead], DOPPELGANGERS) for card in range(50)) for lead in range(50)
)
"""FOLLOWS[lead][follow]: whether the second card counts as the led faction."""
BEATS: Final = tuple(tuple(_beats(lead, follow) for follow in range(50)) for lead in range(50))
"""BEATS[lead][follow]: whether the second card wins the trick."""

Trick = tuple[Seat, Card, Card, Seat, Card | None, Card | None]
"""leader, lead, follow, winner, prize, draw; the last two are None in phase 2."""


@dataclass(frozen=True, slots=True)
class Config:
    """The options of a match."""

    first_leader: Seat = 0


@dataclass(frozen=True, slots=True)
class Observation:
    """What one seat may know; the fields are explained in claim.proto."""

    seat: Seat
    config: Config
    phase: int
    leader: Seat
    lead: Card | None
    prize: Card | None
    hand: tuple[Card, ...]
    opponent_hand_size: int
    deck_size: int
    prizes: tuple[Card, ...]
    draws: tuple[Card, ...]
    opponent_prizes: tuple[Card, ...]
    opponent_draw_count: int
    score: tuple[Card, ...]
    opponent_score: tuple[Card, ...]
    discard: tuple[Card, ...]
    tricks: tuple[Trick, ...]


class ClaimState:
    """A position; lists are indexed by seat where there are two.

    These are tuples of any length to the compiler: one of a fixed length would be packed anew whenever it is indexed.
    """

    __slots__ = (
        "config", "phase", "leader", "lead", "hands", "prizes", "draws", "score",
        "deck", "drawn", "discard", "tricks", "_mover", "_legal",
    )  # fmt: skip

    config: Config
    phase: int
    leader: Seat
    lead: Card | None
    hands: tuple[list[Card], ...]
    prizes: tuple[list[Card], ...]
    draws: tuple[list[Card], ...]
    score: tuple[list[Card], ...]
    deck: list[Card]
    drawn: int
    discard: list[Card]
    tricks: list[Trick]
    _mover: Seat | None
    _legal: tuple[Card, ...]

    @classmethod
    def deal(cls, config: Config, seed: int) -> "ClaimState":
        """The first position of the game with this seed."""
        cards = list(ALL_CARDS)
        shuffle(stream(seed, "claim", "deal"), cards)
        state = cls.empty(config)
        state.hands = (cards[:HAND_SIZE], cards[HAND_SIZE : 2 * HAND_SIZE])
        for hand in state.hands:
            hand.sort()
        state.deck = cards[2 * HAND_SIZE :]
        state.recompute()
        return state

    @classmethod
    def empty(cls, config: Config) -> "ClaimState":
        """A position without cards; fill it and then call `recompute`."""
        state = cls()
        state.config = config
        state.phase = 1
        state.leader = config.first_leader
        state.lead = None
        state.hands, state.prizes, state.draws, state.score = ([], []), ([], []), ([], []), ([], [])
        state.deck = []
        state.drawn = 0
        state.discard = []
        state.tricks = []
        return state

    def recompute(self) -> None:
        """Work out who moves and what is legal after the fields were set from outside; hands must be in order."""
        if self.phase == 3:
            self._mover, self._legal = None, ()
        elif self.lead is None:
            self._to_lead(self.leader)
        else:
            self._to_follow(1 - self.leader, self.lead)

    # -- the contract -----------------------------------------------------------------------------------

    def to_move(self) -> Seat | None:
        return self._mover

    def legal(self) -> Sequence[Card]:
        """The cards that may be played, in ascending order."""
        return self._legal

    def apply(self, move: object) -> None:
        if type(move) is not int or move not in self._legal:  # 1.0 and True are no cards, although they equal one
            raise IllegalMove(f"{move!r} may not be played now: legal are {list(self._legal)}")
        seat = self._mover
        assert seat is not None  # noqa: S101  (nothing is legal when nobody moves)
        self.hands[seat].remove(move)
        if self.lead is None:
            self.lead = move
            self._to_follow(1 - seat, move)
        else:
            self._finish_trick(self.lead, move)

    def clone(self) -> "ClaimState":
        """An independent copy; the deck never changes and is shared."""
        twin = ClaimState()
        twin.config, twin.phase, twin.leader, twin.lead = self.config, self.phase, self.leader, self.lead
        twin.hands = (self.hands[0][:], self.hands[1][:])
        twin.prizes = (self.prizes[0][:], self.prizes[1][:])
        twin.draws = (self.draws[0][:], self.draws[1][:])
        twin.score = (self.score[0][:], self.score[1][:])
        twin.deck, twin.drawn = self.deck, self.drawn
        twin.discard = self.discard[:]
        twin.tricks = self.tricks[:]
        twin._mover, twin._legal = self._mover, self._legal
        return twin

    def outcome(self) -> Outcome | None:
        """Votes decide; a faction that nobody leads in has none."""
        if self.phase != 3:
            return None
        votes = self.votes()
        ranks = (1, 1) if votes[0] == votes[1] else (1, 2) if votes[0] > votes[1] else (2, 1)
        return Outcome(ranks, (float(votes[0]), float(votes[1])), f"votes {votes[0]} to {votes[1]}")

    def view(self, seat: object) -> Observation:
        return self._known_to(check_seat(seat, 2))

    def _known_to(self, seat: Seat) -> Observation:
        """What this seat may know: the opponent's hand and draws stay hidden, as does the deck."""
        other = 1 - seat
        in_deck = len(self.deck) - self.drawn
        return Observation(
            seat=seat,
            config=self.config,
            phase=self.phase,
            leader=self.leader,
            lead=self.lead,
            prize=self.deck[self.drawn] if in_deck else None,
            hand=tuple(self.hands[seat]),
            opponent_hand_size=len(self.hands[other]),
            deck_size=max(0, in_deck - 1),
            prizes=tuple(self.prizes[seat]),
            draws=tuple(self.draws[seat]),
            opponent_prizes=tuple(self.prizes[other]),
            opponent_draw_count=len(self.draws[other]),
            score=tuple(self.score[seat]),
            opponent_score=tuple(self.score[other]),
            discard=tuple(self.discard),
            # The loser of a trick alone sees what he drew.
            tricks=tuple(trick if trick[3] != seat else (*trick[:5], None) for trick in self.tricks),
        )

    # -- rules ------------------------------------------------------------------------------------------

    def votes(self) -> tuple[int, int]:
        """How many factions each seat has won with the score piles as they are."""
        votes = [0, 0]
        for faction in range(5):
            # More cards first, then the highest card: exactly the order of (count, best).
            mine, yours = (_strength(pile, faction) for pile in self.score)
            if mine != yours:
                votes[mine < yours] += 1
        return votes[0], votes[1]

    def _to_lead(self, seat: Seat) -> None:
        self.leader = self._mover = seat
        hand = self.hands[seat]
        self._legal = tuple(hand) if hand[0] else _moves(hand)

    def _to_follow(self, seat: Seat, lead: Card) -> None:
        self._mover = seat
        hand = self.hands[seat]
        follows, faction = FOLLOWS[lead], FACTION[lead]
        legal = [card for card in hand if follows[card]]
        # A Doppelgänger may stand in for the led faction, but only a card of that faction must be played. Hands are
        # sorted, so a card of the led faction stands first or last among those that follow.
        if not legal or (FACTION[legal[0]] != faction and FACTION[legal[-1]] != faction):
            legal = hand
        self._legal = tuple(legal) if legal[0] else _moves(legal)

    def _finish_trick(self, lead: Card, follow: Card) -> None:
        leader = self.leader
        winner = 1 - leader if BEATS[lead][follow] else leader
        self.lead = None
        if self.phase == 1:
            at = self.drawn
            self.drawn = at + 2
            prize, draw = self.deck[at], self.deck[at + 1]
            self.prizes[winner].append(prize)
            self.draws[1 - winner].append(draw)
            (self.score[winner] if FACTION[lead] == UNDEAD else self.discard).append(lead)
            (self.score[winner] if FACTION[follow] == UNDEAD else self.discard).append(follow)
            self.tricks.append((leader, lead, follow, winner, prize, draw))
        else:
            self.score[1 - winner if FACTION[lead] == DWARVES else winner].append(lead)
            self.score[1 - winner if FACTION[follow] == DWARVES else winner].append(follow)
            self.tricks.append((leader, lead, follow, winner, None, None))
        if self.hands[winner]:
            self._to_lead(winner)
        else:
            self._end_phase(winner)

    def _end_phase(self, winner: Seat) -> None:
        self.phase += 1
        if self.phase == 2:
            self.hands = (self.prizes[0] + self.draws[0], self.prizes[1] + self.draws[1])
            for hand in self.hands:
                hand.sort()
            self.prizes, self.draws = ([], []), ([], [])
            self._to_lead(winner)
        else:
            self.leader = winner
            self._mover, self._legal = None, ()


def _moves(cards: list[Card]) -> tuple[Card, ...]:
    """These cards in their order, of which the Goblin 0s stand first: one and the same card, they are listed once."""
    last = 0
    while last + 1 < len(cards) and not cards[last + 1]:
        last += 1
    return tuple(cards[last:]) if last else tuple(cards)


def _strength(pile: list[Card], faction: int) -> tuple[int, int]:
    cards = [card for card in pile if FACTION[card] == faction]
    return len(cards), max(cards, default=-1)

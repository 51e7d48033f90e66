"""Claim's values to and from the messages of claim.proto."""

from collections.abc import Iterable
from functools import lru_cache

from arena.codec import Codec, require
from arena.wire.v1 import claim_pb2 as pb
from engines.claim.rules import ALL_CARDS, Card, ClaimState, Config, Observation, Trick
from engines.claim.validate import require_observation, require_state

CARDS = frozenset(ALL_CARDS)
CARDS_OR_NONE = CARDS | {None}


class ClaimCodec(Codec[Config, ClaimState, Card, Observation]):
    """Packs and unpacks Claim."""

    wire = pb
    prefix = "Claim"

    def pack_config(self, config: Config) -> pb.ClaimConfig:
        return pb.ClaimConfig(first_leader=config.first_leader)

    def unpack_config(self, message: pb.ClaimConfig) -> Config:
        return Config(_seat(message.first_leader))

    def pack_move(self, move: Card) -> pb.ClaimMove:
        return pb.ClaimMove(play=move)

    def unpack_move(self, message: pb.ClaimMove) -> Card:
        """The card in a move; it need not exist."""
        require(message.HasField("play"), "the move is empty: set `play`")
        return message.play

    def pack_observation(self, observation: Observation) -> pb.ClaimObservation:
        seen = observation
        return pb.ClaimObservation(
            seat=seen.seat, config=self.pack_config(seen.config), phase=seen.phase, leader=seen.leader,
            lead=seen.lead, prize=seen.prize, hand=seen.hand, opponent_hand_size=seen.opponent_hand_size,
            deck_size=seen.deck_size, prizes=seen.prizes, draws=seen.draws, opponent_prizes=seen.opponent_prizes,
            opponent_draw_count=seen.opponent_draw_count, score=seen.score, opponent_score=seen.opponent_score,
            discard=seen.discard, tricks=map(_pack_trick, seen.tricks),
        )  # fmt: skip

    def unpack_observation(self, message: pb.ClaimObservation) -> Observation:
        require(1 <= message.phase <= 3, "a phase is 1, 2 or 3")
        seen = Observation(
            seat=_seat(message.seat),
            config=self.unpack_config(message.config),
            phase=message.phase,
            leader=_seat(message.leader),
            lead=_card(message.lead) if message.HasField("lead") else None,
            prize=_card(message.prize) if message.HasField("prize") else None,
            hand=tuple(sorted(_cards(message.hand))),
            opponent_hand_size=message.opponent_hand_size,
            deck_size=message.deck_size,
            prizes=tuple(_cards(message.prizes)),
            draws=tuple(_cards(message.draws)),
            opponent_prizes=tuple(_cards(message.opponent_prizes)),
            opponent_draw_count=message.opponent_draw_count,
            score=tuple(_cards(message.score)),
            opponent_score=tuple(_cards(message.opponent_score)),
            discard=tuple(_cards(message.discard)),
            tricks=tuple(map(_unpack_trick, message.tricks)),
        )
        require_observation(seen)
        return seen

    def pack_state(self, state: ClaimState) -> pb.ClaimState:
        seats = [
            pb.ClaimSeat(hand=state.hands[s], prizes=state.prizes[s], draws=state.draws[s], score=state.score[s])
            for s in (0, 1)
        ]
        return pb.ClaimState(
            config=self.pack_config(state.config), phase=state.phase, leader=state.leader, lead=state.lead,
            seats=seats, deck=state.deck[state.drawn :], discard=state.discard, tricks=map(_pack_trick, state.tricks),
        )  # fmt: skip

    def unpack_state(self, message: pb.ClaimState) -> ClaimState:
        """The position in a message; cards may be missing, but hands and deck must fit each other."""
        require(len(message.seats) == 2, "Claim has two seats")
        require(1 <= message.phase <= 3, "a phase is 1, 2 or 3")
        state = ClaimState.empty(self.unpack_config(message.config))
        state.phase, state.leader = message.phase, _seat(message.leader)
        state.lead = _card(message.lead) if message.HasField("lead") else None
        one, two = message.seats
        state.hands = (sorted(_cards(one.hand)), sorted(_cards(two.hand)))
        state.prizes = (_cards(one.prizes), _cards(two.prizes))
        state.draws = (_cards(one.draws), _cards(two.draws))
        state.score = (_cards(one.score), _cards(two.score))
        state.deck = _cards(message.deck)
        state.discard = _cards(message.discard)
        state.tricks = list(map(_unpack_trick, message.tricks))
        require_state(state)
        state.recompute()
        return state


@lru_cache(maxsize=4096)  # every turn lists all tricks so far; packing them again would be half of the work
def _pack_trick(trick: Trick) -> pb.ClaimTrick:
    leader, lead, follow, winner, prize, draw = trick
    return pb.ClaimTrick(leader=leader, lead=lead, follow=follow, winner=winner, prize=prize, draw=draw)


def _unpack_trick(message: pb.ClaimTrick) -> Trick:
    prize = message.prize if message.HasField("prize") else None
    draw = message.draw if message.HasField("draw") else None
    trick = (message.leader, message.lead, message.follow, message.winner, prize, draw)
    # One look at all numbers: a bot unpacks every trick again in each of its turns.
    require(
        trick[0] < 2 and trick[3] < 2 and CARDS_OR_NONE.issuperset((trick[1], trick[2], prize, draw)), "no such trick"
    )
    return trick


def _seat(number: int) -> int:
    require(number < 2, "Claim has two seats")
    return number


def _card(number: int) -> Card:
    require(number in CARDS, "there is no such card")
    return number


def _cards(numbers: Iterable[int]) -> list[Card]:
    cards = list(numbers)
    require(CARDS.issuperset(cards), "there is no such card")
    return cards


CODEC = ClaimCodec()

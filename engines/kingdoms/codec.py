"""7 Kingdoms' values to and from the messages of kingdoms.proto."""

from collections.abc import Iterable, Sequence
from typing import Any

from arena.codec import Codec, require
from arena.match import Seat
from arena.wire.v1 import kingdoms_pb2 as pb
from engines.kingdoms.cards import (
    ALL_CARDS,
    BISHOP,
    COATS,
    HAND_LIMIT,
    KIND,
    KINDS,
    LAST_ROUND,
    SEAT,
    SLOTS,
    TAKES,
    TITLE,
    Card,
    Mask,
    Move,
    Token,
    cards_in,
    mask_of,
)
from engines.kingdoms.rules import KingdomsState, told_of
from engines.kingdoms.table import OVER_DECK, OVER_ROUNDS, PLACE, PLAY, TAKE, TOKEN, Config, Observation, Table

NO_VALUE = KIND - 1
"""What a value that no move can have is read as: a move that is never legal."""


class KingdomsCodec(Codec[Config, KingdomsState, Move, Observation]):
    """Packs and unpacks 7 Kingdoms."""

    wire = pb
    prefix = "Kingdoms"

    def pack_config(self, config: Config) -> pb.KingdomsConfig:
        return pb.KingdomsConfig(seats=config.seats)

    def unpack_config(self, message: pb.KingdomsConfig) -> Config:
        require(2 <= message.seats <= 4, f"7 Kingdoms is played by 2 to 4 seats, not {message.seats}")
        return Config(message.seats)

    def pack_move(self, move: Move) -> pb.KingdomsMove:
        kind, value = divmod(move, KIND)
        fields: dict[str, Any] = {KINDS[kind]: value}
        return pb.KingdomsMove(**fields)

    def unpack_move(self, message: pb.KingdomsMove) -> Move:
        """The move in a message; it need not be legal."""
        kind = message.WhichOneof("kind")
        require(kind, f"the move is empty: set one of {', '.join(KINDS)}")
        value: int = getattr(message, str(kind))
        return KIND * KINDS.index(str(kind)) + (value if 0 <= value < KIND else NO_VALUE)

    def pack_observation(self, observation: Observation) -> pb.KingdomsObservation:
        seen, table = observation, observation.table
        seats = [
            pb.KingdomsSeenSeat(hand_size=size, kingdom=cards_in(kingdom), known=cards_in(known), played=played)
            for size, kingdom, known, played in zip(seen.hand_sizes, table.kingdoms, table.known, table.played)
        ]
        return pb.KingdomsObservation(
            seat=seen.seat, config=self.pack_config(seen.config), seats=seats, hand=seen.hand, deck_size=seen.deck_size,
            face_down_count=seen.face_down_count, events=seen.events, earlier=seen.earlier, **_pack_table(table),
        )  # fmt: skip

    def unpack_observation(self, message: pb.KingdomsObservation) -> Observation:
        config = self.unpack_config(message.config)
        require(message.seat < config.seats, f"there is no seat {message.seat}")
        table = _unpack_table(message, config.seats)
        hand, sizes = _hand(message.hand), tuple(seat.hand_size for seat in message.seats)
        others = [tuple(cards_in(cards)) for seat, cards in enumerate(table.known) if seat != message.seat]
        _require_distinct([*_open_cards(table), *hand, *(card for cards in others for card in cards)])
        require(table.known[message.seat] & ~mask_of(hand) == 0, "a known card of yours is not in your hand")
        require(len(hand) == sizes[message.seat], "your hand has another size than is said of it")
        require(
            all(known.bit_count() <= size <= HAND_LIMIT for known, size in zip(table.known, sizes)), "a hand is 0 to 3"
        )
        _require_deck(table, sizes, message.deck_size)
        _require_decision(table, sizes)
        events, earlier = _log(message.events, config.seats), _log(message.earlier, config.seats)
        _require_told(message.seat, config.seats, earlier, events)
        return Observation(
            seat=message.seat,
            config=config,
            table=table,
            hand=hand,
            hand_sizes=sizes,
            deck_size=message.deck_size,
            face_down_count=message.face_down_count,
            events=events,
            earlier=earlier,
        )

    def pack_state(self, state: KingdomsState) -> pb.KingdomsState:
        table = state.table()
        seats = [
            pb.KingdomsSeat(hand=hand, kingdom=cards_in(kingdom), known=cards_in(known), played=played)
            for hand, kingdom, known, played in zip(state.hands, table.kingdoms, table.known, table.played)
        ]
        face_down: Any = state.face_down  # the generated types ask for enum values, but numbers serve as well
        return pb.KingdomsState(
            config=self.pack_config(state.config), seats=seats, deck=state.deck[state.drawn :], face_down=face_down,
            log=state.untold(), **_pack_table(table),
        )  # fmt: skip

    def unpack_state(self, message: pb.KingdomsState) -> KingdomsState:
        """The position in a message; the cards need not be all there, but none may be in two places."""
        given = message.config if message.HasField("config") else pb.KingdomsConfig(seats=len(message.seats))
        config = self.unpack_config(given)
        table = _unpack_table(message, config.seats)
        hands = [_hand(seat.hand) for seat in message.seats]
        elsewhere = [*_open_cards(table), *(card for hand in hands for card in hand)]
        deck = _cards(message.deck)
        if not deck and table.phase < OVER_DECK:
            deck = tuple(card for card in ALL_CARDS if card not in elsewhere)
        _require_distinct([*elsewhere, *deck])
        for hand, known in zip(hands, table.known):
            require(known & ~mask_of(hand) == 0, "a known card is not in its seat's hand")
        _require_deck(table, list(map(len, hands)), len(deck))
        face_down = _tokens(message.face_down)
        _require_distinct([*filter(None, table.tokens), *table.revealed, *face_down])
        log = list(_log(message.log, config.seats))
        return KingdomsState.assemble(config, table, hands=hands, deck=list(deck), face_down=face_down, log=log)


# -- what lies open: these fields have the same names in a state and in an observation -------------------


def _pack_table(table: Table) -> dict[str, Any]:
    return {
        "round": table.round, "first": table.first, "acted": table.acted, "phase": table.phase,
        "resolving": table.resolving, "coats": table.coats, "tokens": table.tokens, "revealed": table.revealed,
        "row": table.row, "pending": table.pending, "removed": table.removed,
    }  # fmt: skip


def _unpack_table(message: Any, seats: int) -> Table:
    require(len(message.seats) == seats, f"the match has {seats} seats, but {len(message.seats)} are described")
    require(len(message.row) <= SLOTS and len(message.tokens) <= SLOTS, "there are seven slots")
    table = Table(
        round=message.round or 1,
        first=message.first,
        acted=message.acted,
        phase=message.phase or PLAY,
        resolving=message.resolving,
        coats=tuple(message.coats) or COATS,
        tokens=_filled(_tokens(message.tokens, none=True)),
        revealed=tuple(sorted(_tokens(message.revealed))),
        row=_filled(_cards(message.row, none=True)),
        pending=_cards(message.pending),
        removed=_cards(message.removed),
        played=_cards((seat.played for seat in message.seats), none=True),
        kingdoms=tuple(_card_set(seat.kingdom) for seat in message.seats),
        known=tuple(_card_set(seat.known) for seat in message.seats),
    )
    _require_setting(table, seats)
    _require_played(table, seats)
    _require_phase(table)
    return table


def _require_setting(table: Table, seats: int) -> None:
    require(table.round <= LAST_ROUND, f"there are {LAST_ROUND} rounds")
    require(table.first < seats, f"there is no seat {table.first}")
    require(PLAY <= table.phase <= OVER_ROUNDS, f"there is no phase {table.phase}")
    require(sorted(table.coats) == list(COATS), "the seven coats must be there once each")
    require(len(table.revealed) <= 2, "two tokens are revealed at most")
    require(0 not in table.tokens[: SLOTS - table.tokens.count(0)], "tokens are laid from the first slot on")
    _require_distinct([*filter(None, table.tokens), *table.revealed])


def _require_played(table: Table, seats: int) -> None:
    require(table.acted <= seats, "more seats have acted than there are")
    yet_to_act = [(table.first + turn) % seats for turn in range(table.acted, seats)]
    require(not any(table.played[seat] for seat in yet_to_act), "a seat has played before its turn")
    for seat, card in enumerate(table.played):
        if TITLE[card] == BISHOP and _resolved(table, card):
            require(table.kingdoms[seat] >> card & 1, "a resolved Bishop must be in its owner's kingdom")


def _require_phase(table: Table) -> None:
    between = table.phase == PLAY or table.phase >= OVER_DECK
    require(between == (not table.resolving), "a card is resolved exactly in the phases TOKEN, TAKE and PLACE")
    require(between or table.resolving in table.played, "the card that is resolved was not played")
    require(between or table.acted == len(table.played), "powers are used when every seat has acted")
    require(not table.pending or table.phase == PLACE, "cards are pending only in the phase PLACE")
    require(len(table.pending) <= table.row.count(0), "more cards are pending than slots are empty")
    require(table.phase != TOKEN or TITLE[table.resolving] == BISHOP, "only a Bishop brings a token")
    require(table.phase < OVER_DECK or not any(table.played), "no card is left to resolve when the game is over")


def _require_deck(table: Table, hand_sizes: Sequence[int], deck_size: int) -> None:
    if table.phase >= OVER_DECK:
        require(not any(hand_sizes) and not table.acted, "hands are in the kingdoms when the game is over")
    else:
        require(deck_size > 0, "the game is over when the deck is empty")


def _require_decision(table: Table, hand_sizes: Sequence[int]) -> None:
    """Somebody has something to decide; a state goes on by itself until this is so."""
    if table.phase == PLAY:
        require(table.acted < len(hand_sizes), "every seat has acted, so powers are used")
        mover = (table.first + table.acted) % len(hand_sizes)
        require(hand_sizes[mover], "who has no card in hand draws two instead of playing one")
    elif table.phase == TOKEN:
        require(table.revealed and 0 in table.tokens, "there is no token or no coat for it")
    elif table.phase == TAKE:
        occupied = sum(1 << slot for slot, card in enumerate(table.row) if card)
        require(TAKES[table.resolving][occupied], "the card that is resolved can take nothing")
    elif table.phase == PLACE:
        require(table.pending, "no card is to be put away")


def _require_told(seat: Seat, seats: int, earlier: tuple[int, ...], events: tuple[int, ...]) -> None:
    log = earlier + events
    require(told_of(log, (seat,)) == len(earlier), "events are the moves since your own last one")
    require(not log or told_of(log, range(seats)) == 0, "every seat has been told of the earliest moves")


def _resolved(table: Table, card: Card) -> bool:
    return 0 < table.resolving <= card


def _open_cards(table: Table) -> list[Card]:
    """Every card that lies open, once; a resolved Bishop lies in a kingdom."""
    played = [card for card in table.played if not (TITLE[card] == BISHOP and _resolved(table, card))]
    kingdoms = [card for kingdom in table.kingdoms for card in cards_in(kingdom)]
    return [*filter(None, (*played, *table.row)), *kingdoms, *table.pending, *table.removed]


# -- values ------------------------------------------------------------------------------------------------


def _cards(numbers: Iterable[int], *, none: bool = False) -> tuple[Card, ...]:
    cards = tuple(numbers)
    require(all(1 - none <= card <= 49 for card in cards), "a card is a number from 1 to 49")
    return cards


def _card_set(numbers: Iterable[int]) -> Mask:
    cards = _cards(numbers)
    _require_distinct(cards)
    return mask_of(cards)


def _hand(numbers: Iterable[int]) -> tuple[Card, ...]:
    hand = tuple(sorted(_cards(numbers)))
    require(len(hand) <= HAND_LIMIT, f"a hand holds {HAND_LIMIT} cards at most")
    return hand


def _tokens(numbers: Iterable[int], *, none: bool = False) -> tuple[Token, ...]:
    tokens = tuple(numbers)
    require(all(1 - none <= token <= 8 for token in tokens), "a token is a number from 1 to 8")
    return tokens


def _log(entries: Iterable[int], seats: int) -> tuple[int, ...]:
    log = tuple(entries)
    require(all(entry < SEAT * seats and entry % SEAT < KIND * len(KINDS) for entry in log), "the log has no such move")
    return log


def _filled(row: tuple[int, ...]) -> tuple[int, ...]:
    return (*row, *(0,) * (SLOTS - len(row)))


def _require_distinct(numbers: Sequence[int]) -> None:
    require(len(set(numbers)) == len(numbers), "a card or token is in two places")


CODEC = KingdomsCodec()

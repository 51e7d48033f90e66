"""King & Assassins' values to and from the messages of assassins.proto."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from arena.codec import Codec, require
from arena.wire.v1 import assassins_pb2 as pb
from engines.assassins import moves
from engines.assassins.board import CITIZENS, FIGURES, KING, KNIGHTS, OFF, SQUARES
from engines.assassins.moves import CHOICES, CHOOSE, END_TURN, ENTER, HIDDEN_CHOICE, REVEAL, START, Move
from engines.assassins.rules import ASSASSINS_TURN, CARDS, KINGS_TURN, AssassinsState, Config, Event, Observation
from engines.assassins.validate import SETUP, require_position

BOARDS = {pb.ASSASSINS_BOARD_UNSPECIFIED: "a", pb.ASSASSINS_BOARD_A: "a", pb.ASSASSINS_BOARD_B: "b"}
BOARD_NUMBERS = {name: number for number, name in BOARDS.items()}
ACTIONS = {"step": moves.STEP, "kill": moves.KILL, "capture": moves.CAPTURE, "attack": moves.ATTACK}
ACTION_NAMES = {number: name for name, number in ACTIONS.items()}
CHOICE_NUMBERS = {choice: CHOOSE + number for number, choice in enumerate(CHOICES)} | {(): HIDDEN_CHOICE}


class AssassinsCodec(Codec[Config, AssassinsState, Move, Observation]):
    """Packs and unpacks King & Assassins."""

    wire = pb
    prefix = "Assassins"

    def pack_config(self, config: Config) -> pb.AssassinsConfig:
        return pb.AssassinsConfig(board=BOARD_NUMBERS[config.board])

    def unpack_config(self, message: pb.AssassinsConfig) -> Config:
        require(message.board in BOARDS, f"there is no board {message.board}")
        return Config(BOARDS[message.board])

    def pack_move(self, move: Move) -> pb.AssassinsMove:
        if move < CHOOSE:
            return _pack_action(move)
        if move <= HIDDEN_CHOICE:
            named = () if move == HIDDEN_CHOICE else CHOICES[move - CHOOSE]
            return pb.AssassinsMove(choose=pb.AssassinsChoice(citizens=named))
        if move < REVEAL:
            return pb.AssassinsMove(start=move - START)
        if move < ENTER:
            return pb.AssassinsMove(reveal=move - REVEAL)
        return pb.AssassinsMove(enter=True) if move == ENTER else pb.AssassinsMove(end_turn=True)

    def unpack_move(self, message: pb.AssassinsMove) -> Move:
        """The move in a message; it need not be legal, but its figures and squares exist."""
        kind = message.WhichOneof("kind")
        require(kind, "the move is empty: set one of its kinds")
        value = getattr(message, kind)
        if kind in ACTIONS:
            require(value.figure < FIGURES, f"there is no figure {value.figure}")
            require(value.square < SQUARES, f"there is no square {value.square}")
            return ACTIONS[kind] + SQUARES * int(value.figure) + int(value.square)
        if kind == "choose":
            named = tuple(sorted(value.citizens))
            require(named in CHOICE_NUMBERS, "a choice names three different citizens, 1 to 12")
            return CHOICE_NUMBERS[named]
        if kind == "start":
            require(value < REVEAL - START, f"there is no start {value}")
            return START + int(value)
        if kind == "reveal":
            require(value in CITIZENS, f"figure {value} is no citizen")
            return REVEAL + int(value)
        require(value, f"`{kind}` can only be true")
        return ENTER if kind == "enter" else END_TURN

    def pack_observation(self, observation: Observation) -> pb.AssassinsObservation:
        seen = observation
        return pb.AssassinsObservation(
            seat=seen.seat, config=self.pack_config(seen.config), phase=_enum(seen.phase), ending=_enum(seen.ending),
            king=None if seen.where[KING] == OFF else seen.where[KING], citizens=seen.where[1:13],
            knights=seen.where[13:], assassins=seen.assassins, revealed=seen.revealed, removed=seen.removed,
            wounds=seen.wounds, king_points=seen.king_points, knight_points=seen.knight_points,
            crowd_points=seen.crowd_points, captured=seen.captured, kills=seen.kills, cards=seen.cards,
            deck_size=seen.deck_size, events=map(self._pack_event, seen.events),
            earlier=map(self._pack_event, seen.earlier),
        )  # fmt: skip

    def unpack_observation(self, message: pb.AssassinsObservation) -> Observation:
        where = _read_squares(message)
        seen = Observation(
            seat=_seat(message.seat),
            config=self.unpack_config(message.config),
            phase=message.phase,
            ending=message.ending,
            where=tuple(where),
            assassins=_citizens(message.assassins),
            revealed=_citizens(message.revealed),
            removed=_read_removed(message, where),
            wounds=message.wounds,
            king_points=message.king_points,
            knight_points=message.knight_points,
            crowd_points=message.crowd_points,
            captured=message.captured,
            kills=message.kills,
            cards=tuple(message.cards),
            deck_size=message.deck_size,
            events=self._read_events(message.events),
            earlier=self._read_events(message.earlier),
        )
        require(all(seat != seen.seat for seat, _ in seen.events), "events are the moves of the other seat")
        require(all(seat == seen.seat for seat, _ in seen.earlier), "earlier moves are those of this seat")
        require(not (seen.events and seen.earlier), "the latest moves were made by one seat")
        require_position(seen)
        return seen

    def pack_state(self, state: AssassinsState) -> pb.AssassinsState:
        where = state.where
        return pb.AssassinsState(
            config=self.pack_config(state.config), phase=_enum(state.phase), ending=_enum(state.ending),
            king=None if where[KING] == OFF else where[KING], citizens=where[1:13], knights=where[13:],
            assassins=state.assassins, revealed=state.revealed, removed=state.removed, wounds=state.wounds,
            king_points=state.king_points, knight_points=state.knight_points, crowd_points=state.crowd_points,
            captured=state.captured, kills=state.kills, cards=state.deck[: state.drawn], deck=state.deck[state.drawn :],
            events=(self._pack_event((state.log_seat, move)) for move in state.log),
        )  # fmt: skip

    def unpack_state(self, message: pb.AssassinsState) -> AssassinsState:
        """The position in a message; figures, cards and points may be left out as assassins.proto says."""
        state = AssassinsState.empty(self.unpack_config(message.config))
        state.phase, state.ending = message.phase or KINGS_TURN, message.ending
        state.where = _read_squares(message)
        if state.phase in SETUP and state.where == [OFF] * FIGURES:
            state.where = state.board.opening()
        state.assassins, state.revealed = _citizens(message.assassins), list(_citizens(message.revealed))
        state.removed = list(_read_removed(message, state.where))
        state.wounds, state.captured, state.kills = message.wounds, message.captured, message.kills
        state.deck, state.drawn = [*message.cards, *message.deck], len(message.cards)
        require(not Counter(state.deck) - Counter(state.board.deck), "the deck has no such cards")
        _read_points(message, state)
        events = self._read_events(message.events)
        require(all(move != HIDDEN_CHOICE for _, move in events), "a choice names three citizens")
        state.log_seat, state.log = events[0][0] if events else 0, [move for _, move in events]
        require_position(state.view(1))
        state.recompute()
        return state

    def _pack_event(self, event: Event) -> pb.AssassinsEvent:
        return pb.AssassinsEvent(seat=event[0], move=self.pack_move(event[1]))

    def _read_events(self, messages: Iterable[pb.AssassinsEvent]) -> tuple[Event, ...]:
        events = tuple((_seat(event.seat), self.unpack_move(event.move)) for event in messages)
        require(len({seat for seat, _ in events}) < 2, "the events are the moves of one seat in a row")
        return events


def _pack_action(move: Move) -> pb.AssassinsMove:
    message = pb.AssassinsMove()
    action = getattr(message, ACTION_NAMES[moves.kind_of(move)])
    action.figure, action.square = moves.figure_of(move), moves.square_of(move)
    # Setting a field to its default does not select its branch of the oneof.
    action.SetInParent()
    return message


def _enum(number: int) -> Any:
    """The number as a value of an enum: phases and endings have the numbers of assassins.proto."""
    return number


# -- reading --------------------------------------------------------------------------------------------


def _seat(number: int) -> int:
    require(number < 2, f"there is no seat {number}")
    return number


def _citizens(numbers: Iterable[int]) -> tuple[int, ...]:
    found = tuple(sorted(numbers))
    require(len(set(found)) == len(found), "a citizen is named twice")
    require(all(number in CITIZENS for number in found), "citizens are numbered from 1 to 12")
    return found


def _read_squares(message: Any) -> list[int]:
    """The square of every figure; lists that are too short end with figures that are not on the board."""
    citizens, knights = list(message.citizens), list(message.knights)
    require(len(citizens) <= len(CITIZENS) and len(knights) <= len(KNIGHTS), "there are not so many figures")
    citizens += [OFF] * (len(CITIZENS) - len(citizens))
    knights += [OFF] * (len(KNIGHTS) - len(knights))
    where = [message.king if message.HasField("king") else OFF, *citizens, *knights]
    taken = [square for square in where if square != OFF]
    require(all(square < SQUARES for square in taken), "squares are numbered from 0 to 99")
    require(len(set(taken)) == len(taken), "two figures stand on one square")
    return where


def _read_removed(message: Any, where: Sequence[int]) -> tuple[int, ...]:
    """Who left the board, in order; those who are nowhere else come first."""
    named = tuple(message.removed)
    _citizens(named)
    require(all(where[citizen] == OFF for citizen in named), "who left the board is not on it")
    return (*(citizen for citizen in CITIZENS if where[citizen] == OFF and citizen not in named), *named)


def _read_points(message: Any, state: AssassinsState) -> None:
    king, knights, _, crowd = CARDS[state.deck[state.drawn - 1]] if state.drawn else (0, 0, False, 0)
    if state.phase == ASSASSINS_TURN:
        king = knights = 0
    state.king_points = message.king_points if message.HasField("king_points") else king
    state.knight_points = message.knight_points if message.HasField("knight_points") else knights
    state.crowd_points = message.crowd_points if message.HasField("crowd_points") else crowd


CODEC = AssassinsCodec()

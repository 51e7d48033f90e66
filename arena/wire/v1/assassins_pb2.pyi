from arena.wire.v1 import match_pb2 as _match_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AssassinsBoard(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ASSASSINS_BOARD_UNSPECIFIED: _ClassVar[AssassinsBoard]
    ASSASSINS_BOARD_A: _ClassVar[AssassinsBoard]
    ASSASSINS_BOARD_B: _ClassVar[AssassinsBoard]

class AssassinsPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ASSASSINS_PHASE_UNSPECIFIED: _ClassVar[AssassinsPhase]
    ASSASSINS_PHASE_CHOOSE: _ClassVar[AssassinsPhase]
    ASSASSINS_PHASE_START: _ClassVar[AssassinsPhase]
    ASSASSINS_PHASE_KING: _ClassVar[AssassinsPhase]
    ASSASSINS_PHASE_ASSASSINS: _ClassVar[AssassinsPhase]
    ASSASSINS_PHASE_OVER: _ClassVar[AssassinsPhase]

class AssassinsEnding(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ASSASSINS_ENDING_UNSPECIFIED: _ClassVar[AssassinsEnding]
    ASSASSINS_ENDING_ENTERED: _ClassVar[AssassinsEnding]
    ASSASSINS_ENDING_ASSASSINS_GONE: _ClassVar[AssassinsEnding]
    ASSASSINS_ENDING_KING_DEAD: _ClassVar[AssassinsEnding]
    ASSASSINS_ENDING_TOO_LATE: _ClassVar[AssassinsEnding]
ASSASSINS_BOARD_UNSPECIFIED: AssassinsBoard
ASSASSINS_BOARD_A: AssassinsBoard
ASSASSINS_BOARD_B: AssassinsBoard
ASSASSINS_PHASE_UNSPECIFIED: AssassinsPhase
ASSASSINS_PHASE_CHOOSE: AssassinsPhase
ASSASSINS_PHASE_START: AssassinsPhase
ASSASSINS_PHASE_KING: AssassinsPhase
ASSASSINS_PHASE_ASSASSINS: AssassinsPhase
ASSASSINS_PHASE_OVER: AssassinsPhase
ASSASSINS_ENDING_UNSPECIFIED: AssassinsEnding
ASSASSINS_ENDING_ENTERED: AssassinsEnding
ASSASSINS_ENDING_ASSASSINS_GONE: AssassinsEnding
ASSASSINS_ENDING_KING_DEAD: AssassinsEnding
ASSASSINS_ENDING_TOO_LATE: AssassinsEnding

class AssassinsRequest(_message.Message):
    __slots__ = ("start", "turn", "end")
    START_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    start: AssassinsStart
    turn: AssassinsTurn
    end: _match_pb2.MatchEnd
    def __init__(self, start: _Optional[_Union[AssassinsStart, _Mapping]] = ..., turn: _Optional[_Union[AssassinsTurn, _Mapping]] = ..., end: _Optional[_Union[_match_pb2.MatchEnd, _Mapping]] = ...) -> None: ...

class AssassinsStart(_message.Message):
    __slots__ = ("match", "config")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    match: _match_pb2.MatchStart
    config: AssassinsConfig
    def __init__(self, match: _Optional[_Union[_match_pb2.MatchStart, _Mapping]] = ..., config: _Optional[_Union[AssassinsConfig, _Mapping]] = ...) -> None: ...

class AssassinsTurn(_message.Message):
    __slots__ = ("number", "clock", "observation", "legal")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    number: int
    clock: _match_pb2.Clock
    observation: AssassinsObservation
    legal: _containers.RepeatedCompositeFieldContainer[AssassinsMove]
    def __init__(self, number: _Optional[int] = ..., clock: _Optional[_Union[_match_pb2.Clock, _Mapping]] = ..., observation: _Optional[_Union[AssassinsObservation, _Mapping]] = ..., legal: _Optional[_Iterable[_Union[AssassinsMove, _Mapping]]] = ...) -> None: ...

class AssassinsReply(_message.Message):
    __slots__ = ("ready", "moves")
    READY_FIELD_NUMBER: _ClassVar[int]
    MOVES_FIELD_NUMBER: _ClassVar[int]
    ready: _match_pb2.Ready
    moves: AssassinsMoves
    def __init__(self, ready: _Optional[_Union[_match_pb2.Ready, _Mapping]] = ..., moves: _Optional[_Union[AssassinsMoves, _Mapping]] = ...) -> None: ...

class AssassinsMoves(_message.Message):
    __slots__ = ("turn", "moves")
    TURN_FIELD_NUMBER: _ClassVar[int]
    MOVES_FIELD_NUMBER: _ClassVar[int]
    turn: int
    moves: _containers.RepeatedCompositeFieldContainer[AssassinsMove]
    def __init__(self, turn: _Optional[int] = ..., moves: _Optional[_Iterable[_Union[AssassinsMove, _Mapping]]] = ...) -> None: ...

class AssassinsConfig(_message.Message):
    __slots__ = ("board",)
    BOARD_FIELD_NUMBER: _ClassVar[int]
    board: AssassinsBoard
    def __init__(self, board: _Optional[_Union[AssassinsBoard, str]] = ...) -> None: ...

class AssassinsAction(_message.Message):
    __slots__ = ("figure", "square")
    FIGURE_FIELD_NUMBER: _ClassVar[int]
    SQUARE_FIELD_NUMBER: _ClassVar[int]
    figure: int
    square: int
    def __init__(self, figure: _Optional[int] = ..., square: _Optional[int] = ...) -> None: ...

class AssassinsChoice(_message.Message):
    __slots__ = ("citizens",)
    CITIZENS_FIELD_NUMBER: _ClassVar[int]
    citizens: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, citizens: _Optional[_Iterable[int]] = ...) -> None: ...

class AssassinsMove(_message.Message):
    __slots__ = ("choose", "start", "step", "kill", "capture", "attack", "reveal", "enter", "end_turn")
    CHOOSE_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    KILL_FIELD_NUMBER: _ClassVar[int]
    CAPTURE_FIELD_NUMBER: _ClassVar[int]
    ATTACK_FIELD_NUMBER: _ClassVar[int]
    REVEAL_FIELD_NUMBER: _ClassVar[int]
    ENTER_FIELD_NUMBER: _ClassVar[int]
    END_TURN_FIELD_NUMBER: _ClassVar[int]
    choose: AssassinsChoice
    start: int
    step: AssassinsAction
    kill: AssassinsAction
    capture: AssassinsAction
    attack: AssassinsAction
    reveal: int
    enter: bool
    end_turn: bool
    def __init__(self, choose: _Optional[_Union[AssassinsChoice, _Mapping]] = ..., start: _Optional[int] = ..., step: _Optional[_Union[AssassinsAction, _Mapping]] = ..., kill: _Optional[_Union[AssassinsAction, _Mapping]] = ..., capture: _Optional[_Union[AssassinsAction, _Mapping]] = ..., attack: _Optional[_Union[AssassinsAction, _Mapping]] = ..., reveal: _Optional[int] = ..., enter: bool = ..., end_turn: bool = ...) -> None: ...

class AssassinsEvent(_message.Message):
    __slots__ = ("seat", "move")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    move: AssassinsMove
    def __init__(self, seat: _Optional[int] = ..., move: _Optional[_Union[AssassinsMove, _Mapping]] = ...) -> None: ...

class AssassinsObservation(_message.Message):
    __slots__ = ("seat", "config", "phase", "ending", "king", "citizens", "knights", "assassins", "revealed", "removed", "wounds", "king_points", "knight_points", "crowd_points", "captured", "kills", "cards", "deck_size", "events", "earlier")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    ENDING_FIELD_NUMBER: _ClassVar[int]
    KING_FIELD_NUMBER: _ClassVar[int]
    CITIZENS_FIELD_NUMBER: _ClassVar[int]
    KNIGHTS_FIELD_NUMBER: _ClassVar[int]
    ASSASSINS_FIELD_NUMBER: _ClassVar[int]
    REVEALED_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    WOUNDS_FIELD_NUMBER: _ClassVar[int]
    KING_POINTS_FIELD_NUMBER: _ClassVar[int]
    KNIGHT_POINTS_FIELD_NUMBER: _ClassVar[int]
    CROWD_POINTS_FIELD_NUMBER: _ClassVar[int]
    CAPTURED_FIELD_NUMBER: _ClassVar[int]
    KILLS_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    DECK_SIZE_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    EARLIER_FIELD_NUMBER: _ClassVar[int]
    seat: int
    config: AssassinsConfig
    phase: AssassinsPhase
    ending: AssassinsEnding
    king: int
    citizens: _containers.RepeatedScalarFieldContainer[int]
    knights: _containers.RepeatedScalarFieldContainer[int]
    assassins: _containers.RepeatedScalarFieldContainer[int]
    revealed: _containers.RepeatedScalarFieldContainer[int]
    removed: _containers.RepeatedScalarFieldContainer[int]
    wounds: int
    king_points: int
    knight_points: int
    crowd_points: int
    captured: bool
    kills: int
    cards: _containers.RepeatedScalarFieldContainer[int]
    deck_size: int
    events: _containers.RepeatedCompositeFieldContainer[AssassinsEvent]
    earlier: _containers.RepeatedCompositeFieldContainer[AssassinsEvent]
    def __init__(self, seat: _Optional[int] = ..., config: _Optional[_Union[AssassinsConfig, _Mapping]] = ..., phase: _Optional[_Union[AssassinsPhase, str]] = ..., ending: _Optional[_Union[AssassinsEnding, str]] = ..., king: _Optional[int] = ..., citizens: _Optional[_Iterable[int]] = ..., knights: _Optional[_Iterable[int]] = ..., assassins: _Optional[_Iterable[int]] = ..., revealed: _Optional[_Iterable[int]] = ..., removed: _Optional[_Iterable[int]] = ..., wounds: _Optional[int] = ..., king_points: _Optional[int] = ..., knight_points: _Optional[int] = ..., crowd_points: _Optional[int] = ..., captured: bool = ..., kills: _Optional[int] = ..., cards: _Optional[_Iterable[int]] = ..., deck_size: _Optional[int] = ..., events: _Optional[_Iterable[_Union[AssassinsEvent, _Mapping]]] = ..., earlier: _Optional[_Iterable[_Union[AssassinsEvent, _Mapping]]] = ...) -> None: ...

class AssassinsState(_message.Message):
    __slots__ = ("config", "phase", "ending", "king", "citizens", "knights", "assassins", "revealed", "removed", "wounds", "king_points", "knight_points", "crowd_points", "captured", "kills", "cards", "deck", "events")
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    ENDING_FIELD_NUMBER: _ClassVar[int]
    KING_FIELD_NUMBER: _ClassVar[int]
    CITIZENS_FIELD_NUMBER: _ClassVar[int]
    KNIGHTS_FIELD_NUMBER: _ClassVar[int]
    ASSASSINS_FIELD_NUMBER: _ClassVar[int]
    REVEALED_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    WOUNDS_FIELD_NUMBER: _ClassVar[int]
    KING_POINTS_FIELD_NUMBER: _ClassVar[int]
    KNIGHT_POINTS_FIELD_NUMBER: _ClassVar[int]
    CROWD_POINTS_FIELD_NUMBER: _ClassVar[int]
    CAPTURED_FIELD_NUMBER: _ClassVar[int]
    KILLS_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    DECK_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    config: AssassinsConfig
    phase: AssassinsPhase
    ending: AssassinsEnding
    king: int
    citizens: _containers.RepeatedScalarFieldContainer[int]
    knights: _containers.RepeatedScalarFieldContainer[int]
    assassins: _containers.RepeatedScalarFieldContainer[int]
    revealed: _containers.RepeatedScalarFieldContainer[int]
    removed: _containers.RepeatedScalarFieldContainer[int]
    wounds: int
    king_points: int
    knight_points: int
    crowd_points: int
    captured: bool
    kills: int
    cards: _containers.RepeatedScalarFieldContainer[int]
    deck: _containers.RepeatedScalarFieldContainer[int]
    events: _containers.RepeatedCompositeFieldContainer[AssassinsEvent]
    def __init__(self, config: _Optional[_Union[AssassinsConfig, _Mapping]] = ..., phase: _Optional[_Union[AssassinsPhase, str]] = ..., ending: _Optional[_Union[AssassinsEnding, str]] = ..., king: _Optional[int] = ..., citizens: _Optional[_Iterable[int]] = ..., knights: _Optional[_Iterable[int]] = ..., assassins: _Optional[_Iterable[int]] = ..., revealed: _Optional[_Iterable[int]] = ..., removed: _Optional[_Iterable[int]] = ..., wounds: _Optional[int] = ..., king_points: _Optional[int] = ..., knight_points: _Optional[int] = ..., crowd_points: _Optional[int] = ..., captured: bool = ..., kills: _Optional[int] = ..., cards: _Optional[_Iterable[int]] = ..., deck: _Optional[_Iterable[int]] = ..., events: _Optional[_Iterable[_Union[AssassinsEvent, _Mapping]]] = ...) -> None: ...

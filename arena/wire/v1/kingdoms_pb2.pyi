from arena.wire.v1 import match_pb2 as _match_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class KingdomsToken(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    KINGDOMS_TOKEN_UNSPECIFIED: _ClassVar[KingdomsToken]
    KINGDOMS_TOKEN_PLUS_ONE: _ClassVar[KingdomsToken]
    KINGDOMS_TOKEN_PLUS_TWO: _ClassVar[KingdomsToken]
    KINGDOMS_TOKEN_PLUS_THREE: _ClassVar[KingdomsToken]
    KINGDOMS_TOKEN_PLUS_FOUR: _ClassVar[KingdomsToken]
    KINGDOMS_TOKEN_PLUS_FIVE: _ClassVar[KingdomsToken]
    KINGDOMS_TOKEN_DOUBLE: _ClassVar[KingdomsToken]
    KINGDOMS_TOKEN_PEASANT: _ClassVar[KingdomsToken]
    KINGDOMS_TOKEN_COAT: _ClassVar[KingdomsToken]

class KingdomsPlace(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    KINGDOMS_PLACE_UNSPECIFIED: _ClassVar[KingdomsPlace]
    KINGDOMS_PLACE_HAND: _ClassVar[KingdomsPlace]
    KINGDOMS_PLACE_KINGDOM: _ClassVar[KingdomsPlace]

class KingdomsPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    KINGDOMS_PHASE_UNSPECIFIED: _ClassVar[KingdomsPhase]
    KINGDOMS_PHASE_PLAY: _ClassVar[KingdomsPhase]
    KINGDOMS_PHASE_TOKEN: _ClassVar[KingdomsPhase]
    KINGDOMS_PHASE_TAKE: _ClassVar[KingdomsPhase]
    KINGDOMS_PHASE_PLACE: _ClassVar[KingdomsPhase]
    KINGDOMS_PHASE_OVER_DECK: _ClassVar[KingdomsPhase]
    KINGDOMS_PHASE_OVER_TOKENS: _ClassVar[KingdomsPhase]
    KINGDOMS_PHASE_OVER_ROUNDS: _ClassVar[KingdomsPhase]
KINGDOMS_TOKEN_UNSPECIFIED: KingdomsToken
KINGDOMS_TOKEN_PLUS_ONE: KingdomsToken
KINGDOMS_TOKEN_PLUS_TWO: KingdomsToken
KINGDOMS_TOKEN_PLUS_THREE: KingdomsToken
KINGDOMS_TOKEN_PLUS_FOUR: KingdomsToken
KINGDOMS_TOKEN_PLUS_FIVE: KingdomsToken
KINGDOMS_TOKEN_DOUBLE: KingdomsToken
KINGDOMS_TOKEN_PEASANT: KingdomsToken
KINGDOMS_TOKEN_COAT: KingdomsToken
KINGDOMS_PLACE_UNSPECIFIED: KingdomsPlace
KINGDOMS_PLACE_HAND: KingdomsPlace
KINGDOMS_PLACE_KINGDOM: KingdomsPlace
KINGDOMS_PHASE_UNSPECIFIED: KingdomsPhase
KINGDOMS_PHASE_PLAY: KingdomsPhase
KINGDOMS_PHASE_TOKEN: KingdomsPhase
KINGDOMS_PHASE_TAKE: KingdomsPhase
KINGDOMS_PHASE_PLACE: KingdomsPhase
KINGDOMS_PHASE_OVER_DECK: KingdomsPhase
KINGDOMS_PHASE_OVER_TOKENS: KingdomsPhase
KINGDOMS_PHASE_OVER_ROUNDS: KingdomsPhase

class KingdomsRequest(_message.Message):
    __slots__ = ("start", "turn", "end")
    START_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    start: KingdomsStart
    turn: KingdomsTurn
    end: _match_pb2.MatchEnd
    def __init__(self, start: _Optional[_Union[KingdomsStart, _Mapping]] = ..., turn: _Optional[_Union[KingdomsTurn, _Mapping]] = ..., end: _Optional[_Union[_match_pb2.MatchEnd, _Mapping]] = ...) -> None: ...

class KingdomsStart(_message.Message):
    __slots__ = ("match", "config")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    match: _match_pb2.MatchStart
    config: KingdomsConfig
    def __init__(self, match: _Optional[_Union[_match_pb2.MatchStart, _Mapping]] = ..., config: _Optional[_Union[KingdomsConfig, _Mapping]] = ...) -> None: ...

class KingdomsTurn(_message.Message):
    __slots__ = ("number", "clock", "observation", "legal")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    number: int
    clock: _match_pb2.Clock
    observation: KingdomsObservation
    legal: _containers.RepeatedCompositeFieldContainer[KingdomsMove]
    def __init__(self, number: _Optional[int] = ..., clock: _Optional[_Union[_match_pb2.Clock, _Mapping]] = ..., observation: _Optional[_Union[KingdomsObservation, _Mapping]] = ..., legal: _Optional[_Iterable[_Union[KingdomsMove, _Mapping]]] = ...) -> None: ...

class KingdomsReply(_message.Message):
    __slots__ = ("ready", "moves")
    READY_FIELD_NUMBER: _ClassVar[int]
    MOVES_FIELD_NUMBER: _ClassVar[int]
    ready: _match_pb2.Ready
    moves: KingdomsMoves
    def __init__(self, ready: _Optional[_Union[_match_pb2.Ready, _Mapping]] = ..., moves: _Optional[_Union[KingdomsMoves, _Mapping]] = ...) -> None: ...

class KingdomsMoves(_message.Message):
    __slots__ = ("turn", "moves")
    TURN_FIELD_NUMBER: _ClassVar[int]
    MOVES_FIELD_NUMBER: _ClassVar[int]
    turn: int
    moves: _containers.RepeatedCompositeFieldContainer[KingdomsMove]
    def __init__(self, turn: _Optional[int] = ..., moves: _Optional[_Iterable[_Union[KingdomsMove, _Mapping]]] = ...) -> None: ...

class KingdomsConfig(_message.Message):
    __slots__ = ("seats",)
    SEATS_FIELD_NUMBER: _ClassVar[int]
    seats: int
    def __init__(self, seats: _Optional[int] = ...) -> None: ...

class KingdomsMove(_message.Message):
    __slots__ = ("play", "token", "take", "window", "place")
    PLAY_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    TAKE_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    play: int
    token: KingdomsToken
    take: int
    window: int
    place: KingdomsPlace
    def __init__(self, play: _Optional[int] = ..., token: _Optional[_Union[KingdomsToken, str]] = ..., take: _Optional[int] = ..., window: _Optional[int] = ..., place: _Optional[_Union[KingdomsPlace, str]] = ...) -> None: ...

class KingdomsSeenSeat(_message.Message):
    __slots__ = ("hand_size", "kingdom", "known", "played")
    HAND_SIZE_FIELD_NUMBER: _ClassVar[int]
    KINGDOM_FIELD_NUMBER: _ClassVar[int]
    KNOWN_FIELD_NUMBER: _ClassVar[int]
    PLAYED_FIELD_NUMBER: _ClassVar[int]
    hand_size: int
    kingdom: _containers.RepeatedScalarFieldContainer[int]
    known: _containers.RepeatedScalarFieldContainer[int]
    played: int
    def __init__(self, hand_size: _Optional[int] = ..., kingdom: _Optional[_Iterable[int]] = ..., known: _Optional[_Iterable[int]] = ..., played: _Optional[int] = ...) -> None: ...

class KingdomsObservation(_message.Message):
    __slots__ = ("seat", "config", "round", "first", "acted", "phase", "resolving", "coats", "tokens", "revealed", "row", "pending", "removed", "seats", "hand", "deck_size", "face_down_count", "events", "earlier")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    ACTED_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    RESOLVING_FIELD_NUMBER: _ClassVar[int]
    COATS_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    REVEALED_FIELD_NUMBER: _ClassVar[int]
    ROW_FIELD_NUMBER: _ClassVar[int]
    PENDING_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    DECK_SIZE_FIELD_NUMBER: _ClassVar[int]
    FACE_DOWN_COUNT_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    EARLIER_FIELD_NUMBER: _ClassVar[int]
    seat: int
    config: KingdomsConfig
    round: int
    first: int
    acted: int
    phase: KingdomsPhase
    resolving: int
    coats: _containers.RepeatedScalarFieldContainer[int]
    tokens: _containers.RepeatedScalarFieldContainer[KingdomsToken]
    revealed: _containers.RepeatedScalarFieldContainer[KingdomsToken]
    row: _containers.RepeatedScalarFieldContainer[int]
    pending: _containers.RepeatedScalarFieldContainer[int]
    removed: _containers.RepeatedScalarFieldContainer[int]
    seats: _containers.RepeatedCompositeFieldContainer[KingdomsSeenSeat]
    hand: _containers.RepeatedScalarFieldContainer[int]
    deck_size: int
    face_down_count: int
    events: _containers.RepeatedScalarFieldContainer[int]
    earlier: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, seat: _Optional[int] = ..., config: _Optional[_Union[KingdomsConfig, _Mapping]] = ..., round: _Optional[int] = ..., first: _Optional[int] = ..., acted: _Optional[int] = ..., phase: _Optional[_Union[KingdomsPhase, str]] = ..., resolving: _Optional[int] = ..., coats: _Optional[_Iterable[int]] = ..., tokens: _Optional[_Iterable[_Union[KingdomsToken, str]]] = ..., revealed: _Optional[_Iterable[_Union[KingdomsToken, str]]] = ..., row: _Optional[_Iterable[int]] = ..., pending: _Optional[_Iterable[int]] = ..., removed: _Optional[_Iterable[int]] = ..., seats: _Optional[_Iterable[_Union[KingdomsSeenSeat, _Mapping]]] = ..., hand: _Optional[_Iterable[int]] = ..., deck_size: _Optional[int] = ..., face_down_count: _Optional[int] = ..., events: _Optional[_Iterable[int]] = ..., earlier: _Optional[_Iterable[int]] = ...) -> None: ...

class KingdomsSeat(_message.Message):
    __slots__ = ("hand", "kingdom", "known", "played")
    HAND_FIELD_NUMBER: _ClassVar[int]
    KINGDOM_FIELD_NUMBER: _ClassVar[int]
    KNOWN_FIELD_NUMBER: _ClassVar[int]
    PLAYED_FIELD_NUMBER: _ClassVar[int]
    hand: _containers.RepeatedScalarFieldContainer[int]
    kingdom: _containers.RepeatedScalarFieldContainer[int]
    known: _containers.RepeatedScalarFieldContainer[int]
    played: int
    def __init__(self, hand: _Optional[_Iterable[int]] = ..., kingdom: _Optional[_Iterable[int]] = ..., known: _Optional[_Iterable[int]] = ..., played: _Optional[int] = ...) -> None: ...

class KingdomsState(_message.Message):
    __slots__ = ("config", "round", "first", "acted", "phase", "resolving", "coats", "tokens", "revealed", "row", "pending", "removed", "seats", "deck", "face_down", "log")
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    ACTED_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    RESOLVING_FIELD_NUMBER: _ClassVar[int]
    COATS_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    REVEALED_FIELD_NUMBER: _ClassVar[int]
    ROW_FIELD_NUMBER: _ClassVar[int]
    PENDING_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    DECK_FIELD_NUMBER: _ClassVar[int]
    FACE_DOWN_FIELD_NUMBER: _ClassVar[int]
    LOG_FIELD_NUMBER: _ClassVar[int]
    config: KingdomsConfig
    round: int
    first: int
    acted: int
    phase: KingdomsPhase
    resolving: int
    coats: _containers.RepeatedScalarFieldContainer[int]
    tokens: _containers.RepeatedScalarFieldContainer[KingdomsToken]
    revealed: _containers.RepeatedScalarFieldContainer[KingdomsToken]
    row: _containers.RepeatedScalarFieldContainer[int]
    pending: _containers.RepeatedScalarFieldContainer[int]
    removed: _containers.RepeatedScalarFieldContainer[int]
    seats: _containers.RepeatedCompositeFieldContainer[KingdomsSeat]
    deck: _containers.RepeatedScalarFieldContainer[int]
    face_down: _containers.RepeatedScalarFieldContainer[KingdomsToken]
    log: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, config: _Optional[_Union[KingdomsConfig, _Mapping]] = ..., round: _Optional[int] = ..., first: _Optional[int] = ..., acted: _Optional[int] = ..., phase: _Optional[_Union[KingdomsPhase, str]] = ..., resolving: _Optional[int] = ..., coats: _Optional[_Iterable[int]] = ..., tokens: _Optional[_Iterable[_Union[KingdomsToken, str]]] = ..., revealed: _Optional[_Iterable[_Union[KingdomsToken, str]]] = ..., row: _Optional[_Iterable[int]] = ..., pending: _Optional[_Iterable[int]] = ..., removed: _Optional[_Iterable[int]] = ..., seats: _Optional[_Iterable[_Union[KingdomsSeat, _Mapping]]] = ..., deck: _Optional[_Iterable[int]] = ..., face_down: _Optional[_Iterable[_Union[KingdomsToken, str]]] = ..., log: _Optional[_Iterable[int]] = ...) -> None: ...

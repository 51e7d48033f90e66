from arena.wire.v1 import match_pb2 as _match_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ClaimRequest(_message.Message):
    __slots__ = ("start", "turn", "end")
    START_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    start: ClaimStart
    turn: ClaimTurn
    end: _match_pb2.MatchEnd
    def __init__(self, start: _Optional[_Union[ClaimStart, _Mapping]] = ..., turn: _Optional[_Union[ClaimTurn, _Mapping]] = ..., end: _Optional[_Union[_match_pb2.MatchEnd, _Mapping]] = ...) -> None: ...

class ClaimStart(_message.Message):
    __slots__ = ("match", "config")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    match: _match_pb2.MatchStart
    config: ClaimConfig
    def __init__(self, match: _Optional[_Union[_match_pb2.MatchStart, _Mapping]] = ..., config: _Optional[_Union[ClaimConfig, _Mapping]] = ...) -> None: ...

class ClaimTurn(_message.Message):
    __slots__ = ("number", "clock", "observation", "legal")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    number: int
    clock: _match_pb2.Clock
    observation: ClaimObservation
    legal: _containers.RepeatedCompositeFieldContainer[ClaimMove]
    def __init__(self, number: _Optional[int] = ..., clock: _Optional[_Union[_match_pb2.Clock, _Mapping]] = ..., observation: _Optional[_Union[ClaimObservation, _Mapping]] = ..., legal: _Optional[_Iterable[_Union[ClaimMove, _Mapping]]] = ...) -> None: ...

class ClaimReply(_message.Message):
    __slots__ = ("ready", "moves")
    READY_FIELD_NUMBER: _ClassVar[int]
    MOVES_FIELD_NUMBER: _ClassVar[int]
    ready: _match_pb2.Ready
    moves: ClaimMoves
    def __init__(self, ready: _Optional[_Union[_match_pb2.Ready, _Mapping]] = ..., moves: _Optional[_Union[ClaimMoves, _Mapping]] = ...) -> None: ...

class ClaimMoves(_message.Message):
    __slots__ = ("turn", "moves")
    TURN_FIELD_NUMBER: _ClassVar[int]
    MOVES_FIELD_NUMBER: _ClassVar[int]
    turn: int
    moves: _containers.RepeatedCompositeFieldContainer[ClaimMove]
    def __init__(self, turn: _Optional[int] = ..., moves: _Optional[_Iterable[_Union[ClaimMove, _Mapping]]] = ...) -> None: ...

class ClaimConfig(_message.Message):
    __slots__ = ("first_leader",)
    FIRST_LEADER_FIELD_NUMBER: _ClassVar[int]
    first_leader: int
    def __init__(self, first_leader: _Optional[int] = ...) -> None: ...

class ClaimMove(_message.Message):
    __slots__ = ("play",)
    PLAY_FIELD_NUMBER: _ClassVar[int]
    play: int
    def __init__(self, play: _Optional[int] = ...) -> None: ...

class ClaimTrick(_message.Message):
    __slots__ = ("leader", "lead", "follow", "winner", "prize", "draw")
    LEADER_FIELD_NUMBER: _ClassVar[int]
    LEAD_FIELD_NUMBER: _ClassVar[int]
    FOLLOW_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    PRIZE_FIELD_NUMBER: _ClassVar[int]
    DRAW_FIELD_NUMBER: _ClassVar[int]
    leader: int
    lead: int
    follow: int
    winner: int
    prize: int
    draw: int
    def __init__(self, leader: _Optional[int] = ..., lead: _Optional[int] = ..., follow: _Optional[int] = ..., winner: _Optional[int] = ..., prize: _Optional[int] = ..., draw: _Optional[int] = ...) -> None: ...

class ClaimObservation(_message.Message):
    __slots__ = ("seat", "config", "phase", "leader", "lead", "prize", "hand", "opponent_hand_size", "deck_size", "prizes", "draws", "opponent_prizes", "opponent_draw_count", "score", "opponent_score", "discard", "tricks")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    LEADER_FIELD_NUMBER: _ClassVar[int]
    LEAD_FIELD_NUMBER: _ClassVar[int]
    PRIZE_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_HAND_SIZE_FIELD_NUMBER: _ClassVar[int]
    DECK_SIZE_FIELD_NUMBER: _ClassVar[int]
    PRIZES_FIELD_NUMBER: _ClassVar[int]
    DRAWS_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_PRIZES_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_DRAW_COUNT_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_SCORE_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    TRICKS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    config: ClaimConfig
    phase: int
    leader: int
    lead: int
    prize: int
    hand: _containers.RepeatedScalarFieldContainer[int]
    opponent_hand_size: int
    deck_size: int
    prizes: _containers.RepeatedScalarFieldContainer[int]
    draws: _containers.RepeatedScalarFieldContainer[int]
    opponent_prizes: _containers.RepeatedScalarFieldContainer[int]
    opponent_draw_count: int
    score: _containers.RepeatedScalarFieldContainer[int]
    opponent_score: _containers.RepeatedScalarFieldContainer[int]
    discard: _containers.RepeatedScalarFieldContainer[int]
    tricks: _containers.RepeatedCompositeFieldContainer[ClaimTrick]
    def __init__(self, seat: _Optional[int] = ..., config: _Optional[_Union[ClaimConfig, _Mapping]] = ..., phase: _Optional[int] = ..., leader: _Optional[int] = ..., lead: _Optional[int] = ..., prize: _Optional[int] = ..., hand: _Optional[_Iterable[int]] = ..., opponent_hand_size: _Optional[int] = ..., deck_size: _Optional[int] = ..., prizes: _Optional[_Iterable[int]] = ..., draws: _Optional[_Iterable[int]] = ..., opponent_prizes: _Optional[_Iterable[int]] = ..., opponent_draw_count: _Optional[int] = ..., score: _Optional[_Iterable[int]] = ..., opponent_score: _Optional[_Iterable[int]] = ..., discard: _Optional[_Iterable[int]] = ..., tricks: _Optional[_Iterable[_Union[ClaimTrick, _Mapping]]] = ...) -> None: ...

class ClaimSeat(_message.Message):
    __slots__ = ("hand", "prizes", "draws", "score")
    HAND_FIELD_NUMBER: _ClassVar[int]
    PRIZES_FIELD_NUMBER: _ClassVar[int]
    DRAWS_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    hand: _containers.RepeatedScalarFieldContainer[int]
    prizes: _containers.RepeatedScalarFieldContainer[int]
    draws: _containers.RepeatedScalarFieldContainer[int]
    score: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, hand: _Optional[_Iterable[int]] = ..., prizes: _Optional[_Iterable[int]] = ..., draws: _Optional[_Iterable[int]] = ..., score: _Optional[_Iterable[int]] = ...) -> None: ...

class ClaimState(_message.Message):
    __slots__ = ("config", "phase", "leader", "lead", "seats", "deck", "discard", "tricks")
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    LEADER_FIELD_NUMBER: _ClassVar[int]
    LEAD_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    DECK_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    TRICKS_FIELD_NUMBER: _ClassVar[int]
    config: ClaimConfig
    phase: int
    leader: int
    lead: int
    seats: _containers.RepeatedCompositeFieldContainer[ClaimSeat]
    deck: _containers.RepeatedScalarFieldContainer[int]
    discard: _containers.RepeatedScalarFieldContainer[int]
    tricks: _containers.RepeatedCompositeFieldContainer[ClaimTrick]
    def __init__(self, config: _Optional[_Union[ClaimConfig, _Mapping]] = ..., phase: _Optional[int] = ..., leader: _Optional[int] = ..., lead: _Optional[int] = ..., seats: _Optional[_Iterable[_Union[ClaimSeat, _Mapping]]] = ..., deck: _Optional[_Iterable[int]] = ..., discard: _Optional[_Iterable[int]] = ..., tricks: _Optional[_Iterable[_Union[ClaimTrick, _Mapping]]] = ...) -> None: ...

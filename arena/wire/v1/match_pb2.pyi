from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Meter(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    METER_UNSPECIFIED: _ClassVar[Meter]
    METER_WALL: _ClassVar[Meter]
    METER_CPU: _ClassVar[Meter]
    METER_NONE: _ClassVar[Meter]

class Ending(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ENDING_UNSPECIFIED: _ClassVar[Ending]
    ENDING_NORMAL: _ClassVar[Ending]
    ENDING_NO_START: _ClassVar[Ending]
    ENDING_TIME: _ClassVar[Ending]
    ENDING_CRASH: _ClassVar[Ending]
    ENDING_OUT_OF_MEMORY: _ClassVar[Ending]
    ENDING_DISCONNECT: _ClassVar[Ending]
    ENDING_PROTOCOL: _ClassVar[Ending]
    ENDING_ILLEGAL: _ClassVar[Ending]
    ENDING_ABUSE: _ClassVar[Ending]
    ENDING_VOID: _ClassVar[Ending]
METER_UNSPECIFIED: Meter
METER_WALL: Meter
METER_CPU: Meter
METER_NONE: Meter
ENDING_UNSPECIFIED: Ending
ENDING_NORMAL: Ending
ENDING_NO_START: Ending
ENDING_TIME: Ending
ENDING_CRASH: Ending
ENDING_OUT_OF_MEMORY: Ending
ENDING_DISCONNECT: Ending
ENDING_PROTOCOL: Ending
ENDING_ILLEGAL: Ending
ENDING_ABUSE: Ending
ENDING_VOID: Ending

class MatchStart(_message.Message):
    __slots__ = ("match_id", "seat", "seats", "time_control")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    TIME_CONTROL_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    seat: int
    seats: int
    time_control: TimeControl
    def __init__(self, match_id: _Optional[str] = ..., seat: _Optional[int] = ..., seats: _Optional[int] = ..., time_control: _Optional[_Union[TimeControl, _Mapping]] = ...) -> None: ...

class TimeControl(_message.Message):
    __slots__ = ("per_move_us", "bank_us", "increment_us", "allowance_us", "meter")
    PER_MOVE_US_FIELD_NUMBER: _ClassVar[int]
    BANK_US_FIELD_NUMBER: _ClassVar[int]
    INCREMENT_US_FIELD_NUMBER: _ClassVar[int]
    ALLOWANCE_US_FIELD_NUMBER: _ClassVar[int]
    METER_FIELD_NUMBER: _ClassVar[int]
    per_move_us: int
    bank_us: int
    increment_us: int
    allowance_us: int
    meter: Meter
    def __init__(self, per_move_us: _Optional[int] = ..., bank_us: _Optional[int] = ..., increment_us: _Optional[int] = ..., allowance_us: _Optional[int] = ..., meter: _Optional[_Union[Meter, str]] = ...) -> None: ...

class Clock(_message.Message):
    __slots__ = ("available_us", "bank_us")
    AVAILABLE_US_FIELD_NUMBER: _ClassVar[int]
    BANK_US_FIELD_NUMBER: _ClassVar[int]
    available_us: int
    bank_us: int
    def __init__(self, available_us: _Optional[int] = ..., bank_us: _Optional[int] = ...) -> None: ...

class Ready(_message.Message):
    __slots__ = ("wants_legal_moves",)
    WANTS_LEGAL_MOVES_FIELD_NUMBER: _ClassVar[int]
    wants_legal_moves: bool
    def __init__(self, wants_legal_moves: bool = ...) -> None: ...

class MatchEnd(_message.Message):
    __slots__ = ("outcome", "verdict")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    outcome: Outcome
    verdict: Verdict
    def __init__(self, outcome: _Optional[_Union[Outcome, _Mapping]] = ..., verdict: _Optional[_Union[Verdict, _Mapping]] = ...) -> None: ...

class Outcome(_message.Message):
    __slots__ = ("ranks", "scores", "reason")
    RANKS_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ranks: _containers.RepeatedScalarFieldContainer[int]
    scores: _containers.RepeatedScalarFieldContainer[float]
    reason: str
    def __init__(self, ranks: _Optional[_Iterable[int]] = ..., scores: _Optional[_Iterable[float]] = ..., reason: _Optional[str] = ...) -> None: ...

class Verdict(_message.Message):
    __slots__ = ("ending", "sentence")
    ENDING_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    ending: Ending
    sentence: str
    def __init__(self, ending: _Optional[_Union[Ending, str]] = ..., sentence: _Optional[str] = ...) -> None: ...

class Record(_message.Message):
    __slots__ = ("match_id", "game", "rules_version", "config", "seed", "contestants", "time_control", "moves", "verdicts", "outcome", "strikes", "boxes", "told_match_id", "faults")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    CONTESTANTS_FIELD_NUMBER: _ClassVar[int]
    TIME_CONTROL_FIELD_NUMBER: _ClassVar[int]
    MOVES_FIELD_NUMBER: _ClassVar[int]
    VERDICTS_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    STRIKES_FIELD_NUMBER: _ClassVar[int]
    BOXES_FIELD_NUMBER: _ClassVar[int]
    TOLD_MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    game: str
    rules_version: str
    config: bytes
    seed: int
    contestants: _containers.RepeatedCompositeFieldContainer[Contestant]
    time_control: TimeControl
    moves: _containers.RepeatedCompositeFieldContainer[PlayedMove]
    verdicts: _containers.RepeatedCompositeFieldContainer[Verdict]
    outcome: Outcome
    strikes: _containers.RepeatedCompositeFieldContainer[Strike]
    boxes: _containers.RepeatedCompositeFieldContainer[Box]
    told_match_id: str
    faults: _containers.RepeatedCompositeFieldContainer[Fault]
    def __init__(self, match_id: _Optional[str] = ..., game: _Optional[str] = ..., rules_version: _Optional[str] = ..., config: _Optional[bytes] = ..., seed: _Optional[int] = ..., contestants: _Optional[_Iterable[_Union[Contestant, _Mapping]]] = ..., time_control: _Optional[_Union[TimeControl, _Mapping]] = ..., moves: _Optional[_Iterable[_Union[PlayedMove, _Mapping]]] = ..., verdicts: _Optional[_Iterable[_Union[Verdict, _Mapping]]] = ..., outcome: _Optional[_Union[Outcome, _Mapping]] = ..., strikes: _Optional[_Iterable[_Union[Strike, _Mapping]]] = ..., boxes: _Optional[_Iterable[_Union[Box, _Mapping]]] = ..., told_match_id: _Optional[str] = ..., faults: _Optional[_Iterable[_Union[Fault, _Mapping]]] = ...) -> None: ...

class Fault(_message.Message):
    __slots__ = ("seat", "ply", "verdict", "tried")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLY_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    TRIED_FIELD_NUMBER: _ClassVar[int]
    seat: int
    ply: int
    verdict: Verdict
    tried: bytes
    def __init__(self, seat: _Optional[int] = ..., ply: _Optional[int] = ..., verdict: _Optional[_Union[Verdict, _Mapping]] = ..., tried: _Optional[bytes] = ...) -> None: ...

class Strike(_message.Message):
    __slots__ = ("seat", "ply", "verdict")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLY_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    ply: int
    verdict: Verdict
    def __init__(self, seat: _Optional[int] = ..., ply: _Optional[int] = ..., verdict: _Optional[_Union[Verdict, _Mapping]] = ...) -> None: ...

class Box(_message.Message):
    __slots__ = ("kind", "enforcement")
    class EnforcementEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    KIND_FIELD_NUMBER: _ClassVar[int]
    ENFORCEMENT_FIELD_NUMBER: _ClassVar[int]
    kind: str
    enforcement: _containers.ScalarMap[str, str]
    def __init__(self, kind: _Optional[str] = ..., enforcement: _Optional[_Mapping[str, str]] = ...) -> None: ...

class Contestant(_message.Message):
    __slots__ = ("name", "version", "digest")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    digest: str
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., digest: _Optional[str] = ...) -> None: ...

class PlayedMove(_message.Message):
    __slots__ = ("seat", "move", "wall_us", "charged_us", "cpu_us", "transport_us", "referee_us", "lag_us", "substituted", "output")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    WALL_US_FIELD_NUMBER: _ClassVar[int]
    CHARGED_US_FIELD_NUMBER: _ClassVar[int]
    CPU_US_FIELD_NUMBER: _ClassVar[int]
    TRANSPORT_US_FIELD_NUMBER: _ClassVar[int]
    REFEREE_US_FIELD_NUMBER: _ClassVar[int]
    LAG_US_FIELD_NUMBER: _ClassVar[int]
    SUBSTITUTED_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    move: bytes
    wall_us: int
    charged_us: int
    cpu_us: int
    transport_us: int
    referee_us: int
    lag_us: int
    substituted: bool
    output: str
    def __init__(self, seat: _Optional[int] = ..., move: _Optional[bytes] = ..., wall_us: _Optional[int] = ..., charged_us: _Optional[int] = ..., cpu_us: _Optional[int] = ..., transport_us: _Optional[int] = ..., referee_us: _Optional[int] = ..., lag_us: _Optional[int] = ..., substituted: bool = ..., output: _Optional[str] = ...) -> None: ...

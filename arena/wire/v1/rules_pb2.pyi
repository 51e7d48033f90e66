from arena.wire.v1 import match_pb2 as _match_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Root(_message.Message):
    __slots__ = ("game", "observation", "state", "config")
    GAME_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    game: str
    observation: bytes
    state: bytes
    config: bytes
    def __init__(self, game: _Optional[str] = ..., observation: _Optional[bytes] = ..., state: _Optional[bytes] = ..., config: _Optional[bytes] = ...) -> None: ...

class Line(_message.Message):
    __slots__ = ("world", "moves")
    WORLD_FIELD_NUMBER: _ClassVar[int]
    MOVES_FIELD_NUMBER: _ClassVar[int]
    world: int
    moves: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, world: _Optional[int] = ..., moves: _Optional[_Iterable[bytes]] = ...) -> None: ...

class LookRequest(_message.Message):
    __slots__ = ("root", "lines", "states")
    ROOT_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    STATES_FIELD_NUMBER: _ClassVar[int]
    root: Root
    lines: _containers.RepeatedCompositeFieldContainer[Line]
    states: bool
    def __init__(self, root: _Optional[_Union[Root, _Mapping]] = ..., lines: _Optional[_Iterable[_Union[Line, _Mapping]]] = ..., states: bool = ...) -> None: ...

class LookReply(_message.Message):
    __slots__ = ("positions",)
    POSITIONS_FIELD_NUMBER: _ClassVar[int]
    positions: _containers.RepeatedCompositeFieldContainer[Position]
    def __init__(self, positions: _Optional[_Iterable[_Union[Position, _Mapping]]] = ...) -> None: ...

class Position(_message.Message):
    __slots__ = ("to_move", "legal", "outcome", "state")
    TO_MOVE_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    to_move: int
    legal: _containers.RepeatedScalarFieldContainer[bytes]
    outcome: _match_pb2.Outcome
    state: bytes
    def __init__(self, to_move: _Optional[int] = ..., legal: _Optional[_Iterable[bytes]] = ..., outcome: _Optional[_Union[_match_pb2.Outcome, _Mapping]] = ..., state: _Optional[bytes] = ...) -> None: ...

class PlayOutRequest(_message.Message):
    __slots__ = ("root", "lines", "times", "seed")
    ROOT_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    TIMES_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    root: Root
    lines: _containers.RepeatedCompositeFieldContainer[Line]
    times: int
    seed: int
    def __init__(self, root: _Optional[_Union[Root, _Mapping]] = ..., lines: _Optional[_Iterable[_Union[Line, _Mapping]]] = ..., times: _Optional[int] = ..., seed: _Optional[int] = ...) -> None: ...

class PlayOutReply(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[Rewards]
    def __init__(self, results: _Optional[_Iterable[_Union[Rewards, _Mapping]]] = ...) -> None: ...

class Rewards(_message.Message):
    __slots__ = ("seats",)
    SEATS_FIELD_NUMBER: _ClassVar[int]
    seats: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, seats: _Optional[_Iterable[float]] = ...) -> None: ...

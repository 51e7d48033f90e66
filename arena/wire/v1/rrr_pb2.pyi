from arena.wire.v1 import match_pb2 as _match_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RrrTile(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RRR_TILE_UNSPECIFIED: _ClassVar[RrrTile]
    RRR_TILE_KING: _ClassVar[RrrTile]
    RRR_TILE_QUEEN: _ClassVar[RrrTile]
    RRR_TILE_PRINCESS: _ClassVar[RrrTile]
    RRR_TILE_MINISTER: _ClassVar[RrrTile]
    RRR_TILE_GENERAL: _ClassVar[RrrTile]
    RRR_TILE_SORCERER: _ClassVar[RrrTile]
    RRR_TILE_CASTLE: _ClassVar[RrrTile]
    RRR_TILE_HIEROPHANT: _ClassVar[RrrTile]
    RRR_TILE_CARDINAL: _ClassVar[RrrTile]
    RRR_TILE_SAINT: _ClassVar[RrrTile]
    RRR_TILE_BISHOP: _ClassVar[RrrTile]
    RRR_TILE_PALADIN: _ClassVar[RrrTile]
    RRR_TILE_MONK: _ClassVar[RrrTile]
    RRR_TILE_TEMPLE: _ClassVar[RrrTile]
    RRR_TILE_CITIZEN: _ClassVar[RrrTile]
    RRR_TILE_ASSASSIN: _ClassVar[RrrTile]
    RRR_TILE_PIRATE: _ClassVar[RrrTile]
    RRR_TILE_FAIRY: _ClassVar[RrrTile]
    RRR_TILE_REAPER: _ClassVar[RrrTile]
    RRR_TILE_SEER: _ClassVar[RrrTile]
    RRR_TILE_DRAGON: _ClassVar[RrrTile]
    RRR_TILE_SHAMAN: _ClassVar[RrrTile]
    RRR_TILE_WITCH: _ClassVar[RrrTile]
    RRR_TILE_SAMURAI: _ClassVar[RrrTile]
    RRR_TILE_NINJA: _ClassVar[RrrTile]
    RRR_TILE_BARD: _ClassVar[RrrTile]
    RRR_TILE_ARTIST: _ClassVar[RrrTile]
    RRR_TILE_SAGE: _ClassVar[RrrTile]
    RRR_TILE_TOWER: _ClassVar[RrrTile]
    RRR_TILE_ADVENTURER: _ClassVar[RrrTile]
    RRR_TILE_HERMIT: _ClassVar[RrrTile]
    RRR_TILE_MAGICIAN: _ClassVar[RrrTile]

class RrrStance(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RRR_STANCE_UNSPECIFIED: _ClassVar[RrrStance]
    RRR_STANCE_ALLY_OF_0: _ClassVar[RrrStance]
    RRR_STANCE_ALLY_OF_1: _ClassVar[RrrStance]
    RRR_STANCE_DESTROYED_BY_0: _ClassVar[RrrStance]
    RRR_STANCE_DESTROYED_BY_1: _ClassVar[RrrStance]

class RrrSetup(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RRR_SETUP_UNSPECIFIED: _ClassVar[RrrSetup]
    RRR_SETUP_NEUTRAL_ZONE: _ClassVar[RrrSetup]
    RRR_SETUP_FIRST_GAME: _ClassVar[RrrSetup]
    RRR_SETUP_RANDOM: _ClassVar[RrrSetup]
    RRR_SETUP_SECRET_RANDOM: _ClassVar[RrrSetup]
    RRR_SETUP_DRAFT: _ClassVar[RrrSetup]
    RRR_SETUP_SECRET_DRAFT: _ClassVar[RrrSetup]

class RrrVictory(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RRR_VICTORY_UNSPECIFIED: _ClassVar[RrrVictory]
    RRR_VICTORY_ROUNDS: _ClassVar[RrrVictory]
    RRR_VICTORY_POINTS: _ClassVar[RrrVictory]

class RrrPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RRR_PHASE_UNSPECIFIED: _ClassVar[RrrPhase]
    RRR_PHASE_PLACE: _ClassVar[RrrPhase]
    RRR_PHASE_NAME: _ClassVar[RrrPhase]
    RRR_PHASE_PICK: _ClassVar[RrrPhase]
    RRR_PHASE_OVER: _ClassVar[RrrPhase]

class RrrDirection(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RRR_DIRECTION_UNSPECIFIED: _ClassVar[RrrDirection]
    RRR_DIRECTION_UP: _ClassVar[RrrDirection]
    RRR_DIRECTION_UP_RIGHT: _ClassVar[RrrDirection]
    RRR_DIRECTION_RIGHT: _ClassVar[RrrDirection]
    RRR_DIRECTION_DOWN_RIGHT: _ClassVar[RrrDirection]
    RRR_DIRECTION_DOWN: _ClassVar[RrrDirection]
    RRR_DIRECTION_DOWN_LEFT: _ClassVar[RrrDirection]
    RRR_DIRECTION_LEFT: _ClassVar[RrrDirection]
    RRR_DIRECTION_UP_LEFT: _ClassVar[RrrDirection]

class RrrNeighbours(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RRR_NEIGHBOURS_UNSPECIFIED: _ClassVar[RrrNeighbours]
    RRR_NEIGHBOURS_ORTHOGONAL: _ClassVar[RrrNeighbours]
    RRR_NEIGHBOURS_DIAGONAL: _ClassVar[RrrNeighbours]
RRR_TILE_UNSPECIFIED: RrrTile
RRR_TILE_KING: RrrTile
RRR_TILE_QUEEN: RrrTile
RRR_TILE_PRINCESS: RrrTile
RRR_TILE_MINISTER: RrrTile
RRR_TILE_GENERAL: RrrTile
RRR_TILE_SORCERER: RrrTile
RRR_TILE_CASTLE: RrrTile
RRR_TILE_HIEROPHANT: RrrTile
RRR_TILE_CARDINAL: RrrTile
RRR_TILE_SAINT: RrrTile
RRR_TILE_BISHOP: RrrTile
RRR_TILE_PALADIN: RrrTile
RRR_TILE_MONK: RrrTile
RRR_TILE_TEMPLE: RrrTile
RRR_TILE_CITIZEN: RrrTile
RRR_TILE_ASSASSIN: RrrTile
RRR_TILE_PIRATE: RrrTile
RRR_TILE_FAIRY: RrrTile
RRR_TILE_REAPER: RrrTile
RRR_TILE_SEER: RrrTile
RRR_TILE_DRAGON: RrrTile
RRR_TILE_SHAMAN: RrrTile
RRR_TILE_WITCH: RrrTile
RRR_TILE_SAMURAI: RrrTile
RRR_TILE_NINJA: RrrTile
RRR_TILE_BARD: RrrTile
RRR_TILE_ARTIST: RrrTile
RRR_TILE_SAGE: RrrTile
RRR_TILE_TOWER: RrrTile
RRR_TILE_ADVENTURER: RrrTile
RRR_TILE_HERMIT: RrrTile
RRR_TILE_MAGICIAN: RrrTile
RRR_STANCE_UNSPECIFIED: RrrStance
RRR_STANCE_ALLY_OF_0: RrrStance
RRR_STANCE_ALLY_OF_1: RrrStance
RRR_STANCE_DESTROYED_BY_0: RrrStance
RRR_STANCE_DESTROYED_BY_1: RrrStance
RRR_SETUP_UNSPECIFIED: RrrSetup
RRR_SETUP_NEUTRAL_ZONE: RrrSetup
RRR_SETUP_FIRST_GAME: RrrSetup
RRR_SETUP_RANDOM: RrrSetup
RRR_SETUP_SECRET_RANDOM: RrrSetup
RRR_SETUP_DRAFT: RrrSetup
RRR_SETUP_SECRET_DRAFT: RrrSetup
RRR_VICTORY_UNSPECIFIED: RrrVictory
RRR_VICTORY_ROUNDS: RrrVictory
RRR_VICTORY_POINTS: RrrVictory
RRR_PHASE_UNSPECIFIED: RrrPhase
RRR_PHASE_PLACE: RrrPhase
RRR_PHASE_NAME: RrrPhase
RRR_PHASE_PICK: RrrPhase
RRR_PHASE_OVER: RrrPhase
RRR_DIRECTION_UNSPECIFIED: RrrDirection
RRR_DIRECTION_UP: RrrDirection
RRR_DIRECTION_UP_RIGHT: RrrDirection
RRR_DIRECTION_RIGHT: RrrDirection
RRR_DIRECTION_DOWN_RIGHT: RrrDirection
RRR_DIRECTION_DOWN: RrrDirection
RRR_DIRECTION_DOWN_LEFT: RrrDirection
RRR_DIRECTION_LEFT: RrrDirection
RRR_DIRECTION_UP_LEFT: RrrDirection
RRR_NEIGHBOURS_UNSPECIFIED: RrrNeighbours
RRR_NEIGHBOURS_ORTHOGONAL: RrrNeighbours
RRR_NEIGHBOURS_DIAGONAL: RrrNeighbours

class RrrRequest(_message.Message):
    __slots__ = ("start", "turn", "end")
    START_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    start: RrrStart
    turn: RrrTurn
    end: _match_pb2.MatchEnd
    def __init__(self, start: _Optional[_Union[RrrStart, _Mapping]] = ..., turn: _Optional[_Union[RrrTurn, _Mapping]] = ..., end: _Optional[_Union[_match_pb2.MatchEnd, _Mapping]] = ...) -> None: ...

class RrrStart(_message.Message):
    __slots__ = ("match", "config")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    match: _match_pb2.MatchStart
    config: RrrConfig
    def __init__(self, match: _Optional[_Union[_match_pb2.MatchStart, _Mapping]] = ..., config: _Optional[_Union[RrrConfig, _Mapping]] = ...) -> None: ...

class RrrTurn(_message.Message):
    __slots__ = ("number", "clock", "observation", "legal")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    number: int
    clock: _match_pb2.Clock
    observation: RrrObservation
    legal: _containers.RepeatedCompositeFieldContainer[RrrMove]
    def __init__(self, number: _Optional[int] = ..., clock: _Optional[_Union[_match_pb2.Clock, _Mapping]] = ..., observation: _Optional[_Union[RrrObservation, _Mapping]] = ..., legal: _Optional[_Iterable[_Union[RrrMove, _Mapping]]] = ...) -> None: ...

class RrrReply(_message.Message):
    __slots__ = ("ready", "moves")
    READY_FIELD_NUMBER: _ClassVar[int]
    MOVES_FIELD_NUMBER: _ClassVar[int]
    ready: _match_pb2.Ready
    moves: RrrMoves
    def __init__(self, ready: _Optional[_Union[_match_pb2.Ready, _Mapping]] = ..., moves: _Optional[_Union[RrrMoves, _Mapping]] = ...) -> None: ...

class RrrMoves(_message.Message):
    __slots__ = ("turn", "moves")
    TURN_FIELD_NUMBER: _ClassVar[int]
    MOVES_FIELD_NUMBER: _ClassVar[int]
    turn: int
    moves: _containers.RepeatedCompositeFieldContainer[RrrMove]
    def __init__(self, turn: _Optional[int] = ..., moves: _Optional[_Iterable[_Union[RrrMove, _Mapping]]] = ...) -> None: ...

class RrrConfig(_message.Message):
    __slots__ = ("setup", "victory", "rounds", "first")
    SETUP_FIELD_NUMBER: _ClassVar[int]
    VICTORY_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    setup: RrrSetup
    victory: RrrVictory
    rounds: int
    first: int
    def __init__(self, setup: _Optional[_Union[RrrSetup, str]] = ..., victory: _Optional[_Union[RrrVictory, str]] = ..., rounds: _Optional[int] = ..., first: _Optional[int] = ...) -> None: ...

class RrrMove(_message.Message):
    __slots__ = ("place", "pick", "first")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    PICK_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    place: RrrPlacement
    pick: RrrTile
    first: int
    def __init__(self, place: _Optional[_Union[RrrPlacement, _Mapping]] = ..., pick: _Optional[_Union[RrrTile, str]] = ..., first: _Optional[int] = ...) -> None: ...

class RrrPlacement(_message.Message):
    __slots__ = ("tile", "space", "woken", "target", "direction", "neighbours", "every", "shift", "chosen", "hidden_place")
    TILE_FIELD_NUMBER: _ClassVar[int]
    SPACE_FIELD_NUMBER: _ClassVar[int]
    WOKEN_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    DIRECTION_FIELD_NUMBER: _ClassVar[int]
    NEIGHBOURS_FIELD_NUMBER: _ClassVar[int]
    EVERY_FIELD_NUMBER: _ClassVar[int]
    SHIFT_FIELD_NUMBER: _ClassVar[int]
    CHOSEN_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_PLACE_FIELD_NUMBER: _ClassVar[int]
    tile: RrrTile
    space: int
    woken: _containers.RepeatedScalarFieldContainer[int]
    target: int
    direction: RrrDirection
    neighbours: RrrNeighbours
    every: bool
    shift: RrrShift
    chosen: RrrTile
    hidden_place: int
    def __init__(self, tile: _Optional[_Union[RrrTile, str]] = ..., space: _Optional[int] = ..., woken: _Optional[_Iterable[int]] = ..., target: _Optional[int] = ..., direction: _Optional[_Union[RrrDirection, str]] = ..., neighbours: _Optional[_Union[RrrNeighbours, str]] = ..., every: bool = ..., shift: _Optional[_Union[RrrShift, _Mapping]] = ..., chosen: _Optional[_Union[RrrTile, str]] = ..., hidden_place: _Optional[int] = ...) -> None: ...

class RrrShift(_message.Message):
    __slots__ = ("source", "destination")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    source: int
    destination: int
    def __init__(self, source: _Optional[int] = ..., destination: _Optional[int] = ...) -> None: ...

class RrrEvent(_message.Message):
    __slots__ = ("seat", "move")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    move: RrrMove
    def __init__(self, seat: _Optional[int] = ..., move: _Optional[_Union[RrrMove, _Mapping]] = ...) -> None: ...

class RrrBoard(_message.Message):
    __slots__ = ("tiles", "stances", "covered", "covered_ally")
    TILES_FIELD_NUMBER: _ClassVar[int]
    STANCES_FIELD_NUMBER: _ClassVar[int]
    COVERED_FIELD_NUMBER: _ClassVar[int]
    COVERED_ALLY_FIELD_NUMBER: _ClassVar[int]
    tiles: _containers.RepeatedScalarFieldContainer[RrrTile]
    stances: _containers.RepeatedScalarFieldContainer[RrrStance]
    covered: RrrTile
    covered_ally: int
    def __init__(self, tiles: _Optional[_Iterable[_Union[RrrTile, str]]] = ..., stances: _Optional[_Iterable[_Union[RrrStance, str]]] = ..., covered: _Optional[_Union[RrrTile, str]] = ..., covered_ally: _Optional[int] = ...) -> None: ...

class RrrObservation(_message.Message):
    __slots__ = ("seat", "config", "phase", "mover", "round", "first", "placements", "score", "board", "area", "hidden", "opponent_area", "opponent_hidden_count", "zone", "discard", "banished", "offer", "offered", "picks", "draws", "opponent_unseen", "events", "earlier")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    MOVER_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    PLACEMENTS_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    BOARD_FIELD_NUMBER: _ClassVar[int]
    AREA_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_AREA_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_HIDDEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    ZONE_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    BANISHED_FIELD_NUMBER: _ClassVar[int]
    OFFER_FIELD_NUMBER: _ClassVar[int]
    OFFERED_FIELD_NUMBER: _ClassVar[int]
    PICKS_FIELD_NUMBER: _ClassVar[int]
    DRAWS_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_UNSEEN_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    EARLIER_FIELD_NUMBER: _ClassVar[int]
    seat: int
    config: RrrConfig
    phase: RrrPhase
    mover: int
    round: int
    first: int
    placements: int
    score: _containers.RepeatedScalarFieldContainer[int]
    board: RrrBoard
    area: _containers.RepeatedScalarFieldContainer[RrrTile]
    hidden: _containers.RepeatedScalarFieldContainer[RrrTile]
    opponent_area: _containers.RepeatedScalarFieldContainer[RrrTile]
    opponent_hidden_count: int
    zone: _containers.RepeatedScalarFieldContainer[RrrTile]
    discard: _containers.RepeatedScalarFieldContainer[RrrTile]
    banished: _containers.RepeatedScalarFieldContainer[RrrTile]
    offer: _containers.RepeatedScalarFieldContainer[RrrTile]
    offered: int
    picks: int
    draws: _containers.RepeatedScalarFieldContainer[RrrTile]
    opponent_unseen: _containers.RepeatedScalarFieldContainer[int]
    events: _containers.RepeatedCompositeFieldContainer[RrrEvent]
    earlier: _containers.RepeatedCompositeFieldContainer[RrrEvent]
    def __init__(self, seat: _Optional[int] = ..., config: _Optional[_Union[RrrConfig, _Mapping]] = ..., phase: _Optional[_Union[RrrPhase, str]] = ..., mover: _Optional[int] = ..., round: _Optional[int] = ..., first: _Optional[int] = ..., placements: _Optional[int] = ..., score: _Optional[_Iterable[int]] = ..., board: _Optional[_Union[RrrBoard, _Mapping]] = ..., area: _Optional[_Iterable[_Union[RrrTile, str]]] = ..., hidden: _Optional[_Iterable[_Union[RrrTile, str]]] = ..., opponent_area: _Optional[_Iterable[_Union[RrrTile, str]]] = ..., opponent_hidden_count: _Optional[int] = ..., zone: _Optional[_Iterable[_Union[RrrTile, str]]] = ..., discard: _Optional[_Iterable[_Union[RrrTile, str]]] = ..., banished: _Optional[_Iterable[_Union[RrrTile, str]]] = ..., offer: _Optional[_Iterable[_Union[RrrTile, str]]] = ..., offered: _Optional[int] = ..., picks: _Optional[int] = ..., draws: _Optional[_Iterable[_Union[RrrTile, str]]] = ..., opponent_unseen: _Optional[_Iterable[int]] = ..., events: _Optional[_Iterable[_Union[RrrEvent, _Mapping]]] = ..., earlier: _Optional[_Iterable[_Union[RrrEvent, _Mapping]]] = ...) -> None: ...

class RrrSeat(_message.Message):
    __slots__ = ("area", "hidden", "unseen")
    AREA_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_FIELD_NUMBER: _ClassVar[int]
    UNSEEN_FIELD_NUMBER: _ClassVar[int]
    area: _containers.RepeatedScalarFieldContainer[RrrTile]
    hidden: _containers.RepeatedScalarFieldContainer[RrrTile]
    unseen: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, area: _Optional[_Iterable[_Union[RrrTile, str]]] = ..., hidden: _Optional[_Iterable[_Union[RrrTile, str]]] = ..., unseen: _Optional[_Iterable[int]] = ...) -> None: ...

class RrrState(_message.Message):
    __slots__ = ("config", "phase", "mover", "round", "first", "placements", "score", "board", "seats", "zone", "discard", "banished", "offer", "picks", "draws", "drawn", "events")
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    MOVER_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    PLACEMENTS_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    BOARD_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    ZONE_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    BANISHED_FIELD_NUMBER: _ClassVar[int]
    OFFER_FIELD_NUMBER: _ClassVar[int]
    PICKS_FIELD_NUMBER: _ClassVar[int]
    DRAWS_FIELD_NUMBER: _ClassVar[int]
    DRAWN_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    config: RrrConfig
    phase: RrrPhase
    mover: int
    round: int
    first: int
    placements: int
    score: _containers.RepeatedScalarFieldContainer[int]
    board: RrrBoard
    seats: _containers.RepeatedCompositeFieldContainer[RrrSeat]
    zone: _containers.RepeatedScalarFieldContainer[RrrTile]
    discard: _containers.RepeatedScalarFieldContainer[RrrTile]
    banished: _containers.RepeatedScalarFieldContainer[RrrTile]
    offer: _containers.RepeatedScalarFieldContainer[RrrTile]
    picks: int
    draws: _containers.RepeatedScalarFieldContainer[RrrTile]
    drawn: int
    events: _containers.RepeatedCompositeFieldContainer[RrrEvent]
    def __init__(self, config: _Optional[_Union[RrrConfig, _Mapping]] = ..., phase: _Optional[_Union[RrrPhase, str]] = ..., mover: _Optional[int] = ..., round: _Optional[int] = ..., first: _Optional[int] = ..., placements: _Optional[int] = ..., score: _Optional[_Iterable[int]] = ..., board: _Optional[_Union[RrrBoard, _Mapping]] = ..., seats: _Optional[_Iterable[_Union[RrrSeat, _Mapping]]] = ..., zone: _Optional[_Iterable[_Union[RrrTile, str]]] = ..., discard: _Optional[_Iterable[_Union[RrrTile, str]]] = ..., banished: _Optional[_Iterable[_Union[RrrTile, str]]] = ..., offer: _Optional[_Iterable[_Union[RrrTile, str]]] = ..., picks: _Optional[int] = ..., draws: _Optional[_Iterable[_Union[RrrTile, str]]] = ..., drawn: _Optional[int] = ..., events: _Optional[_Iterable[_Union[RrrEvent, _Mapping]]] = ...) -> None: ...

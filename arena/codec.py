"""The edge between a game's own values and its protobuf messages; nothing inside knows protobuf.

The protos of all games have one shape (`<Prefix>Request`, `<Prefix>Reply`, `<Prefix>Config` …, see
claim.proto), so a game only says how its four values are packed; all the rest is here.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, Generic, TypeVar

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message

from arena.clock import Meter, TimeControl
from arena.errors import BadMessage
from arena.match import Ending, MatchEnd, MatchStart, Moves, Outcome, Ready, Turn, Verdict
from arena.wire.v1 import match_pb2

C = TypeVar("C")
S = TypeVar("S")
M = TypeVar("M")
O = TypeVar("O")  # C, S, M, O: config, state, move, observation

Json = dict[str, Any]

MAX_MESSAGE = 1 << 20
"""Bytes of the longest message between referee and bot, both ways."""
MAX_MOVES = 1000
"""Moves in one reply: more than any turn has, and few enough that reading them holds up no other match."""


def require(condition: object, why: str) -> None:
    """Raise BadMessage unless the condition holds."""
    if not condition:
        raise BadMessage(why)


def parse(kind: type[Message], data: bytes) -> Any:
    """The message of this kind in these bytes, or BadMessage."""
    message = kind()
    try:
        message.ParseFromString(data)
    except (DecodeError, ValueError, RuntimeError) as error:
        raise BadMessage(f"not a valid {kind.DESCRIPTOR.name} message: {error}") from error
    return message


def to_json(message: Message) -> Json:
    """The message as protobuf JSON with every field, under the names of the proto file."""
    fields = _json_fields(message.DESCRIPTOR)
    if fields is None:
        from google.protobuf import json_format  # noqa: PLC0415  (bots start without it)

        return json_format.MessageToDict(
            message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
        )
    value = {}
    for name, optional, repeated, convert in fields:
        if not optional or message.HasField(name):
            part = getattr(message, name)
            value[name] = convert(part) if not repeated else list(part) if convert is _same else [*map(convert, part)]
    return value


@cache
def _json_fields(kind: Descriptor) -> list[tuple[str, bool, bool, Callable[[Any], Any]]] | None:
    """Name, presence, repetition and conversion of every field; None if one is of a kind that only protobuf knows.

    What protobuf works out for each message anew is worked out once here, so that a replay takes half the time.
    """
    found = []
    for field in kind.fields:
        convert = _json_value(field)
        if convert is None:
            return None
        found.append((field.name, field.has_presence, is_repeated(field), convert))
    return found


def is_repeated(field: FieldDescriptor) -> bool:
    """Whether the field is a list; older versions of protobuf have only the label, and newer ones no longer have it."""
    repeated = getattr(field, "is_repeated", None)
    return getattr(field, "label", None) == FieldDescriptor.LABEL_REPEATED if repeated is None else bool(repeated)


def _json_value(field: FieldDescriptor) -> Callable[[Any], Any] | None:
    """From a value of this field to JSON."""
    if field.message_type is not None:
        return None if field.message_type.GetOptions().map_entry else to_json
    if field.enum_type is not None:
        names = {value.number: value.name for value in field.enum_type.values}
        return lambda number: names.get(number, number)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return None
    return _JSON_SCALARS.get(field.cpp_type)


def _same(value: Any) -> Any:
    return value


_JSON_SCALARS: dict[int, Callable[[Any], Any]] = {
    FieldDescriptor.CPPTYPE_BOOL: _same,
    FieldDescriptor.CPPTYPE_INT32: _same,
    FieldDescriptor.CPPTYPE_UINT32: _same,
    FieldDescriptor.CPPTYPE_STRING: _same,
    FieldDescriptor.CPPTYPE_INT64: str,  # a number of JSON has 53 bits
    FieldDescriptor.CPPTYPE_UINT64: str,
}


def from_json(kind: type[Message], value: Json) -> Any:
    """The message of this kind in this protobuf JSON, or BadMessage."""
    from google.protobuf import json_format  # noqa: PLC0415  (bots start without it)

    try:
        return json_format.ParseDict(value, kind())
    except json_format.Error as error:
        raise BadMessage(f"not a valid {kind.DESCRIPTOR.name} in JSON: {error}") from error


class Codec(ABC, Generic[C, S, M, O]):
    """Translates one game's values to and from its protobuf messages."""

    wire: ModuleType
    """The generated module, for example claim_pb2."""
    prefix: str
    """What the names of the game's messages start with, for example "Claim"."""

    # -- what a game must say: its four values, both ways ------------------------------------------
    # `unpack_…` raises BadMessage for anything that `pack_…` could not have written.

    @abstractmethod
    def pack_config(self, config: C) -> Message:
        """The Config message of a configuration."""

    @abstractmethod
    def unpack_config(self, message: Any) -> C:
        """The configuration in a Config message."""

    @abstractmethod
    def pack_state(self, state: S) -> Message:
        """The State message of a position."""

    @abstractmethod
    def unpack_state(self, message: Any) -> S:
        """The position in a State message."""

    @abstractmethod
    def pack_observation(self, observation: O) -> Message:
        """The Observation message of what a seat knows."""

    @abstractmethod
    def unpack_observation(self, message: Any) -> O:
        """What a seat knows, from an Observation message."""

    @abstractmethod
    def pack_move(self, move: M) -> Message:
        """The Move message of a move."""

    @abstractmethod
    def unpack_move(self, message: Any) -> M:
        """The move in a Move message; it need not be legal."""

    # -- bytes and JSON -------------------------------------------------------------------------------
    # Bytes are deterministic; JSON has the proto's field names.

    def type(self, name: str) -> type[Message]:
        """The game's message class of this name, without its prefix."""
        kind: type[Message] = getattr(self.wire, self.prefix + name)
        return kind

    def dump_config(self, config: C) -> bytes:
        return self.pack_config(config).SerializeToString(deterministic=True)

    def load_config(self, data: bytes) -> C:
        return self.unpack_config(parse(self.type("Config"), data))

    def dump_state(self, state: S) -> bytes:
        return self.pack_state(state).SerializeToString(deterministic=True)

    def load_state(self, data: bytes) -> S:
        return self.unpack_state(parse(self.type("State"), data))

    def dump_observation(self, observation: O) -> bytes:
        return self.pack_observation(observation).SerializeToString(deterministic=True)

    def load_observation(self, data: bytes) -> O:
        return self.unpack_observation(parse(self.type("Observation"), data))

    def dump_move(self, move: M) -> bytes:
        return self.pack_move(move).SerializeToString(deterministic=True)

    def load_move(self, data: bytes) -> M:
        return self.unpack_move(parse(self.type("Move"), data))

    def state_to_json(self, state: S) -> Json:
        return to_json(self.pack_state(state))

    def state_from_json(self, value: Json) -> S:
        return self.unpack_state(from_json(self.type("State"), value))

    def move_to_json(self, move: M) -> Json:
        return to_json(self.pack_move(move))

    def move_from_json(self, value: Json) -> M:
        return self.unpack_move(from_json(self.type("Move"), value))

    def config_to_json(self, config: C) -> Json:
        return to_json(self.pack_config(config))

    def observation_to_json(self, observation: O) -> Json:
        return to_json(self.pack_observation(observation))

    # -- the stream of a match --------------------------------------------------------------------------

    def write_start(self, start: MatchStart[C]) -> bytes:
        """The request that starts a match."""
        request: Any = self.type("Request")()
        request.start.match.match_id = start.match_id
        request.start.match.seat = start.seat
        request.start.match.seats = start.seats
        request.start.match.time_control.CopyFrom(pack_control(start.control))
        request.start.config.CopyFrom(self.pack_config(start.config))
        return bytes(request.SerializeToString())

    def write_turn(self, turn: Turn[M, O]) -> bytes:
        """The request that asks for a decision."""
        request: Any = self.type("Request")()
        request.turn.number = turn.number
        request.turn.clock.available_us = round(turn.available * 1e6)
        request.turn.clock.bank_us = round(turn.bank * 1e6)
        request.turn.observation.CopyFrom(self.pack_observation(turn.observation))
        if turn.legal is not None:
            request.turn.legal.extend(map(self.pack_move, turn.legal))
        return bytes(request.SerializeToString())

    def write_end(self, end: MatchEnd) -> bytes:
        """The request that ends a match."""
        request: Any = self.type("Request")()
        request.end.outcome.CopyFrom(pack_outcome(end.outcome))
        request.end.verdict.CopyFrom(pack_verdict(end.verdict))
        return bytes(request.SerializeToString())

    def read_request(self, data: bytes) -> MatchStart[C] | Turn[M, O] | MatchEnd:
        """What the referee says, from bytes."""
        request = parse(self.type("Request"), data)
        match request.WhichOneof("event"):
            case "start":
                about = request.start.match
                config = self.unpack_config(request.start.config)
                return MatchStart(about.match_id, about.seat, about.seats, config, unpack_control(about.time_control))
            case "turn":
                return self._read_turn(request.turn)
            case "end":
                return MatchEnd(unpack_outcome(request.end.outcome), unpack_verdict(request.end.verdict))
        raise BadMessage("the request is empty")

    def _read_turn(self, turn: Any) -> Turn[M, O]:
        # An empty list means that it was not asked for: a seat to move always has a legal move.
        legal = tuple(map(self.unpack_move, turn.legal)) or None
        observation = self.unpack_observation(turn.observation)
        return Turn(turn.number, observation, legal, turn.clock.available_us / 1e6, turn.clock.bank_us / 1e6)

    def write_reply(self, reply: Ready | Moves[M]) -> bytes:
        """What a bot answers, as bytes."""
        message: Any = self.type("Reply")()
        if isinstance(reply, Ready):
            message.ready.wants_legal_moves = reply.wants_legal
        else:
            message.moves.turn = reply.turn
            message.moves.moves.extend(map(self.pack_move, reply.moves))
        # Setting a field to its default does not select its branch of the oneof.
        getattr(message, "ready" if isinstance(reply, Ready) else "moves").SetInParent()
        return bytes(message.SerializeToString())

    def read_reply(self, data: bytes) -> Ready | Moves[M]:
        """What a bot answers, from bytes."""
        message = parse(self.type("Reply"), data)
        match message.WhichOneof("answer"):
            case "ready":
                return Ready(message.ready.wants_legal_moves)
            case "moves":
                count = len(message.moves.moves)
                require(count <= MAX_MOVES, f"the reply has {count} moves: at most {MAX_MOVES} are allowed")
                return Moves(message.moves.turn, tuple(map(self.unpack_move, message.moves.moves)))
        raise BadMessage("the reply is empty: it must set `ready` or `moves`")


def pack_control(control: TimeControl) -> match_pb2.TimeControl:
    """The TimeControl message of a time control."""
    return match_pb2.TimeControl(
        per_move_us=round(control.per_move * 1e6),
        bank_us=round(control.bank * 1e6),
        increment_us=round(control.increment * 1e6),
        allowance_us=round(control.allowance * 1e6),
        meter=f"METER_{control.meter.name}",
    )


_METERS = {match_pb2.Meter.Value(f"METER_{meter.name}"): meter for meter in Meter}
_ENDINGS = {match_pb2.Ending.Value(f"ENDING_{ending.name}"): ending for ending in Ending}


def unpack_control(message: match_pb2.TimeControl) -> TimeControl:
    """The time control in a TimeControl message."""
    require(message.meter in _METERS, f"{message.meter} is not a meter")
    return TimeControl(
        per_move=message.per_move_us / 1e6,
        bank=message.bank_us / 1e6,
        increment=message.increment_us / 1e6,
        allowance=message.allowance_us / 1e6,
        meter=_METERS[message.meter],
    )


def pack_outcome(outcome: Outcome) -> match_pb2.Outcome:
    """The Outcome message of an outcome."""
    return match_pb2.Outcome(ranks=outcome.ranks, scores=outcome.scores, reason=outcome.reason)


def unpack_outcome(message: match_pb2.Outcome) -> Outcome:
    """The outcome in an Outcome message."""
    return Outcome(tuple(message.ranks), tuple(message.scores), message.reason)


def pack_verdict(verdict: Verdict) -> match_pb2.Verdict:
    """The Verdict message of a verdict."""
    return match_pb2.Verdict(ending=f"ENDING_{verdict.ending.name}", sentence=verdict.sentence)


def unpack_verdict(message: match_pb2.Verdict) -> Verdict:
    """The verdict in a Verdict message."""
    require(message.ending in _ENDINGS, f"{message.ending} is not an ending")
    return Verdict(_ENDINGS[message.ending], message.sentence)

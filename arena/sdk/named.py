"""The messages of a game as plain values with names, both ways.

What a game's .proto file names is what a Python bot reads and writes: nothing here knows any game. A choice among
names loses its prefix (ASSASSINS_PHASE_KING is "KING"), and what is not set, or is UNSPECIFIED, is None.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message

from arena.codec import Codec, is_repeated
from arena.errors import IllegalMove

AnyCodec = Codec[Any, Any, Any, Any]


class Named:
    """Values with names, which shows itself as it is written: `step(figure=7, square=86)`."""

    __slots__ = ("kind", "values")

    def __init__(self, kind: str, values: Mapping[str, Any]) -> None:
        self.kind = kind
        """What it is: the kind of a move, or the name of its message."""
        self.values = values
        """By name, in the order of the .proto file; a move that is but one number or name has it as `value`."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # a copy asks before there are values
            raise AttributeError(name)
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(f"{self.kind} has no {name!r}: it has {listed(self.values)}") from None

    def __repr__(self) -> str:
        said = {name: value for name, value in self.values.items() if value is not None or name == "value"}
        return f"{self.kind}({', '.join(repr(v) if n == 'value' else f'{n}={v!r}' for n, v in said.items())})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and (self.kind, self.values) == (other.kind, other.values)

    def __hash__(self) -> int:
        return hash((self.kind, *self.values.values()))


def listed(names: Iterable[str]) -> str:
    """Names in a sentence."""
    return ", ".join(names) or "no fields"


# -- reading ----------------------------------------------------------------------------------------------


def read_move(message: Any) -> Named:
    """A Move message by its kind; what only says that it happens, as `end_turn`, has no values."""
    (choice,) = message.DESCRIPTOR.oneofs
    field = message.DESCRIPTOR.fields_by_name[str(message.WhichOneof(choice.name))]
    value = _reader(field)(getattr(message, field.name))
    if isinstance(value, Named):
        return Named(field.name, value.values)
    return Named(field.name, {} if field.type == FieldDescriptor.TYPE_BOOL else {"value": value})


def read_message(message: Message) -> Named:
    """Any message with all its fields."""
    name, fields = _layout(message.DESCRIPTOR)
    return Named(name, {name: read(message) for name, read in fields})


@cache
def _layout(kind: Descriptor) -> tuple[str, list[tuple[str, Callable[[Any], Any]]]]:
    """The name of a message without its game's, and how each field is read: worked out once, as it takes longest."""
    return kind.name.removeprefix(_prefix(kind)), [(field.name, _field_reader(field)) for field in kind.fields]


def _prefix(kind: Descriptor) -> str:
    """What the names of the messages of this one's game begin with."""
    names = kind.file.message_types_by_name
    return next((name.removesuffix("Observation") for name in names if name.endswith("Observation")), "")


def _field_reader(field: FieldDescriptor) -> Callable[[Any], Any]:
    name, read = field.name, _reader(field)
    if is_repeated(field):
        return lambda message: tuple(map(read, getattr(message, name)))
    if field.has_presence:
        return lambda message: read(getattr(message, name)) if message.HasField(name) else None
    return lambda message: read(getattr(message, name))


def _reader(field: FieldDescriptor) -> Callable[[Any], Any]:
    """From a value of this field to what a bot sees."""
    if field.message_type is not None:
        return read_move if is_move(field.message_type) else read_message
    if field.enum_type is not None:
        return enum_names(field.enum_type).get
    return lambda value: value


def is_move(kind: Descriptor) -> bool:
    """Whether this is the message of a move."""
    return bool(kind.name == f"{_prefix(kind)}Move")


@cache
def enum_names(kind: EnumDescriptor) -> dict[int, str]:
    """The names without their prefix, by number; UNSPECIFIED is left out."""
    prefix = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind.name).upper() + "_"
    names = {value.number: value.name.removeprefix(prefix) for value in kind.values}
    return {number: name for number, name in names.items() if name != "UNSPECIFIED"}


# -- writing ----------------------------------------------------------------------------------------------


def write_move(codec: AnyCodec, kind: str, value: Any, values: Mapping[str, Any]) -> Any:
    """The Move message of this kind; IllegalMove says what is wrong with the values."""
    message: Any = codec.type("Move")()
    kinds = {field.name: field for field in message.DESCRIPTOR.fields}
    if kind not in kinds:
        raise IllegalMove(f"there is no move {kind!r}: there are {listed(kinds)}")
    field = kinds[kind]
    if field.message_type is not None:
        if value is not None:
            raise IllegalMove(f"the values of {kind} have names: {listed(_names(field.message_type))}")
        _fill(getattr(message, kind), values, kind)
        getattr(message, kind).SetInParent()  # its values may all be 0, which alone would not select it
        return message
    if values:
        raise IllegalMove(f"{kind} has no {next(iter(values))!r}: its one value is written without a name")
    if field.type == FieldDescriptor.TYPE_BOOL:
        value = True if value is None else value
    _set(message, field, value, kind)
    return message


def _fill(message: Any, values: Mapping[str, Any], what: str) -> None:
    fields = message.DESCRIPTOR.fields_by_name
    if unknown := values.keys() - fields.keys():
        raise IllegalMove(f"{what} has no {min(unknown)!r}: it has {listed(_names(message.DESCRIPTOR))}")
    needed = [name for name in _names(message.DESCRIPTOR) if not _may_lack(fields[name])]
    if missing := [name for name in needed if values.get(name) is None]:
        raise IllegalMove(f"{what} needs {' and '.join(missing)}")
    for name, value in values.items():
        if value is not None:
            _set(message, fields[name], value, what)


def _names(kind: Descriptor) -> list[str]:
    return [field.name for field in kind.fields]


def _may_lack(field: FieldDescriptor) -> bool:
    return is_repeated(field) or field.containing_oneof is not None


def _set(message: Any, field: FieldDescriptor, value: Any, what: str) -> None:
    name = field.name
    try:
        if is_repeated(field):
            getattr(message, name).extend([_number(field, each) for each in value])
        elif field.message_type is not None:
            _fill(getattr(message, name), value.values if isinstance(value, Named) else dict(value), name)
            getattr(message, name).SetInParent()
        else:
            setattr(message, name, _number(field, value))
    except (TypeError, ValueError):
        said = name if name == what else f"{name} of {what}"
        choices = f": choose {listed(enum_names(field.enum_type).values())}" if field.enum_type else ""
        raise IllegalMove(f"{said} cannot be {value!r}{choices}") from None


def _number(field: FieldDescriptor, value: Any) -> Any:
    """The value, or the number of its name."""
    if field.enum_type is None or not isinstance(value, str):
        return value
    numbers = {name: number for number, name in enum_names(field.enum_type).items()}
    if value.upper() not in numbers:
        raise ValueError(value)
    return numbers[value.upper()]

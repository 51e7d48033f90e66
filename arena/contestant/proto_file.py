"""A .proto file with its comments, which the generated modules do not keep."""

import re
from dataclasses import dataclass, field


@dataclass
class Block:
    """A message, an enumeration or a service of a .proto file, with the comment above it."""

    kind: str
    name: str
    comment: str
    rows: list[tuple[str, str, str, str]] = field(default_factory=list)
    """Name, type, number and comment of what is in it."""


@dataclass
class ProtoFile:
    """What a .proto file says."""

    comment: str
    blocks: list[Block]


OPENING = re.compile(r"(message|enum|service|oneof) (\w+) {$")
FIELD = re.compile(r"((?:optional |repeated )?(?:map<\w+, \w+>|[\w.]+)) (\w+) = (\d+);$")
VALUE = re.compile(r"(\w+) = (\d+);$")
CALL = re.compile(r"rpc (\w+)\((.*?)\) returns \((.*?)\);$")


def read_proto(text: str) -> ProtoFile:
    """The messages of a .proto file with their comments; ValueError for a line that this does not understand."""
    file = ProtoFile("", [])
    comment: list[str] = []
    in_oneof = False
    for line in map(str.strip, text.splitlines()):
        if line.startswith("//"):
            comment.append(line.removeprefix("//").removeprefix(" "))
            continue
        said = "\n".join(comment)
        comment = []
        if line.startswith("syntax"):
            file.comment = said
        elif found := OPENING.match(line):
            in_oneof = found[1] == "oneof"
            if in_oneof:
                file.blocks[-1].rows.append((found[2], "one of", "", said))
            else:
                file.blocks.append(Block(found[1], found[2], said))
        elif line == "}":
            in_oneof = False
        elif line and not line.startswith(("package ", "import ")):
            name, kind, number = _member(line)
            file.blocks[-1].rows.append((f"… {name}" if in_oneof else name, kind, number, said))
    return file


def _member(line: str) -> tuple[str, str, str]:
    """Name, type and number of a field, a value or a call."""
    if found := FIELD.match(line):
        return found[2], found[1], found[3]
    if found := VALUE.match(line):
        return found[1], "", found[2]
    if found := CALL.match(line):
        return found[1], f"{found[2]} → {found[3]}", ""
    raise ValueError(f"this is not understood in a .proto file: {line!r}")

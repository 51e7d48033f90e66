"""The page of the protocol, made from the .proto files and their comments."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tools.docs.markdown import anchor, code, joined, plain, table

PROTOS = Path(__file__).parents[2] / "proto/arena"


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
    raise ValueError(f"tools/docs/protocol.py does not understand {line!r}")


def protocol_page() -> str:
    """Every message of proto/arena with its comments."""
    paths = sorted(PROTOS.rglob("*.proto"), key=lambda path: (path.stem != "match", path.stem))
    files = {path.name: read_proto(path.read_text(encoding="utf-8")) for path in paths}
    names = {block.name for file in files.values() for block in file.blocks}
    page = ["# The protocol", "Made from the `.proto` files under `proto/`, which are all that a bot needs. "
            "[bots.md](../bots.md#the-protocol-in-short) has the protocol in short."]  # fmt: skip
    for name, file in files.items():
        page += [f"## {name}", *_comment_paragraphs(file.comment)]
        for block in file.blocks:
            page += [f"### {block.name}", plain(block.comment), _members(block, names)]
    return joined(page)


def _members(block: Block, names: set[str]) -> str:
    rows = [(f"`{name}`", _linked(kind, names), number, plain(said))
            for name, kind, number, said in block.rows]  # fmt: skip
    match block.kind:
        case "message":
            return table(("field", "type", "number", "meaning"), rows)
        case "enum":
            return table(("value", "number", "meaning"), [(name, number, said) for name, _, number, said in rows])
    return table(("call", "types", "meaning"), [(name, kind, said) for name, kind, _, said in rows])


def _linked(kind: str, names: set[str]) -> str:
    """A type, with a link where this page explains it."""
    return re.sub(r"\w+", lambda word: f"[{word[0]}](#{anchor(word[0])})" if word[0] in names else word[0], plain(kind))


def _comment_paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a comment; one with indented lines is laid out by hand and stays so."""
    for paragraph in text.split("\n\n"):
        laid_out = any(line.startswith("  ") for line in paragraph.splitlines())
        yield code(paragraph) if laid_out else plain(paragraph)

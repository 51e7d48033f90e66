"""The page of the protocol, made from the .proto files and their comments."""

import re
from pathlib import Path

from arena.contestant.markdown import comment_paragraphs, joined, plain, table
from arena.contestant.proto_file import Block, read_proto
from tools.docs.markdown import anchor

PROTOS = Path(__file__).parents[2] / "proto/arena"


def protocol_page() -> str:
    paths = sorted(PROTOS.rglob("*.proto"), key=lambda path: (path.stem != "match", path.stem))
    files = {path.name: read_proto(path.read_text(encoding="utf-8")) for path in paths}
    names = {block.name for file in files.values() for block in file.blocks}
    page = ["# The protocol", "Made from the `.proto` files under `proto/`, which are all that a bot needs. "
            "[bots.md](../bots.md#the-protocol-in-short) has the protocol in short."]  # fmt: skip
    for name, file in files.items():
        page += [f"## {name}", *comment_paragraphs(file.comment)]
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

"""The page of a game for authors of bots: what a turn shows, every kind of move, hints.

It is made from the game's .proto file, whose comments explain every field, its GameInfo, and moves of random games.
Only the hints, with an example, are written by hand, in the HINTS.md beside the game's code, if there is one.
"""

import re
from collections.abc import Iterator

from arena.contestant.example_moves import call, example_moves
from arena.contestant.markdown import code, comment_paragraphs, joined, plain, table
from arena.contestant.proto_file import Block, read_proto
from arena.contestant.scaffold import find_proto
from arena.errors import UsageError
from arena.game import AnyGame, GameInfo

READING = """
`turn.seen` has what your seat knows, and `turn.fields(move)` what a move says, under the names on this page; `print`
shows them. `turn.legal` lists the legal moves, `turn.describe(move)` says in words what one does, and `turn.move(…)`
makes one, or says why it cannot be played. What is not set is `None`, a list is a tuple, and a name in capitals is a
string. `turn.observation` is the same in the form of the game's rules, and what `imagine` and a search take.
"""


def game_page(game: AnyGame) -> str:
    """The page in Markdown; UsageError if the game's .proto file is not there or not understood."""
    info, path = game.info, find_proto(game.info.name)
    try:
        file = read_proto(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from error
    names = Names(game.codec.prefix, file.blocks)
    return joined(
        [
            f"# {info.title}: how a bot sees and plays it",
            f"{info.summary} `arena rules {info.name}` prints the rules.",
            *_facts(info),
            READING.strip(),
            "## What the numbers mean",
            *comment_paragraphs(file.comment),
            "## What `turn.seen` has",
            *names.explained("Observation"),
            "## Moves",
            *names.moves(),
            "Every kind of move as it is made, and what it does where it was found:",
            code("\n".join(f"{call(move)}{words and f'  # {words}'}" for move, words in example_moves(game)), "python"),
            game.hints(),
        ]
    )


def _facts(info: GameInfo) -> Iterator[str]:
    if info.roles:
        yield "Seats: " + ", ".join(f"{seat} is {role}" for seat, role in enumerate(info.roles)) + "."
    rows = [(f"`{option.name}`", ", ".join(option.choices), option.default, option.help) for option in info.options]
    yield table(("option", "choices", "default", "meaning"), rows)


class Names:
    """The messages and enumerations of a game under the names that a Python bot sees."""

    def __init__(self, prefix: str, blocks: list[Block]) -> None:
        self._prefix = prefix
        self._blocks = {block.name: block for block in blocks}
        self._told = {f"{prefix}Move"}
        self._values = {
            value: f'"{value.removeprefix(common)}"' if not value.endswith("_UNSPECIFIED") else "None"
            for block in blocks
            if block.kind == "enum"
            for common in [re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", block.name).upper() + "_"]
            for value, *_ in block.rows
        }

    def explained(self, name: str) -> Iterator[str]:
        """The table of a message or enumeration, and of all that it is made of, each once."""
        yield from self._block(self._blocks[self._prefix + name])

    def moves(self) -> Iterator[str]:
        """The kinds of moves, and then all that they are made of."""
        rows = [row for row in self._blocks[f"{self._prefix}Move"].rows if row[1] != "one of"]
        cells = [(f"`{_bare(name)}`", self._values_of(kind), self._text(said)) for name, kind, _, said in rows]
        yield table(("kind", "values", "meaning"), cells)
        for _, kind, _, _ in rows:
            yield from self._parts(kind)

    def _values_of(self, kind: str) -> str:
        """What is written behind a kind of move."""
        if kind == "bool":
            return "none"
        block = self._blocks.get(kind)
        if block is None or block.kind == "enum":
            return f"`value`: {self._type(kind)}"
        return ", ".join(f"`{_bare(name)}`" for name, kind, _, _ in block.rows if kind != "one of")

    def _block(self, block: Block) -> Iterator[str]:
        self._told.add(block.name)
        if block.kind == "enum":
            values = [(f"`{self._values[name]}`", self._text(said)) for name, _, _, said in block.rows]
            yield table((self._short(block.name), "meaning"), values)
            return
        rows = [
            (f"`{_bare(name)}`", self._type(kind), self._text(said))
            for name, kind, _, said in block.rows
            if kind != "one of"
        ]
        yield table((f"field of {self._short(block.name)}", "type", "meaning"), rows)
        for _, kind, _, _ in block.rows:
            yield from self._parts(kind)

    def _parts(self, kind: str) -> Iterator[str]:
        name = kind.rsplit(maxsplit=1)[-1]
        if name in self._blocks and name not in self._told:
            yield from self._block(self._blocks[name])

    def _type(self, kind: str) -> str:
        *label, name = kind.split()
        said = {"uint32": "number", "int32": "number", "bool": "True or False"}.get(name, self._short(name))
        return {"repeated": f"list of {said}s", "optional": f"{said} or None"}.get("".join(label), said)

    def _short(self, name: str) -> str:
        return name.removeprefix(self._prefix)

    def _text(self, comment: str) -> str:
        """A comment, with the names of values as a bot sees them."""
        return plain(re.sub(r"\b[A-Z][A-Z0-9_]+\b", lambda word: self._values.get(word[0], word[0]), comment))


def _bare(name: str) -> str:
    return name.removeprefix("… ")

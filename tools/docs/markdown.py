"""Markdown, as the generated pages write it and as links are found in it."""

import re
from collections.abc import Iterable, Iterator, Sequence

FENCE = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<=\]\()(?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?(?=\))")
"""Where a link within the repository leads: a path, an anchor or both."""
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def links(text: str) -> Iterator[tuple[str, str]]:
    """The path and the anchor of every link of a page within the repository; one of them may be empty."""
    yield from ((found[1], found[2] or "") for found in LINK.finditer(FENCE.sub("", text)))


def anchors(text: str) -> set[str]:
    """What a link to a page may name behind its #."""
    return set(map(anchor, HEADING.findall(FENCE.sub("", text))))


def anchor(heading: str, separator: str = "-") -> str:
    """The name of a heading in links, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", separator)


def plain(text: str) -> str:
    """Text on one line in which only backticks mean something."""
    parts = re.split(r"(`[^`]*`)", " ".join(text.split()))
    return "".join(part if part.startswith("`") else _escaped(part) for part in parts)


def _escaped(text: str) -> str:
    return re.sub(r"([*_\[\]\\])", r"\\\1", text).replace("<", "&lt;").replace(">", "&gt;")


def code(text: str, language: str = "text") -> str:
    """A block of code."""
    return f"```{language}\n{text}\n```"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table, or nothing if it has no rows."""
    lines = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) if rows else ""


def joined(parts: Iterable[str]) -> str:
    """A page of these parts; empty ones are left out."""
    return "\n\n".join(part for part in parts if part) + "\n"

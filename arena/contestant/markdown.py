"""Markdown, as generated pages write it."""

import re
from collections.abc import Iterable, Iterator, Sequence


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


def comment_paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a comment; one with indented lines is laid out by hand and stays so."""
    for paragraph in text.split("\n\n"):
        laid_out = any(line.startswith("  ") for line in paragraph.splitlines())
        yield code(paragraph) if laid_out else plain(paragraph)

"""Sanitisers of untrusted text: nothing that they return can steer a terminal or forge a line."""

import json
from typing import Any

_LAYOUT = "\n\t"


def printable(text: str, *, lines: bool = False) -> str:
    r"""The text with everything invisible as \x.., \u....: control and bidirectional characters, odd spaces, line ends.

    With `lines` its line ends and tabs stay.
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or (lines and character in _LAYOUT) else escaped(character)
        for character in text
    )


def escaped(text: str, *, limit: int = 200) -> str:
    r"""The first `limit` characters in ASCII, all others as \x.., \u....: for text out of files and network replies."""
    return text[:limit].encode("unicode_escape").decode("ascii")


def quoted(name: str) -> str:
    """A file name as an ASCII literal in quotes, shortened to 60 characters."""
    return ascii(name if len(name) <= 60 else f"{name[:57]}...")


def json_text(value: Any, *, indent: int | None = None) -> str:
    """The value as JSON that can be read and printed: invisible characters are escaped, all others stay."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    # Outside of strings JSON has nothing invisible but our own line ends, and inside json.dumps has escaped those.
    if text.isprintable():
        return text
    return "".join(
        character if character == "\n" or character.isprintable() else json.dumps(character)[1:-1] for character in text
    )

"""Text that somebody else made, as it may be shown: nothing in it can steer a terminal or forge a line."""

import json
from typing import Any

_LAYOUT = "\n\t"


def printable(text: str, *, lines: bool = False) -> str:
    r"""The text with everything invisible as \x.., \u....: control and bidirectional characters, odd spaces, line ends.

    With `lines` its line ends and tabs stay.
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() or (lines and each in _LAYOUT) else _visible(each) for each in text)


def _visible(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def json_text(value: Any, *, indent: int | None = None) -> str:
    """The value as JSON that can be read and printed: invisible characters are escaped, all others stay."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    # Outside of strings JSON has nothing invisible but our own line ends, and inside json.dumps has escaped those.
    return text if text.isprintable() else "".join(each if _stays(each) else json.dumps(each)[1:-1] for each in text)


def _stays(character: str) -> bool:
    return character == "\n" or character.isprintable()

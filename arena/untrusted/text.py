"""Sanitisers of untrusted text: nothing that they return can steer a terminal or forge a line."""

import json
from itertools import islice
from typing import Any

_LAYOUT = "\n\t"
_GROWTH = 1 << 16
"""By how many characters bytes may grow when they are escaped; an ordinary log never grows by so many."""
_BLOCK = 1 << 15
"""Characters that are escaped at a time: a thread that does it never holds the interpreter's lock for long."""
_FEW = 12
"""The number of different unprintable characters up to which a block is text, in which only these are escaped."""


def printable(text: str, *, lines: bool = False) -> str:
    r"""The text with everything invisible as \x.., \u....: control and bidirectional characters, odd spaces, line ends.

    With `lines` its line ends and tabs stay.
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or (lines and character in _LAYOUT) else _escaped(character)
        for character in text
    )


def escaped(text: str, *, limit: int = 200) -> str:
    r"""The first `limit` characters in ASCII, all others as \x.., \u....: for text out of files and network replies."""
    return text[:limit].encode("unicode_escape").decode("ascii")


def quoted(name: str) -> str:
    """A file name as an ASCII literal in quotes, shortened to 60 characters."""
    return ascii(name if len(name) <= 60 else f"{name[:57]}...")


def printable_bytes(raw: bytes) -> str:
    r"""The same for UTF-8 of any size, in bounded time: everything unprintable or invalid as \x.., only line ends stay.

    Escaped, a byte may become four characters; only a bounded number of them is returned, the newest.
    """
    # An invalid byte becomes a lone surrogate, which no valid UTF-8 holds: far cheaper than `backslashreplace`.
    text = raw.decode("utf-8", errors="surrogateescape")
    most = len(raw) + _GROWTH
    blocks: list[str] = []
    remaining = most
    for end in range(len(text), 0, -_BLOCK):
        blocks.append(_escape_block(text[max(0, end - _BLOCK) : end]))
        remaining -= len(blocks[-1])
        if remaining <= 0:
            break
    return "".join(reversed(blocks))[-most:]


def _escape_block(text: str) -> str:
    """Escape a piece of text by a few passes over the whole, never one character after the other."""
    if text.replace("\n", "").isprintable():
        return text
    # Bidirectional overrides and other invisible format characters are not printable either.
    found = (character for character in set(text) if not character.isprintable() and character != "\n")
    unprintable = list(islice(found, _FEW + 1))
    if len(unprintable) > _FEW:
        return _escape_to_ascii(text)
    for character in unprintable:
        text = text.replace(character, _escape_to_ascii(character))
    return text


def _escape_to_ascii(text: str) -> str:
    """Escape all that is not printable ASCII, for a block that holds too many different unprintable characters."""
    coded = _escaped(text).replace("\\\\", "\0")  # now every backslash begins an escape of a character
    return coded.replace(r"\n", "\n").replace(r"\udc", r"\x").replace("\0", "\\")


def _escaped(text: str) -> str:
    return text.encode("unicode_escape").decode("ascii")


def json_text(value: Any, *, indent: int | None = None) -> str:
    """The value as JSON that can be read and printed: invisible characters are escaped, all others stay."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if text.isprintable():
        return text
    # Outside of strings JSON has nothing invisible but our own line ends, and inside json.dumps has escaped those.
    return "".join(character if _stays(character) else json.dumps(character)[1:-1] for character in text)


def _stays(character: str) -> bool:
    return character == "\n" or character.isprintable()

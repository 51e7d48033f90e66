"""An operation of the API: its address, its parameters, its answer, and who may ask for it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from arena.service.access import Thing
from arena.service.refusals import Refusal

MAX_NUMBER = 2**31 - 1
"""The largest id that a column holds."""
PAGE = 50
"""Entries of a page, if nobody says how many."""
MAX_PAGE = 200


@dataclass(frozen=True, slots=True)
class Parameter:
    """Something that a request says: in the path, in the query, or in a header."""

    name: str
    place: str
    about: str
    number: bool = False
    pattern: str = "[^\\x00-\\x1f\\x7f]{1,80}"
    highest: int = MAX_NUMBER
    needed: bool = False

    @property
    def required(self) -> bool:
        """Whether there is no request without it."""
        return self.needed or self.place == "path"

    def read(self, text: str) -> Any:
        """The value; Refusal if it is none."""
        if not self.number:
            if not re.fullmatch(self.pattern, text):
                raise Refusal(400, f"{self.name} is not valid: {self.about}")
            return text
        if not (text.isascii() and text.isdigit() and len(text) < 12 and 1 <= int(text) <= self.highest):
            raise Refusal(400, f"{self.name} must be a number from 1 to {self.highest}")
        return int(text)


@dataclass(frozen=True, slots=True)
class Answer:
    """What comes back: one value, or a page of them."""

    kind: type
    many: bool = False
    paged: bool = False
    """Whether there may be a next page."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that can be asked of the API."""

    method: str
    path: str
    name: str
    summary: str
    answer: Answer | None
    """None if it is a file."""
    handle: Callable[..., Any]
    thing: Thing
    """What it shows or changes: who may see that may ask for it."""
    parameters: Sequence[Parameter] = ()
    uploads: bool = False
    """Whether the body is a file."""


BEFORE = Parameter("before", "query", "the `next` of the page before", number=True)
LIMIT = Parameter("limit", "query", f"entries of a page, at most {MAX_PAGE}", number=True, highest=MAX_PAGE)
GAME = Parameter("game", "query", "only of this game", pattern="[a-z][a-z0-9_]{0,39}")


@dataclass(frozen=True, slots=True)
class Batch:
    """A page of answers."""

    items: Sequence[Any]
    next: int | None = None


def batch(found: Sequence[Any], limit: int, make: Callable[[Any], Any], number: Callable[[Any], int]) -> Batch:
    """A page of what was found; the next one begins before its last number, if it is full."""
    return Batch([make(one) for one in found], number(found[-1]) if len(found) == limit else None)

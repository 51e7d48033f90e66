"""A page: a title, and below it drawings and tables, in one file without a single request to anywhere."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table; text is escaped when it is shown."""

    text: str
    number: bool = False
    """Numbers stand at the right."""
    style: str = ""
    head: bool = False
    """It names its row."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page: a drawing, a table, and a note below them."""

    title: str = ""
    drawings: Sequence[Markup] = ()
    columns: Sequence[Cell] = ()
    rows: Sequence[Sequence[Cell]] = ()
    note: str = ""
    caption: str = field(default="", kw_only=True)
    """What the table shows, for those who hear it."""


def render(title: str, subtitle: str, sections: Sequence[Section]) -> str:
    """The page as HTML."""
    environment = Environment(
        loader=PackageLoader("arena.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    return environment.get_template("page.html").render(title=title, subtitle=subtitle, sections=sections)

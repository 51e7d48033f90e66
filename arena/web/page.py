"""A report: a title, and below it drawings and tables, in one file without a single request to anywhere."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from arena.web.rendering import Form, Page, SiteContext
from arena.web.rendering import render as render_page


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table; text is escaped when it is shown."""

    text: str
    number: bool = False
    """Numbers stand at the right."""
    style: str = ""
    """Its classes."""
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
    data = {"subtitle": subtitle, "sections": sections}
    return render_page(Page("report.html", "report.html", title, subtitle, data), SiteContext(form=Form.SINGLE))

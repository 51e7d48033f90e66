"""Rich console markup as runs of text with class names, so that a browser shows it without ever reading HTML."""

from collections.abc import Iterator
from itertools import pairwise

from rich.style import Style
from rich.text import Text

Run = str | list[str]
"""Plain text, or text and the names of its classes."""

_COLOURS = frozenset(("red", "green", "yellow", "blue", "magenta", "cyan"))


def runs(text: Text) -> list[Run]:
    """The text in pieces of one style each; concatenated they are the whole text."""
    return [list(piece) if piece[1] else piece[0] for piece in _pieces(text)]


def lines(markup: str) -> list[list[Run]]:
    """Every line of a text in Rich markup, in pieces."""
    return [runs(line) for line in Text.from_markup(markup, emoji=False).split("\n", allow_blank=True)]


def _pieces(text: Text) -> Iterator[tuple[str, str]]:
    plain = text.plain
    cuts = sorted({0, len(plain), *(min(cut, len(plain)) for span in text.spans for cut in (span.start, span.end))})
    for start, end in pairwise(cuts):
        styles = [Style.parse(str(span.style)) for span in text.spans if span.start <= start and end <= span.end]
        yield plain[start:end], _classes(Style.combine(styles) if styles else Style.null())


def _classes(style: Style) -> str:
    """The style as names of classes: colours that the page has in light and in dark, bold, dim, and a shaded ground."""
    names = [name for name, wanted in (("bold", style.bold), ("dim", style.dim), ("shade", style.bgcolor)) if wanted]
    colour = style.color.name.removeprefix("bright_") if style.color else ""
    if colour in _COLOURS:
        names.append(f"ink-{colour}")
    elif colour.startswith("grey"):
        names.append("dim")
    return " ".join(names)

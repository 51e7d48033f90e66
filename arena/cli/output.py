"""What commands print: text that others made is shown as it is, and steers neither the terminal nor Rich."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.markup import escape
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from arena.errors import UsageError
from arena.untrusted.text import json_text, printable


def echo(message: str, *, err: bool = False) -> None:
    """Print lines that may contain untrusted text."""
    click.echo(printable(message, lines=True), err=err)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """UsageError for a file that cannot be written."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error


def warn(message: str) -> None:
    """Tell the user something beside the results; a stderr that nobody reads costs nothing."""
    with suppress(OSError):
        echo(message, err=True)


def print_json(value: Any, *, err: bool = False) -> None:
    """Print a result for programs: alone on stdout, or on stderr where stdout belongs to a log of events."""
    click.echo(json_text(value, indent=2), err=err)


def marked(text: str) -> str:
    """Text of others on one line inside Rich markup."""
    return escape(printable(text))


class Cell(Text):
    """Text in a cell of a Rich table, which looks as Rich's own does and takes less time where it fits on one line."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterable[Segment]:
        """The text with blanks up to the width of its cell; what is styled, folded or centred is left to Rich."""
        text = self.plain.rstrip() if options.justify == "right" else self.plain
        blanks = " " * (options.max_width - cell_len(text))
        if self.spans or self.style or self.cell_len > options.max_width or options.justify not in ("left", "right"):
            yield from super().__rich_console__(console, options)
        else:
            yield Segment(blanks + text if options.justify == "right" else text + blanks)


def cell(text: str) -> Text:
    """Text of others in a cell of a Rich table."""
    return Cell(printable(text))


def plain_console(**options: Any) -> Console:
    """A console that changes nothing in what it prints: no colours for numbers, no pictures for words in colons."""
    return Console(highlight=False, emoji=False, **options)


def narrow_table(*names: str, **options: Any) -> Table:
    """A table that gives its columns as much of 80 characters as it can; in those named here no text is cut off."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), **options)
    for name in names:
        table.add_column(name, overflow="fold")
    return table

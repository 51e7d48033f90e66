"""What commands print: text that others made is shown as it is, and steers neither the terminal nor Rich."""

from contextlib import suppress
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from arena.untrusted.text import printable


def echo(message: str, *, err: bool = False) -> None:
    """Print lines in which others may have a say."""
    click.echo(printable(message, lines=True), err=err)


def warn(message: str) -> None:
    """Tell the user something beside the results; a stderr that nobody reads costs nothing."""
    with suppress(OSError):
        echo(message, err=True)


def marked(text: str) -> str:
    """Text of others on one line inside Rich markup."""
    return escape(printable(text))


def cell(text: str) -> Text:
    """Text of others in a cell of a Rich table."""
    return Text(printable(text))


def plain_console(**options: Any) -> Console:
    """A console that changes nothing in what it prints: no colours for numbers, no pictures for words in colons."""
    return Console(highlight=False, emoji=False, **options)


def narrow_table(*names: str, **options: Any) -> Table:
    """A table that gives its columns as much of 80 characters as it can; in those named here no text is cut off."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), **options)
    for name in names:
        table.add_column(name, overflow="fold")
    return table

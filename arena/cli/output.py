"""What commands print: text that others made is shown as it is, and steers neither the terminal nor Rich."""

from contextlib import suppress
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
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

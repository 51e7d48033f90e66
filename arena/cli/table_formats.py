"""The forms that every table has: for people, JSON, CSV, and a page for the browser."""

import csv
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from arena.cli.options import json_option, option_group
from arena.cli.output import cell, echo, narrow_table, plain_console, print_json, writing
from arena.errors import UsageError
from arena.untrusted.text import printable

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""A spreadsheet takes a cell that begins like this for a formula, or for the end of the one before."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table in all of its forms; only the one that is asked for is made."""

    rows: Sequence[Mapping[str, Any]]
    page: Callable[[], str] | None
    """What --html writes, where there is such an option."""
    show: Callable[[], None]
    notes: Callable[[], None] = lambda: None
    """Prints what is to be known about the rows, below the columns that a user has chosen."""


_csv_option = click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
_columns_option = click.option(
    "--columns",
    metavar="NAME,NAME…",
    help="Only these columns, of those of --json, in this order: in the terminal, JSON or CSV.",
)
list_options = option_group(json_option, _csv_option, _columns_option)
"""The options that choose a form of a list that has no page of its own."""
form_options = option_group(
    json_option,
    _csv_option,
    click.option(
        "--html",
        metavar="[FILE]",
        is_flag=False,
        flag_value="-",
        default=None,
        help="Write a page with a plot that needs no network; without FILE it is printed.",
    ),
    _columns_option,
)
"""The options that choose a form."""


def print_table(table: Table, *, as_json: bool, as_csv: bool, columns: str | None, html: str | None = None) -> None:
    """Print the table in the form that was asked for."""
    if as_json + as_csv + (html is not None) > 1:
        raise UsageError(f"choose one of --json{', --csv and --html' if table.page else ' and --csv'}")
    if html is not None and columns is not None:
        raise UsageError("--columns are for the terminal, --json and --csv: a page has all of them")
    rows = table.rows if columns is None else _chosen(table.rows, columns.split(","))
    if as_json:
        print_json(rows)
    elif as_csv:
        _print_csv(rows)
    elif html is not None and table.page:
        _write_page(table.page(), html)
    elif columns is None or not rows:
        table.show()
    else:
        _print_plain(rows)
        table.notes()


def _chosen(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> list[dict[str, Any]]:
    """The rows with these columns alone; UsageError if there is none of that name."""
    known = list(rows[0]) if rows else columns
    for name in columns:
        if name not in known:
            raise UsageError(f"there is no column {name!r}: choose among {', '.join(known)}")
    return [{name: row[name] for name in columns} for row in rows]


def _print_plain(rows: Sequence[Mapping[str, Any]]) -> None:
    """A table for people with the columns of --json."""
    shown = narrow_table()
    for name, value in rows[0].items():
        shown.add_column(name, overflow="fold", justify="left" if isinstance(value, (str, list)) else "right")
    for row in rows:
        shown.add_row(*(cell(_shown(value)) for value in row.values()))
    plain_console().print(shown)


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value)
    return f"{value:.3f}" if isinstance(value, float) else "" if value is None else str(value)


def duration(seconds: float) -> str:
    """A time for people, such as 41s, 3m20s or 1h5m; seconds no longer matter when there are hours."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "m"), (0 if hours else rest, "s"))
    return "".join(f"{number}{unit}" for number, unit in parts if number) or "0s"


def _print_csv(rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        writer = csv.DictWriter(sys.stdout, list(rows[0]))
        writer.writeheader()
        writer.writerows({key: _plain(value) for key, value in row.items()} for row in rows)


def _plain(value: Any) -> Any:
    """A text that no spreadsheet runs as a formula and no terminal obeys; numbers are left alone."""
    if isinstance(value, list):
        value = ", ".join(value)
    if not isinstance(value, str):
        return value
    return printable(f"'{value}" if value.startswith(_FORMULA) else value)


def _write_page(page: str, where: str) -> None:
    if where == "-":
        echo(page)
        return
    with writing(Path(where)):
        Path(where).write_text(page, encoding="utf-8")
    click.echo(f"wrote {where}")

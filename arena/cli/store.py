"""Where the store is, for every command that needs it."""

import os
from collections.abc import Callable
from pathlib import Path

import click
from platformdirs import user_data_path

from arena.cli.output import warn
from arena.errors import UsageError
from arena.store.base import Store
from arena.store.sql import SqlStore

_NEW = "arena.cli.store.new"
"""Where a command keeps in mind that its store is new."""


def db_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add the option that says where the store is."""
    return click.option(
        "--db",
        metavar="FILE|URL",
        default=lambda: os.environ.get("ARENA_DB") or str(default_path()),
        show_default="ARENA_DB, else a file in your data folder",
        help="The store: an SQLite file, or postgresql://user@host/name.",
    )(command)


def default_path() -> Path:
    """The file in the user's data folder."""
    return user_data_path("arena") / "arena.db"


def open_store(where: str, *, make: bool = False) -> Store:
    """The store there, closed when the command ends; only a command that writes makes a new one where the user says.

    A mistyped name would otherwise be an empty store, and look as if nothing had ever been played.
    """
    if "://" not in where and where != str(default_path()) and not Path(where).exists():
        if not make:
            raise UsageError(f"there is no store at {where}: look at --db; a tournament, test or submission makes one")
        click.get_current_context().meta[_NEW] = where
    store = SqlStore(where)
    if (context := click.get_current_context(silent=True)) is not None:
        context.call_on_close(store.close)
    return store


def open_store_to_read(where: str) -> Store:
    """The store there, through which nothing can be written; UsageError if there is none."""
    store = SqlStore(where, read_only=True)
    if (context := click.get_current_context(silent=True)) is not None:
        context.call_on_close(store.close)
    return store


def say_if_new() -> None:
    """Say that this command has made the store, once something is in it."""
    if where := click.get_current_context().meta.pop(_NEW, None):
        warn(f"a new store is made: {where}")


def bots_folder(where: str) -> Path:
    """Where the folders of submitted bots are kept: beside an SQLite file, else in the user's data folder."""
    folder = default_path() if "://" in where else Path(where).absolute()
    return folder.parent / "bots"

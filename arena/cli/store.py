"""Where the store is, for every command that needs it."""

import os
from collections.abc import Callable
from pathlib import Path

import click
from platformdirs import user_cache_path, user_data_path

from arena.cli.output import warn
from arena.errors import UsageError
from arena.store.bot_files import folder_beside
from arena.store.database import FILE_ENDINGS
from arena.store.failures import OutdatedSchema
from arena.store.sql import Store

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
    if not _exists(where) and where != str(default_path()):
        if not make:
            raise UsageError(f"there is no store at {where}: look at --db; a tournament, test or submission makes one")
        click.get_current_context().meta[_NEW] = where
    store = Store(where, bots_folder=bots_folder(where), earlier_bots_folder=_earlier(where))
    if (context := click.get_current_context(silent=True)) is not None:
        context.call_on_close(lambda: _close(store, unannounced=context.meta.get(_NEW)))
    return store


def _close(store: Store, *, unannounced: str | None) -> None:
    """Close the store; one that a refused command made, and in which nothing was played, is taken away again."""
    unused = unannounced is not None and _is_empty(store)
    store.close()
    if unused:
        for ending in FILE_ENDINGS:
            Path(f"{unannounced}{ending}").unlink(missing_ok=True)


def _is_empty(store: Store) -> bool:
    """Whether nothing was played and nobody handed anything in; sample bots come with the next tournament."""
    from arena.bots.reserved import OLD_BUILTIN, SAMPLE_OWNER  # noqa: PLC0415  (whoever only reads needs no bots)

    strangers = (bot for bot in store.all_bots() if bot.on_ladder and bot.owner not in (SAMPLE_OWNER, OLD_BUILTIN))
    return not store.tournament_summaries(limit=1) and next(strangers, None) is None


def _exists(where: str) -> bool:
    return "://" in where or Path(where).exists()


def read_store(where: str) -> Store:
    """The store there for a command that only reads: one of an older Arena is brought up to date, unless it is in use.

    Where nothing was ever played there is none in the data folder either, and then it is empty.
    """
    if not _exists(where):
        return open_store(where)
    try:
        return open_store_to_read(where)
    except OutdatedSchema:
        Store(where).close()
        return open_store_to_read(where)


def open_store_to_read(where: str) -> Store:
    """The store there, through which nothing can be written; UsageError if there is none."""
    store = Store(where, read_only=True, bots_folder=bots_folder(where), earlier_bots_folder=_earlier(where))
    if (context := click.get_current_context(silent=True)) is not None:
        context.call_on_close(store.close)
    return store


def say_if_new() -> None:
    """Say that this command has made the store, once something is in it."""
    if where := click.get_current_context().meta.pop(_NEW, None):
        warn(f"a new store is made: {where}")


def bots_folder(where: str) -> Path:
    """From where submitted bots are run: the folder beside an SQLite file; for PostgreSQL, which has them, a cache."""
    return folder_beside(where) or user_cache_path("arena") / "bots"


def _earlier(where: str) -> Path | None:
    """Where the files of bots lay before PostgreSQL had them: in the user's data folder."""
    return None if folder_beside(where) else default_path().parent / "bots"

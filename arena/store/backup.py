"""A copy of an SQLite database as it is at one moment, made while others go on writing to it."""

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from arena.errors import UsageError
from arena.store.database import BUSY_MS
from arena.store.failures import explain


def copy_sqlite(path: Path, copy: Path) -> list[str]:
    """Copy the store to a new file, whatever its form is; the digests of its bots.

    What is true only at present stays out: nobody plays with the copy.
    """
    copy_database(path, copy, without="runs")
    try:
        with closing(sqlite3.connect(copy)) as copied:
            return [digest for (digest,) in copied.execute("SELECT DISTINCT digest FROM bots ORDER BY digest")]
    except sqlite3.Error as error:
        raise explain(error, str(path)) from error


def copy_database(path: Path, copy: Path, *, without: str) -> None:
    """Copy a database to a new file, whatever its form is; the rows of one table stay out."""
    if not path.is_file():
        raise UsageError(f"there is no store {path}: name an SQLite file with --db")
    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    try:
        with (
            closing(sqlite3.connect(address, uri=True, timeout=BUSY_MS / 1000)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            source.backup(target)  # in one step: a writer would make it begin again after every other one
            target.execute("PRAGMA journal_mode=DELETE")  # so that it is one file
            target.execute(f"DELETE FROM {without}")  # noqa: S608  (a name of ours)
            target.commit()
    except sqlite3.Error as error:
        raise explain(error, str(path)) from error

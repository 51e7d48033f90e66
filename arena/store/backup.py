"""A copy of an SQLite database as it is at one moment, made while others go on writing to it."""

import sqlite3
from collections.abc import Callable
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
    digests = list[str]()

    def settle(target: sqlite3.Connection) -> None:
        digests.extend(digest for (digest,) in target.execute("SELECT DISTINCT digest FROM bots ORDER BY digest"))
        target.execute("DELETE FROM runs")
        if target.execute("SELECT 1 FROM sqlite_master WHERE name = 'leases'").fetchone():  # it may be an older form
            target.execute("UPDATE leases SET holder = NULL")

    copy_database(path, copy, settle)
    return digests


def copy_database(path: Path, copy: Path, settle: Callable[[sqlite3.Connection], None]) -> None:
    """Copy a database to a new file, in which what is true only at present is settled then."""
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
            settle(target)
            target.commit()
    except sqlite3.Error as error:
        raise explain(error, str(path)) from error

"""Stores as earlier versions left them: files that they wrote, kept as SQL, and new stores taken back to their form."""

import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import create_engine, text

from arena.store.sql import Store

OLDEST = "0008"
"""The oldest form that is brought up to date, and the only one whose checksums cover what bots printed."""
WRITTEN = (OLDEST, "0009", "0010")
"""The forms of which there is a file: a round robin of three bots that printed, by cdab962, 6922469 and 0c87df9."""
TAKE_BACK = (
    "ALTER TABLE outputs DROP COLUMN by_move",
    "ALTER TABLE tournaments DROP COLUMN changes",
    "DROP TABLE leases",
    "DROP TABLE file_pieces",
    "DROP TABLE packed_files",
)


def written(path, revision):
    """The file that the earlier version with this form wrote."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((Path(__file__).parent / "stores" / f"{revision}.sql").read_text())
    return path


def plain_engine(address):
    """The database there, whatever is in it."""
    url = address.replace("postgresql://", "postgresql+psycopg://") if "://" in address else f"sqlite:///{address}"
    return create_engine(url)


def make(address, revision=OLDEST):
    """The store there, or a new one, in the oldest form, with the number of this revision; the engine on it."""
    Store(address).close()
    engine = plain_engine(address)
    with engine.begin() as connection:
        for statement in TAKE_BACK:
            connection.execute(text(statement))
        connection.execute(text("UPDATE alembic_version SET version_num = :number"), {"number": revision})
    return engine

"""`arena backup` and `arena restore`: a whole store as one file."""

import os
from pathlib import Path

import click

from arena.cli.options import json_option
from arena.cli.output import echo, print_json
from arena.cli.store import bots_folder, db_option
from arena.errors import UsageError
from arena.intake import backup_file
from arena.intake.folder_storage import FolderStorage
from arena.store.backup import copy_sqlite
from arena.store.database import FILE_ENDINGS
from arena.untrusted.text import printable
from arena.web.formats import counted


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@json_option
@db_option
def backup(file: Path, as_json: bool, db: str) -> None:
    """Write the whole store to FILE, even while tournaments run.

    In it are the database, as it is at one moment, and the folders of submitted bots. Not in it are images of docker,
    folders that were named with --bots and not submitted, and your keys. An older FILE is replaced when the new one is
    complete.

    --json prints file, store, and bots: of how many the folders are in it.

    \b
    arena backup cup.tar
    arena restore cup.tar --db elsewhere/arena.db
    """
    if "://" in db:
        raise UsageError(
            "a store in PostgreSQL is copied by its own program: pg_dump --format=custom --file=FILE URL, with the URL "
            "of --db; the files of submitted bots are in it (`arena docs keeping`)"
        )
    count = write_store(file, db)
    _report(as_json, file, db, count, f"wrote {file}: the store {db}")


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_option
@db_option
def restore(file: Path, as_json: bool, db: str) -> None:
    """Make a new store of the backup in FILE.

    It is made where --db says, with the folders of submitted bots in the folder `bots` beside it. A store that is
    there already is never replaced. FILE has to be one of your own: what is in its tables is taken as it is (`arena
    verify` proves it, and `arena import` proves what a stranger hands you).

    --json prints file, store, and bots: of how many the folders were in it.
    """
    if "://" in db:
        raise UsageError(
            "a store in PostgreSQL is put back by its own program: pg_restore --dbname=URL FILE, into an empty "
            "database (`arena docs keeping`); without --db the backup of an SQLite store becomes one again"
        )
    count = restore_store(file, db)
    _report(as_json, file, db, count, f"made the store {db} of {file}")


def write_store(file: Path, db: str) -> int:
    """Write an SQLite store with the folders of its bots to a file; of how many they are in it."""
    copy = file.with_name(f".{file.name}.database")
    try:
        copy.unlink(missing_ok=True)  # of one that was killed
        storage, digests = FolderStorage(bots_folder(db)), copy_sqlite(Path(db), copy)
        held = {digest: storage.fetch(digest) for digest in digests if digest and storage.has(digest)}
        backup_file.write(file, backup_file.DATABASE, copy, held)
    finally:
        copy.unlink(missing_ok=True)
    return len(held)


def restore_store(file: Path, db: str) -> int:
    """Make a new SQLite store of such a file; of how many bots the folders were in it."""
    path = Path(db)
    if path.exists():
        raise _taken(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial, storage = path.with_name(f".{path.name}.{os.getpid()}.restoring"), FolderStorage(bots_folder(db))
    try:
        backup_file.read(file, backup_file.DATABASE, partial)
        count = len(backup_file.read_bots(file, backup_file.DATABASE, storage))
        _put(partial, path)
    finally:
        for ending in FILE_ENDINGS:
            partial.with_name(f"{partial.name}{ending}").unlink(missing_ok=True)
    return count


def _report(as_json: bool, file: Path, db: str, bots: int, done: str) -> None:
    if as_json:
        print_json({"file": str(file), "store": db, "bots": bots})
    else:
        echo(f"{printable(done)}, with the folders of {counted(bots, 'bot')}")


def _put(partial: Path, path: Path) -> None:
    """Give the finished file its name, unless somebody else has taken that meanwhile."""
    try:
        path.touch(exist_ok=False)
    except FileExistsError as error:
        raise _taken(path) from error
    partial.replace(path)


def _taken(path: Path) -> UsageError:
    return UsageError(f"there is a store {path} already, and nothing is replaced: name a new file with --db")

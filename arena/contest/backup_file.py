"""A whole contest as one file: a tar of contest.toml, the backup of its results, its people and their uploads."""

import os
import re
import sqlite3
import tarfile
from collections.abc import Mapping
from pathlib import Path

from arena.contest.settings import FILE
from arena.errors import UsageError
from arena.store.backup import copy_database
from arena.untrusted.filetree import map_read_errors
from arena.untrusted.tar import Content, Kind, read_members

RESULTS, PEOPLE, UPLOADS = "results.tar", "people.db", "uploads"
_UPLOAD = re.compile(rf"{UPLOADS}/[0-9a-f]{{64}}")
_CHUNK = 1 << 20


def copy_people(path: Path, copy: Path) -> None:
    """Copy the people of a contest in SQLite to a new file, in which nobody is logged in."""

    def settle(target: sqlite3.Connection) -> None:
        target.execute("DELETE FROM sessions")

    copy_database(path, copy, settle)


def upload_member(digest: str) -> str:
    """What an upload is called in the file."""
    return f"{UPLOADS}/{digest}"


def write(path: Path, parts: Mapping[str, Path]) -> None:
    """Write these files under their names, whole or not at all; only the owner of the file can read it."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.unlink(missing_ok=True)
        with (
            open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file,
            tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as backup,
        ):
            for name, part in parts.items():
                _add(backup, name, part)
            file.flush()
        partial.replace(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)


def read(path: Path, folder: Path) -> None:
    """Put the parts into a new folder, under their names; UsageError if it is no such file."""
    found = set[str]()
    with map_read_errors(path.name), path.open("rb") as file:
        for member, content in read_members(file, path.name):
            known = member.name in (FILE, RESULTS, PEOPLE) or _UPLOAD.fullmatch(member.name)
            if member.kind is not Kind.FILE or not known or member.name in found:
                raise _strange(path)
            found.add(member.name)
            _put(content, folder / member.name)
    if not {FILE, RESULTS, PEOPLE} <= found:
        raise _strange(path)


def _add(backup: tarfile.TarFile, name: str, part: Path) -> None:
    entry = tarfile.TarInfo(name)
    with part.open("rb") as file:
        entry.size = os.fstat(file.fileno()).st_size
        backup.addfile(entry, file)


def _put(content: Content, path: Path) -> None:
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            while piece := content.read(_CHUNK):
                file.write(piece)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error


def _strange(path: Path) -> UsageError:
    return UsageError(f"{path.name} is refused: it is no backup of a contest that Arena wrote")

"""Unpacks a submitted folder or archive after checking it; `unpack_submission` runs in a process with limits."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO

from arena.bots.manifest import MANIFEST, read_manifest
from arena.errors import InfraError, UsageError
from arena.intake.entries import Entry, Reader, checked_entries
from arena.intake.readers import archive_reader, map_archive_errors, read_folder
from arena.untrusted.tar import Kind
from arena.untrusted.text import quoted

_LATEST = 2**32 - 1
_CHUNK = 1 << 20


def unpack_submission(source: str, target: str, what: str) -> None:
    """Unpack a folder or an archive into a new folder, and look at what came out as those who use it will."""
    path = Path(source)
    unpack(partial(read_folder, path, what) if path.is_dir() else archive_reader(path), Path(target), what)
    root = bot_root(Path(target))
    for _ in checked_entries(partial(read_folder, root, what), what):  # a link may lead out of the inner folder
        pass
    if not (root / MANIFEST).is_file() or (root / MANIFEST).is_symlink():
        raise UsageError(f"{what} has no {MANIFEST}: `arena bot new` writes one")
    try:
        read_manifest(root)
    except UsageError as error:
        raise UsageError(f"{what}: {str(error).removeprefix(f'{root}/')}") from error


def bot_root(unpacked: Path) -> Path:
    """Where the files of the bot begin: an archive may hold its folder or the files in it."""
    inner = list(unpacked.iterdir())
    return inner[0] if len(inner) == 1 and inner[0].is_dir() and not inner[0].is_symlink() else unpacked


def unpack(read: Reader, target: Path, what: str) -> None:
    """Write everything that a reader finds into a new folder; it is looked through before the first byte is written."""
    for _ in checked_entries(read, what):
        pass
    with map_write_errors(what):
        target.mkdir()
    for entry, content in checked_entries(read, what):
        with map_write_errors(what):
            _write(entry, content, target, what)
    with map_write_errors(what):
        for top, _, _ in os.walk(target):
            os.chmod(top, 0o755)  # noqa: S103  (whatever our umask is, the user of a bot must be able to read it)


@contextmanager
def map_write_errors(what: str) -> Iterator[None]:
    """Turn an error of writing our copy into an InfraError: it is not the submitter's fault."""
    try:
        yield
    except OSError as error:
        raise InfraError(f"there is no place for a copy of {what}: {error.strerror or error}") from error


def _write(entry: Entry, content: IO[bytes] | None, folder: Path, what: str) -> None:
    path = folder / entry.name
    _check_inside(entry, path, folder, what)
    path.parent.mkdir(parents=True, exist_ok=True)
    if entry.kind is Kind.DIRECTORY:
        path.mkdir(exist_ok=True)
    elif entry.kind is Kind.SYMLINK:
        path.symlink_to(entry.target)
    elif entry.kind is Kind.HARDLINK:
        shutil.copy2(folder / entry.target, path)
    elif content is not None:
        _write_file(entry, content, path, what)


def _check_inside(entry: Entry, path: Path, folder: Path, what: str) -> None:
    """Look a second time, now at what lies on the disk: no check of names alone shall stand before a write."""
    leads_to = {Kind.SYMLINK: path.parent / entry.target, Kind.HARDLINK: folder / entry.target}.get(entry.kind, path)
    inside = Path(os.path.realpath(folder))
    if not all(Path(os.path.realpath(place)).is_relative_to(inside) for place in (path.parent, leads_to)):
        raise UsageError(f"{what}: {quoted(entry.name)} would lead out of the folder")


def _write_file(entry: Entry, content: IO[bytes], path: Path, what: str) -> None:
    mode = 0o755 if entry.mode & 0o100 else 0o644
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode), "wb") as file:
        os.fchmod(file.fileno(), mode)
        left = entry.size
        while left and (data := read_some(content, min(left, _CHUNK), what)):
            file.write(data)
            left -= len(data)
    if left:
        raise UsageError(f"{what}: {entry.name} is shorter than it says")
    # The program `make` compares these times, so a build must find them as they were.
    moment = min(max(0.0, entry.modified), _LATEST)
    os.utime(path, (moment, moment))


def read_some(content: IO[bytes], size: int, what: str) -> bytes:
    """The next bytes of a part of a submission."""
    with map_archive_errors(what):
        return content.read(size)

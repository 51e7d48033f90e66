"""Folders that are handed in: unpacked behind the gate, and built in a box."""

import os
import shutil
from functools import partial
from pathlib import Path
from typing import IO

from arena.bots import MANIFEST, Folder, read_manifest
from arena.errors import UsageError
from arena.sandboxes.base import BotDirectory
from arena.sandboxes.workshop import Workshop
from arena.submit.entries import Entry, Kind, Reader, passed
from arena.submit.readers import intelligible, read_folder

_LATEST = 2**32 - 1
_CHUNK = 1 << 20


def unpack(read: Reader, target: Path, what: str) -> None:
    """Write everything that a reader finds into a new folder; it is looked through before the first byte is written."""
    with intelligible(what):
        for _ in passed(read, what):
            pass
        target.mkdir()
        for entry, content in passed(read, what, target):
            _write(entry, content, target, what)
    for top, _, _ in os.walk(target):
        os.chmod(top, 0o755)  # noqa: S103  (whatever our umask is, the user of a bot must be able to read it)


def receive(read: Reader, workplace: Path, what: str) -> Folder:
    """The folder with the bot.toml, unpacked into the workplace; an archive may hold it or the files in it."""
    unpacked = workplace / "unpacked"
    unpack(read, unpacked, what)
    inner = list(unpacked.iterdir())
    root = inner[0] if len(inner) == 1 and inner[0].is_dir() and not inner[0].is_symlink() else unpacked
    for _ in passed(partial(read_folder, root), what):  # a link may lead out of the inner folder
        pass
    if not _is_plain_file(root / MANIFEST):
        raise UsageError(f"{what} has no {MANIFEST}: `arena bot new` writes one")
    try:
        return Folder(root, read_manifest(root))
    except UsageError as error:
        raise UsageError(f"{what}: {str(error).removeprefix(f'{root}/')}") from error


async def build(program: BotDirectory, target: Path, what: str) -> None:
    """Run the build command on a copy of the folder in a box, and take what it made out through the gate."""

    def collect(made: Path) -> None:
        unpack(partial(read_folder, made), target, f"what the build of {what} made")

    await Workshop(program).build(collect)


def _is_plain_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _write(entry: Entry, content: IO[bytes] | None, folder: Path, what: str) -> None:
    path = folder / entry.name
    path.parent.mkdir(parents=True, exist_ok=True)
    if entry.kind is Kind.FOLDER:
        path.mkdir(exist_ok=True)
    elif entry.kind is Kind.SYMLINK:
        path.symlink_to(entry.target)
    elif entry.kind is Kind.HARDLINK:
        shutil.copy2(folder / entry.target, path)
    elif content is not None:
        _write_file(entry, content, path, what)


def _write_file(entry: Entry, content: IO[bytes], path: Path, what: str) -> None:
    mode = 0o755 if entry.mode & 0o100 else 0o644
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode), "wb") as file:
        os.fchmod(file.fileno(), mode)
        left = entry.size
        while left and (data := content.read(min(left, _CHUNK))):
            file.write(data)
            left -= len(data)
    if left:
        raise UsageError(f"{what}: {entry.name} is shorter than it says")
    # The program `make` compares these times, so a build must find them as they were.
    moment = min(max(0.0, entry.modified), _LATEST)
    os.utime(path, (moment, moment))

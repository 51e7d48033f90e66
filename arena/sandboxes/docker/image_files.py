"""Checks of the files of an image before it is run: some would hang the daemon, or redirect a mount."""

import io
import os
import posixpath
import stat
import tarfile
from collections.abc import Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import IO, Any

from arena.errors import UsageError
from arena.untrusted.text import printable

DIRECTORIES = frozenset({"etc", "dev", "proc", "sys", "run", "run/bot", "tmp"})
"""Paths at which the daemon or we mount something or read as root: they must be folders, or missing."""
USER_FILES = frozenset({"etc/passwd", "etc/group"})
"""Files that the daemon reads whole when a container starts, without a time limit."""
MAX_USER_FILE_BYTES = 1 << 20
MAX_ETC_ENTRIES = 20_000
_MAX_NAME_BYTES = 4096
_SHOWN = 100
"""Characters of a name that an error message shows."""


class Kind(Enum):
    """The kind of an entry in a layer."""

    FILE = "a file"
    DIRECTORY = "a folder"
    LINK = "a link"
    SPECIAL = "a pipe, socket or device"


def with_parents(names: Iterable[str]) -> set[str]:
    """The names and all their parent folders."""
    found: set[str] = set()
    todo = set(names) - {""}
    while todo:
        found |= todo
        todo = {posixpath.dirname(name) for name in todo} - found - {""}
    return found


def directories_of(workdir: str) -> frozenset[str]:
    """The paths of an image that must be folders or missing: a link on the way to its WORKDIR could lead anywhere."""
    return DIRECTORIES | with_parents([workdir.strip("/")])


def check_entry(image: str, name: str, kind: Kind, size: int, directories: frozenset[str] = DIRECTORIES) -> None:
    """UsageError when an image may not have such an entry at that path."""
    if name in directories and kind is not Kind.DIRECTORY:
        raise UsageError(f"{image} has {kind.value} at /{name}, which must be a folder or missing")
    if name in USER_FILES and (kind is not Kind.FILE or size > MAX_USER_FILE_BYTES):
        found = kind.value if kind is not Kind.FILE else f"{size} bytes"
        raise UsageError(f"{image} has {found} at /{name}, which must be a file of at most 1 MiB or missing")
    if kind is Kind.SPECIAL and name.startswith("etc/"):
        raise UsageError(f"{image} has {kind.value} at /{printable(name[:_SHOWN])}: remove it")


class LayerCheck:
    """Checks the layers of an image, given as archives in any order."""

    def __init__(self, image: str, workdir: str = "") -> None:
        self._image = image
        self._directories = directories_of(workdir)
        self._links: set[str] = set()
        self._assumed: set[str] = set()

    def add(self, layer: Iterable[tarfile.TarInfo]) -> None:
        """Check every entry of a layer; UsageError at the first that is not allowed."""
        links: set[str] = set()
        directories: set[str] = set()
        parents: set[str] = set()
        for entry in layer:
            name = posixpath.normpath("/" + entry.name).lstrip("/")
            if len(name) > _MAX_NAME_BYTES or ".." in entry.name.split("/"):
                raise UsageError(
                    f"{self._image} has a file with the name {printable(entry.name[:_SHOWN])}, which no image needs"
                )
            kind = _kind_of_entry(entry)
            check_entry(self._image, name, kind, entry.size, self._directories)
            parents.add(posixpath.dirname(name))
            if kind is Kind.LINK:
                links.add(name)
            elif kind is Kind.DIRECTORY:
                directories.add(name)
        self._links |= links
        self._assumed |= with_parents(parents) - directories
        self._refuse_links(links & with_parents(parents))

    def finish(self) -> None:
        """UsageError when the path of an entry leads through a link in another layer."""
        self._refuse_links(self._links & self._assumed)

    def _refuse_links(self, names: set[str]) -> None:
        for name in names:
            raise UsageError(f"{self._image} has files below /{printable(name[:_SHOWN])}, which is no folder")


def check_directories(image: str, layers: Iterable[Path], workdir: str) -> None:
    """Check the layers of an image as unpacked by the daemon; OSError when they cannot be read."""
    directories = directories_of(workdir)
    for layer in layers:
        if not layer.is_dir():
            raise FileNotFoundError(layer)
        for name in (*sorted(directories | USER_FILES), *_etc(layer)):
            found = _lstat(layer / name)
            if found is not None:
                check_entry(image, name, _kind_of_mode(found.st_mode), found.st_size, directories)


def check_saved(image: str, saved: IO[bytes], workdir: str) -> None:
    """Check the layers of an image in the archive format of `docker save`."""
    check, number = LayerCheck(image, workdir), 0
    try:
        with tarfile.open(fileobj=saved, mode="r|") as parts:
            for part in parts:
                content = parts.extractfile(part) if part.isreg() else None
                if content is not None and _is_layer(part.name, content):
                    number += 1
                    with tarfile.open(fileobj=content, mode="r|*") as layer:
                        check.add(layer)
    except (tarfile.TarError, EOFError) as error:
        raise UsageError(f"{image} cannot be looked through: {error}") from error
    check.finish()
    if number == 0:
        raise UsageError(f"{image} cannot be looked through: no layer was found in it")


class Chunks(io.RawIOBase):
    """A readable stream over an iterable of bytes."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Always True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes into the buffer; how many there were."""
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = memoryview(piece)
        count = min(len(buffer), len(self._rest))
        buffer[:count], self._rest = self._rest[:count], self._rest[count:]
        return count


def _etc(layer: Path) -> Iterator[str]:
    """The paths below /etc of a layer; that /etc is a folder was checked before."""
    count = 0
    for folder, directories, files in os.walk(layer / "etc"):
        for name in (*directories, *files):
            count += 1
            if count > MAX_ETC_ENTRIES:
                raise UsageError(f"an image may have at most {MAX_ETC_ENTRIES} files in /etc")
            yield Path(folder, name).relative_to(layer).as_posix()


def _lstat(path: Path) -> os.stat_result | None:
    """The status of a path; None if it does not exist, or is an overlay whiteout that hides a file of a lower layer."""
    try:
        found = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return None if stat.S_ISCHR(found.st_mode) and found.st_rdev == 0 else found


def _kind_of_mode(mode: int) -> Kind:
    kinds = {stat.S_IFREG: Kind.FILE, stat.S_IFDIR: Kind.DIRECTORY, stat.S_IFLNK: Kind.LINK}
    return kinds.get(stat.S_IFMT(mode), Kind.SPECIAL)


def _kind_of_entry(entry: tarfile.TarInfo) -> Kind:
    if entry.issym() or entry.islnk():
        return Kind.LINK  # a hard link may be one to a link
    return Kind.DIRECTORY if entry.isdir() else Kind.FILE if entry.isreg() else Kind.SPECIAL


def _is_layer(name: str, content: IO[bytes]) -> bool:
    """Whether a file of the archive is a layer; newer daemons store layers beside JSON files."""
    if name.startswith("blobs/"):
        return isinstance(content, io.BufferedReader) and content.peek(1)[:1] not in (b"{", b"[")
    return name.endswith("/layer.tar")

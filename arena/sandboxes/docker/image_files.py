"""Checks of the files of an image before it is run: some would hang the daemon, or redirect a mount."""

import gzip
import io
import json
import os
import posixpath
import stat
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from arena.errors import UsageError
from arena.untrusted import streams
from arena.untrusted.tar import Kind, Member, read_members
from arena.untrusted.text import printable

DIRECTORIES = frozenset({"etc", "dev", "proc", "sys", "run", "run/bot", "tmp"})
"""Paths at which the daemon or we mount something or read as root: they must be folders, or missing."""
USER_FILES = frozenset({"etc/passwd", "etc/group"})
"""Files that the daemon reads whole when a container starts, without a time limit."""
MAX_USER_FILE_BYTES = 1 << 20
MAX_ETC_ENTRIES = 20_000
_MAX_NAME_BYTES = 4096
_MAX_MANIFEST_BYTES = 1 << 20
_SHOWN = 100
"""Characters of a name that an error message shows."""


def with_parents(names: Iterable[str]) -> set[str]:
    """The names and all their parent folders."""
    found: set[str] = set()
    todo = set(names) - {""}
    while todo:
        found |= todo
        todo = {posixpath.dirname(name) for name in todo} - found - {""}
    return found


def path_in_image(name: str) -> str:
    """Where an entry of a layer lands, without slashes at the ends; "" for the root folder."""
    return posixpath.normpath("/" + name).lstrip("/")


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

    def add(self, layer: Iterable[Member]) -> None:
        """Check each entry of a layer before the next is asked for; UsageError at the first that is not allowed."""
        links: set[str] = set()
        others: set[str] = set()
        directories: set[str] = set()
        parents: set[str] = set()
        for entry in layer:
            name = path_in_image(entry.name)
            if len(name) > _MAX_NAME_BYTES or ".." in entry.name.split("/"):
                raise UsageError(
                    f"{self._image} has a file with the name {printable(entry.name[:_SHOWN])}, which no image needs"
                )
            check_entry(self._image, name, entry.kind, entry.size, self._directories)
            parents.add(posixpath.dirname(name))
            # A hard link may be one to a link.
            kinds = {Kind.DIRECTORY: directories, Kind.SYMLINK: links, Kind.HARDLINK: links}
            kinds.get(entry.kind, others).add(name)
        self._links |= links
        self._assumed |= with_parents(parents) - directories
        self._refuse_links((links | others) & with_parents(parents))

    def finish(self) -> None:
        """UsageError when the path of an entry leads through a link in another layer."""
        self._refuse_links(self._links & self._assumed)

    def _refuse_links(self, names: set[str]) -> None:
        for name in names:
            raise UsageError(f"{self._image} has files below /{printable(name[:_SHOWN])}, which is not a folder")


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


def check_saved(image: str, saved: IO[bytes], workdir: str, most: int) -> None:
    """Check the layers of an image of at most so many bytes in the archive format of `docker save`.

    The daemon writes a layer as it was handed in, so it is read as strictly as a stranger's archive.
    """
    check, looked_through, listed = LayerCheck(image, workdir), set[object](), list[object]()
    try:
        for part, packed in read_members(saved, image):
            content: io.BufferedReader = io.BufferedReader(packed)
            if part.name == "manifest.json":
                listed = _listed_layers(content.read(_MAX_MANIFEST_BYTES))
            elif part.kind is Kind.SYMLINK:
                looked_through.add(part.name)  # a layer that comes twice is a link to the first
            elif part.kind is Kind.FILE and _is_layer(part.name, content):
                looked_through.add(part.name)
                unpacked = streams.decompressed(content, packed_bytes=part.size, most=most, what=image)
                check.add(entry for entry, _ in read_members(unpacked, f"a layer of {image}"))
            content.detach()
    except (EOFError, ValueError, zlib.error, gzip.BadGzipFile) as error:
        raise UsageError(f"{image} cannot be checked: {error}") from error
    check.finish()
    if not listed:
        raise UsageError(f"{image} cannot be checked: no layer was found in it")
    # The first name in a layer is its author's choice, so that a layer can begin like a JSON file.
    if hidden := [name for name in listed if name not in looked_through]:
        raise UsageError(f"{image} cannot be checked: its layer {printable(str(hidden[0])[:_SHOWN])} is hidden")


def _listed_layers(manifest: bytes) -> list[object]:
    """The names of the layers of the one image in an archive of the daemon's."""
    match json.loads(manifest):
        case [{"Layers": list(names)}] if all(isinstance(name, str) for name in names):
            return names
    raise ValueError("its manifest does not list the layers of one image")


class Chunks(io.RawIOBase):
    """A readable stream over an iterable of bytes."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
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
    kinds = {stat.S_IFREG: Kind.FILE, stat.S_IFDIR: Kind.DIRECTORY, stat.S_IFLNK: Kind.SYMLINK}
    return kinds.get(stat.S_IFMT(mode), Kind.SPECIAL)


def _is_layer(name: str, content: io.BufferedReader) -> bool:
    """Whether a file of the archive is a layer; newer daemons store layers beside JSON files."""
    if name.startswith("blobs/"):
        return content.peek(1)[:1] not in (b"{", b"[")
    return name.endswith("/layer.tar")

"""Layers of images, written anew: the daemon never sees a header, a number or a byte between files from a stranger."""

import hashlib
import posixpath
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from typing import IO, NoReturn

from arena.errors import UsageError
from arena.sandboxes.docker import images
from arena.sandboxes.docker.image_files import LayerCheck, path_in_image
from arena.untrusted.tar import BLOCK, Content, Kind, Member, read_members
from arena.untrusted.text import quoted
from arena.untrusted.units import MIB

_CHUNK = 1 << 20
_MAX_TARGET = 4095
_MAX_ID = 0o7777777
_LATEST = 0o77777777777
"""The largest numbers that fit a header in plain octal."""
_HERE = "./"
_WHITEOUT = ".wh."
_OPAQUE = ".wh..wh..opq"
_TYPES = {
    Kind.FILE: tarfile.REGTYPE, Kind.DIRECTORY: tarfile.DIRTYPE, Kind.SYMLINK: tarfile.SYMTYPE,
    Kind.HARDLINK: tarfile.LNKTYPE,
}  # fmt: skip


class Budget:
    """What all layers of an image may take together when they are unpacked."""

    def __init__(self, what: str) -> None:
        self.size = 0
        self._entries = 0
        self._what = what

    def spend(self, size: int, entries: int) -> None:
        """Count entries with so many bytes; UsageError when it is too much."""
        self.size += size
        self._entries += entries
        if self.size > images.MAX_IMAGE_BYTES:
            raise UsageError(f"{self._what} unpacks to more than {images.MAX_IMAGE_BYTES // MIB} MiB")
        if self._entries > images.MAX_ENTRIES:
            raise UsageError(f"{self._what} has more than {images.MAX_ENTRIES} files and folders")


class LayerWriter:
    """Writes the checked entries of one layer as a plain archive: GNU headers of our own with octal numbers alone."""

    def __init__(self, target: IO[bytes], budget: Budget, what: str) -> None:
        self._target = target
        self._budget = budget
        self._what = what
        self._hash = hashlib.sha256()
        self._kinds: dict[str, Kind] = {"": Kind.DIRECTORY}
        """What is at each path by now, folders included that are only on the way to others."""

    def copy(self, layer: IO[bytes], check: LayerCheck) -> str:
        """Write all entries that may be in an image; the digest of what was written."""
        check.add(self._copied(layer))
        self._write(bytes(2 * BLOCK))
        return f"sha256:{self._hash.hexdigest()}"

    def _copied(self, layer: IO[bytes]) -> Iterator[Member]:
        """Each entry, which is written when whoever checks it asks for the next one."""
        for member, content in read_members(layer, f"a layer of {self._what}"):
            self._check(member)
            yield member
            entry = replace(member, name=path_in_image(member.name))
            if entry.kind is Kind.SPECIAL or not entry.name:
                continue  # a container has its own root folder and /dev
            self._place(entry)
            self._write(_header(entry))
            self._write_content(entry, content)

    def _check(self, entry: Member) -> None:
        name = path_in_image(entry.name)
        if entry.kind is Kind.SPECIAL and not name.startswith(("dev/", "etc/")):  # LayerCheck refuses those in /etc
            self._refuse(entry, f"{entry.kind.value}: remove it")
        if entry.kind is Kind.HARDLINK and self._kinds.get(path_in_image(entry.target)) is not Kind.FILE:
            self._refuse(entry, f"a hard link to {quoted(entry.target)}, which is not a file before it in its layer")
        if entry.kind is Kind.SYMLINK and not 0 < len(entry.target.encode(errors="surrogateescape")) <= _MAX_TARGET:
            self._refuse(entry, "a link that leads nowhere")
        if max(entry.uid, entry.gid) > _MAX_ID:
            self._refuse(entry, f"which belongs to user {entry.uid} of group {entry.gid}: chown it to 0:0")
        if any(part.startswith(_WHITEOUT) for part in name.split("/")):
            self._check_whiteout(entry, name)

    def _check_whiteout(self, entry: Member, name: str) -> None:
        """A file that removes one of a lower layer may name just that: `.wh...` would be the folder above."""
        folder, mark = posixpath.split(name)
        removed = mark.removeprefix(_WHITEOUT)
        plain = mark == _OPAQUE or not (removed in ("", ".", "..") or removed.startswith(_WHITEOUT))
        below = any(part.startswith(_WHITEOUT) for part in folder.split("/"))
        if entry.kind is not Kind.FILE or entry.size or below or not plain:
            self._refuse(entry, "which is not a valid mark of a removed file")

    def _place(self, entry: Member) -> None:
        """Note what is at this path; UsageError if something else is there in this layer."""
        there = self._kinds.get(entry.name)
        if there is not None and not (there is entry.kind is Kind.DIRECTORY):
            self._refuse(entry, "which is there twice")
        new, parent = int(there is None), posixpath.dirname(entry.name)
        while parent not in self._kinds:
            self._kinds[parent] = Kind.DIRECTORY
            parent, new = posixpath.dirname(parent), new + 1
        self._kinds[entry.name] = entry.kind
        self._budget.spend(entry.size, new)

    def _write_content(self, entry: Member, content: Content) -> None:
        while data := content.read(_CHUNK):
            self._write(data)
        self._write(bytes(-entry.size % BLOCK))

    def _write(self, data: bytes) -> None:
        self._hash.update(data)
        self._target.write(data)

    def _refuse(self, entry: Member, reason: str) -> NoReturn:
        raise UsageError(f"{self._what} has {quoted(entry.name)}, {reason}")


def _header(entry: Member) -> bytes:
    """A header of our own; setuid bits, times below the second and extended attributes do not come along."""
    # The daemon takes a layer for a compressed one by its first bytes, so these may not be the name of a file.
    header = tarfile.TarInfo(_HERE + entry.name)
    header.type, header.size, header.linkname = _TYPES[entry.kind], entry.size, entry.target
    header.mode = entry.mode & (0o1777 if entry.kind is Kind.DIRECTORY else 0o777)
    header.uid, header.gid = entry.uid, entry.gid
    header.mtime = min(max(0, entry.modified), _LATEST)
    if entry.kind is Kind.HARDLINK:
        header.linkname = _HERE + path_in_image(entry.target)
    return header.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")

"""Readers of the three forms of a submitted folder: the folder itself, a tar archive, a zip archive."""

import calendar
import gzip
import io
import lzma
import stat
import struct
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, NoReturn, Self

from arena.bots.files import is_left_out
from arena.errors import UsageError
from arena.intake.entries import MAX_ENTRIES, MAX_TOTAL_BYTES, Entries, Entry, Reader
from arena.untrusted import streams
from arena.untrusted.filetree import (
    MAX_PATH_BYTES,
    TreeEntry,
    TreeLimits,
    list_tree,
    map_read_errors,
    open_file,
    read_link,
)
from arena.untrusted.tar import Kind
from arena.untrusted.text import escaped, quoted
from arena.untrusted.units import MIB

_MAX_HEADER_BYTES = 1 << 12
"""Two long paths and a few notes: Python searches a header in a time that grows with the square of its size."""
_MAX_HEADERS_BYTES = 256 * MAX_ENTRIES
_MAX_GLOBAL_BYTES = 1 << 12
"""Of all headers that hold for every file after them, because Python copies them for each."""
_MAX_CHAIN = 8
_TAR_BYTES = MAX_TOTAL_BYTES + 2048 * MAX_ENTRIES
"""The largest tar that can pass the checks of `entries`, with its headers."""
_MAX_DIRECTORY_BYTES = 256 * MAX_ENTRIES
_ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Python unpacks the others without a bound on what one read gives."""
_DAMAGE = (
    tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, lzma.LZMAError, struct.error,
    EOFError, IndexError, KeyError, NotImplementedError, RecursionError, ValueError,
)  # fmt: skip


def archive_reader(path: Path) -> Reader:
    """The reader for an archive, by what it contains."""
    return partial(read_zip if is_zip(path) else read_tar, path)


def is_zip(path: Path) -> bool:
    """Whether it begins as a zip archive does."""
    with map_read_errors(path.name), path.open("rb") as file:
        return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


def read_folder(folder: Path, what: str) -> Entries:
    """The parts of a folder on this machine, parents first; links are not followed."""
    # The EntryChecker counts bytes itself, and names the file that has too many.
    limits = TreeLimits(MAX_ENTRIES, sys.maxsize)
    for found in list_tree(folder, limits, left_out=is_left_out, what=what):
        yield from _read_path(folder, found, what)


def _read_path(folder: Path, found: TreeEntry, what: str) -> Entries:
    kind, info = _KINDS.get(stat.S_IFMT(found.info.st_mode), Kind.SPECIAL), found.info
    target = read_link(folder, found, what) if kind is Kind.SYMLINK else ""
    size = info.st_size if kind is Kind.FILE else 0
    entry = Entry(name=found.name, kind=kind, size=size, mode=info.st_mode, target=target, modified=info.st_mtime)
    if kind is not Kind.FILE:
        yield entry, None
        return
    with open(open_file(folder, found, what), "rb") as content:
        yield entry, content


_KINDS = {stat.S_IFREG: Kind.FILE, stat.S_IFDIR: Kind.DIRECTORY, stat.S_IFLNK: Kind.SYMLINK}


class TarHeader(tarfile.TarInfo):
    """A tar header that refuses, before reading on, what would be expensive to read or is not accepted anyway."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """The header; UsageError if it announces another one that no honest archive has."""
        header = super().frombuf(buf, encoding, errors)
        if header.type in _EXTENSION_HEADERS and not 0 <= header.size <= _MAX_HEADER_BYTES:
            raise UsageError(_LONG)
        if header.type == tarfile.GNUTYPE_SPARSE:
            cls._refuse_sparse(header, header)
        return header

    def _refuse_sparse(self, sparse: tarfile.TarInfo, *_: object) -> NoReturn:
        raise UsageError(
            f"the archive holds {quoted(sparse.name)}, a sparse file; only files, folders and links are taken"
        )

    # Python reads the table of a sparse file by one of these, whole and without a bound.
    _proc_gnusparse_00 = _proc_gnusparse_01 = _proc_gnusparse_10 = _refuse_sparse


_LONG = "the archive has a name or a header that is too long"
_EXTENSION_HEADERS = (
    tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK,
)  # fmt: skip


class HeaderBudget:
    """Counts what the headers before the files of one archive take, and refuses it when that is too much."""

    def __init__(self) -> None:
        self._total = self._global = self._chain = 0

    def header(self) -> type[TarHeader]:
        """The kind of header that counts here."""
        count = self._count

        class Counted(TarHeader):
            @classmethod
            def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
                header = super().frombuf(buf, encoding, errors)
                count(header)
                return header

        return Counted

    def _count(self, header: tarfile.TarInfo) -> None:
        if header.type not in _EXTENSION_HEADERS:
            self._chain = 0
            return
        self._chain += 1
        self._total += header.size
        self._global += header.size if header.type == tarfile.XGLTYPE else 0
        if self._chain > _MAX_CHAIN or self._total > _MAX_HEADERS_BYTES or self._global > _MAX_GLOBAL_BYTES:
            raise UsageError(_LONG)


def members(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """The members of a tar archive, none of which is kept; Python would keep them all."""
    while (member := archive.next()) is not None:
        archive.members.clear()  # type: ignore[attr-defined]
        yield member


@contextmanager
def tar_stream(path: Path, most: int = _TAR_BYTES) -> Iterator[tarfile.TarFile]:
    """A tar archive, compressed or not, to be read once from front to back."""
    with map_archive_errors(path.name), path.open("rb") as file:
        content = streams.decompressed(file, packed_bytes=path.stat().st_size, most=most, what=path.name)
        with tarfile.open(fileobj=content, mode="r|", tarinfo=HeaderBudget().header()) as archive:
            yield archive


def read_tar(path: Path) -> Entries:
    """The parts of a tar archive."""
    with tar_stream(path) as archive:
        for member in members(archive):
            if member.name not in (".", ""):
                yield _tar_entry(member), archive.extractfile(member) if member.isreg() else None


def _tar_entry(member: tarfile.TarInfo) -> Entry:
    kind = Kind.SPECIAL
    if member.isreg() and not member.issparse():
        kind = Kind.FILE
    elif member.isdir():
        kind = Kind.DIRECTORY
    elif member.issym():
        kind = Kind.SYMLINK
    elif member.islnk():
        kind = Kind.HARDLINK
    target = member.linkname.removeprefix("./") if kind is Kind.HARDLINK else member.linkname
    return Entry(
        name=member.name.removeprefix("./"),
        kind=kind,
        size=member.size if member.isreg() else 0,
        mode=member.mode,
        target=target,
        modified=member.mtime,
    )


def read_zip(path: Path) -> Entries:
    """The parts of a zip archive."""
    with map_archive_errors(path.name), path.open("rb") as file:
        _check_directory(file, path)
        with zipfile.ZipFile(file) as archive:
            _check_ratio(archive, path)
            for member in archive.infolist():
                yield from _read_member(archive, member, path.name)


def _check_directory(file: IO[bytes], path: Path) -> None:
    """Refuse a table of contents that would fill the memory, before it is read."""
    file.seek(0, io.SEEK_END)
    file.seek(max(0, file.tell() - (1 << 16) - 42))
    tail = file.read()
    end = tail.rfind(b"PK\x05\x06")
    size = int.from_bytes(tail[end + 12 : end + 16], "little") if end >= 0 else 0
    if size > _MAX_DIRECTORY_BYTES or b"PK\x06\x07" in tail:
        raise UsageError(f"{path.name} has more than {MAX_ENTRIES} entries")
    file.seek(0)


def _check_ratio(archive: zipfile.ZipFile, path: Path) -> None:
    most = streams.FREE_BYTES + streams.MAX_RATIO * path.stat().st_size
    if sum(member.file_size for member in archive.infolist()) > most:
        raise UsageError(f"{path.name} unpacks to more than {most // MIB} MiB")


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, what: str) -> Entries:
    name, mode = member.orig_filename, member.external_attr >> 16
    if member.compress_type not in _ZIP_METHODS:
        raise UsageError(f"{what}: {quoted(name)} is packed by another method than zip's own (deflate)")
    if member.flag_bits & 1:
        raise UsageError(f"{what} is encrypted")
    if not member.flag_bits & 0x800 and not name.isascii():
        raise UsageError(f"{what}: the name {quoted(name)} is not valid UTF-8")
    kind = Kind.DIRECTORY if member.is_dir() else _KINDS.get(stat.S_IFMT(mode) or stat.S_IFREG, Kind.SPECIAL)
    target = ""
    if kind is Kind.SYMLINK:
        with archive.open(member) as content:
            target = content.read(MAX_PATH_BYTES + 1).decode("utf-8", errors="surrogateescape")
    size = member.file_size if kind is Kind.FILE else 0
    modified = float(max(0, calendar.timegm((*member.date_time, 0, 0, 0))))
    name = name.rstrip("/") if kind is Kind.DIRECTORY else name
    entry = Entry(name=name, kind=kind, size=size, mode=mode, target=target, modified=modified)
    if kind is not Kind.FILE:
        yield entry, None
        return
    with archive.open(member) as content:
        yield entry, content


@contextmanager
def map_archive_errors(what: str) -> Iterator[None]:
    """Turn every error of reading an archive into a UsageError of one sentence."""
    try:
        yield
    except _DAMAGE as error:
        formats = ".tar, .tar.gz, .tar.xz, .zip"
        raise UsageError(
            f"{what} is damaged, or no archive of a kind that is read here ({formats}): {escaped(str(error)):.200}"
        ) from error
    except OSError as error:
        raise UsageError(f"{what} cannot be read: {error.strerror or type(error).__name__}") from error

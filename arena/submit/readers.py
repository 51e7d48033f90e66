"""The three shapes in which a folder is handed in: a folder itself, a tar archive, a zip archive."""

import calendar
import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Self

from arena.errors import UsageError
from arena.submit import streams
from arena.submit.entries import MAX_ENTRIES, MAX_PATH_BYTES, MAX_TOTAL_BYTES, MIB, Entries, Entry, Kind, Reader

LEFT_OUT = frozenset({"__pycache__", ".git"})
"""Folders that no bot needs to play, and that change by themselves."""
_MAX_HEADER_BYTES = 1 << 16
_TAR_BYTES = MAX_TOTAL_BYTES + 2048 * MAX_ENTRIES
"""The largest tar that can pass the gate, with its headers."""
_MAX_DIRECTORY_BYTES = 256 * MAX_ENTRIES
_DAMAGE = (
    tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, lzma.LZMAError,
    EOFError, NotImplementedError, ValueError,
)  # fmt: skip


def archive_reader(path: Path) -> Reader:
    """The reader for an archive, by what it contains."""
    return partial(read_zip if is_zip(path) else read_tar, path)


def is_zip(path: Path) -> bool:
    """Whether it begins as a zip archive does."""
    with path.open("rb") as file:
        return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


def read_folder(folder: Path, _: Path | None = None) -> Entries:
    """The parts of a folder on this machine, parents first; links are not followed."""
    for top, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
        for name in sorted([*folders, *files]):
            yield from _read_path(Path(top, name), folder)


def _read_path(path: Path, folder: Path) -> Entries:
    found = path.lstat()
    name, kind = path.relative_to(folder).as_posix(), _KINDS.get(stat.S_IFMT(found.st_mode), Kind.OTHER)
    target = os.readlink(path) if kind is Kind.SYMLINK else ""
    size = found.st_size if kind is Kind.FILE else 0
    entry = Entry(name=name, kind=kind, size=size, mode=found.st_mode, target=target, modified=found.st_mtime)
    if kind is not Kind.FILE:
        yield entry, None
        return
    # Never a pipe that was put there a moment ago, which would make us wait for ever.
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as content:
        yield entry, content


_KINDS = {stat.S_IFREG: Kind.FILE, stat.S_IFDIR: Kind.FOLDER, stat.S_IFLNK: Kind.SYMLINK}


class ShortHeaders(tarfile.TarInfo):
    """A tar header; those that carry long names are read into memory whole, so they must be short."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """The header; UsageError if it announces another one that no honest archive has."""
        header = super().frombuf(buf, encoding, errors)
        if header.type in _CARRIERS and header.size > _MAX_HEADER_BYTES:
            raise UsageError("the archive has a name or a header that is too long")
        return header


_CARRIERS = (
    tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK,
)  # fmt: skip


@contextmanager
def tar_stream(path: Path, most: int = _TAR_BYTES) -> Iterator[tarfile.TarFile]:
    """A tar archive, compressed or not, to be read once from front to back."""
    with path.open("rb") as file, intelligible(path.name):
        content = streams.plain(file, packed_bytes=path.stat().st_size, most=most, what=path.name)
        with tarfile.open(fileobj=content, mode="r|", tarinfo=ShortHeaders) as archive:
            yield archive


def read_tar(path: Path, target: Path | None = None) -> Entries:
    """The parts of a tar archive; when it is unpacked, Python's own filter looks at each of them too."""
    with tar_stream(path) as archive:
        for member in archive:
            if member.name in (".", ""):
                continue
            if target is not None:
                tarfile.data_filter(member, str(target))
            yield _tar_entry(member), archive.extractfile(member) if member.isreg() else None


def _tar_entry(member: tarfile.TarInfo) -> Entry:
    kind = Kind.OTHER
    if member.isreg() and not member.issparse():
        kind = Kind.FILE
    elif member.isdir():
        kind = Kind.FOLDER
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


def read_zip(path: Path, _: Path | None = None) -> Entries:
    """The parts of a zip archive."""
    with path.open("rb") as file, intelligible(path.name):
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
    if member.flag_bits & 1:
        raise UsageError(f"{what} is encrypted")
    if not member.flag_bits & 0x800 and not name.isascii():
        raise UsageError(f"{what}: the name {ascii(name)[:60]} is no valid UTF-8")
    kind = Kind.FOLDER if member.is_dir() else _KINDS.get(stat.S_IFMT(mode) or stat.S_IFREG, Kind.OTHER)
    target = ""
    if kind is Kind.SYMLINK:
        with archive.open(member) as content:
            target = content.read(MAX_PATH_BYTES + 1).decode("utf-8", errors="surrogateescape")
    size = member.file_size if kind is Kind.FILE else 0
    modified = float(max(0, calendar.timegm((*member.date_time, 0, 0, 0))))
    name = name.rstrip("/") if kind is Kind.FOLDER else name
    entry = Entry(name=name, kind=kind, size=size, mode=mode, target=target, modified=modified)
    if kind is not Kind.FILE:
        yield entry, None
        return
    with archive.open(member) as content:
        yield entry, content


@contextmanager
def intelligible(what: str) -> Iterator[None]:
    """Turn what the libraries say of a damaged archive into one sentence."""
    try:
        yield
    except _DAMAGE as error:
        formats = ".tar, .tar.gz, .tar.xz, .zip"
        raise UsageError(
            f"{what} is damaged, or no archive of a kind that is read here ({formats}): {error}"
        ) from error

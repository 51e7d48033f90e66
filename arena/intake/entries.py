"""The entries of a submission, and the checks that each must pass before anything is written."""

import stat
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, NoReturn

from arena.bots.files import is_part
from arena.errors import UsageError
from arena.untrusted.filetree import MAX_PATH_BYTES
from arena.untrusted.tar import Kind
from arena.untrusted.text import quoted
from arena.untrusted.units import MIB

MAX_ENTRIES = 20_000
MAX_FILE_BYTES = 128 * MIB
MAX_TOTAL_BYTES = 256 * MIB
MAX_PART_BYTES = 255
SETUID_OR_SETGID = stat.S_ISUID | stat.S_ISGID


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One part of a submission, as it describes itself."""

    name: str
    kind: Kind
    size: int = 0
    mode: int = 0o644
    target: str = ""
    """Where a link leads."""
    modified: float = 0.0


Entries = Iterator[tuple[Entry, IO[bytes] | None]]
"""Each part with its content, which must be read before the next part is asked for."""
Reader = Callable[[], Entries]
"""Reads a submission from its beginning: once to look at it, and once to unpack it."""


class EntryChecker:
    """Checks the entries of one submission, one by one; UsageError names the first that is refused."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._seen: dict[str, tuple[str, Kind]] = {}
        self._sizes: dict[str, int] = {}
        self._bytes = 0

    def check(self, entry: Entry) -> None:
        """UsageError if this part must not be unpacked."""
        self._check_name(entry.name)
        if entry.kind is Kind.SPECIAL:
            self._refuse(entry, f"is {entry.kind.value}; only files, folders and links are taken")
        if entry.kind is Kind.FILE and entry.mode & SETUID_OR_SETGID:
            self._refuse(entry, "has a setuid or setgid bit: chmod ug-s")
        self._check_place(entry)
        if entry.kind in (Kind.SYMLINK, Kind.HARDLINK):
            self._check_link(entry)
        self._check_size(entry)
        # A long path brings many folders along.
        if len(self._seen) > MAX_ENTRIES:
            raise UsageError(f"{self._what} has more than {MAX_ENTRIES} entries")

    def _check_name(self, name: str) -> None:
        self._check_characters(name)
        if name.startswith("/") or name[1:2] == ":":
            raise UsageError(f"{self._what}: {quoted(name)} is an absolute path")
        if any(part in ("", ".", "..") for part in name.split("/")):
            raise UsageError(f"{self._what}: {quoted(name)} is not a plain path within the folder")

    def _check_characters(self, name: str) -> None:
        try:
            size = len(name.encode())
        except UnicodeEncodeError:
            raise UsageError(f"{self._what}: the name {quoted(name)} is not valid UTF-8") from None
        if not name.isprintable() or "\\" in name:
            raise UsageError(f"{self._what}: the name {quoted(name)} has control characters or backslashes")
        if size > MAX_PATH_BYTES or any(len(part.encode()) > MAX_PART_BYTES for part in name.split("/")):
            raise UsageError(f"{self._what}: the name {quoted(name)} is too long")

    def _check_place(self, entry: Entry) -> None:
        """Refuse an entry below a file or link, or whose name equals another one on some file system."""
        for parent in _parents(entry.name):
            if self._kind_of(parent, entry) not in (None, Kind.DIRECTORY):
                self._refuse(entry, f"lies below {quoted(parent)}, which is not a folder")
            self._seen.setdefault(_folded(parent), (parent, Kind.DIRECTORY))
        there = self._kind_of(entry.name, entry)
        if there is not None and not (there is entry.kind is Kind.DIRECTORY):
            self._refuse(entry, "is there twice")
        self._seen[_folded(entry.name)] = (entry.name, entry.kind)

    def _kind_of(self, name: str, entry: Entry) -> Kind | None:
        other, kind = self._seen.get(_folded(name), (name, None))
        if other != name:
            self._refuse(entry, f"differs from {quoted(other)} only in case or in the way it is encoded")
        return kind

    def _check_link(self, entry: Entry) -> None:
        if entry.kind is Kind.HARDLINK:
            if self._seen.get(_folded(entry.target)) != (entry.target, Kind.FILE):
                self._refuse(entry, f"is a hard link to {quoted(entry.target)}, which is not a file before it")
            return
        self._check_characters(entry.target)
        parts = entry.target.split("/")
        inner = [part for part in parts if part != ".."]
        # After a name that may be a link itself, `..` would lead somewhere else than it says.
        plain = parts == [".."] * (len(parts) - len(inner)) + inner
        steps_up = len(parts) - len(inner)
        if entry.target.startswith("/") or not entry.target or not plain or steps_up > entry.name.count("/"):
            self._refuse(entry, f"is a link to {quoted(entry.target)}, out of the folder")

    def _check_size(self, entry: Entry) -> None:
        if entry.size < 0:
            self._refuse(entry, "has less than no bytes")
        self._sizes[entry.name] = entry.size
        # A hard link becomes a copy.
        self._bytes += self._sizes[entry.target] if entry.kind is Kind.HARDLINK else entry.size
        if entry.size > MAX_FILE_BYTES:
            self._refuse(entry, f"has {entry.size // MIB} MiB; at most {MAX_FILE_BYTES // MIB} are taken")
        if self._bytes > MAX_TOTAL_BYTES:
            raise UsageError(f"{self._what} has more than {MAX_TOTAL_BYTES // MIB} MiB when it is unpacked")

    def _refuse(self, entry: Entry, reason: str) -> NoReturn:
        raise UsageError(f"{self._what}: {quoted(entry.name)} {reason}")


def checked_entries(read: Reader, what: str) -> Entries:
    """The entries of a submission that are part of the bot, each checked before it is handed out."""
    checker = EntryChecker(what)
    for entry, content in read():
        if is_part(entry.name):
            checker.check(entry)
            yield entry, content


def _parents(name: str) -> Iterator[str]:
    parts = name.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts)))


def _folded(name: str) -> str:
    """The same for names that some file system takes for one."""
    return unicodedata.normalize("NFKC", name).casefold()

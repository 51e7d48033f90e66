"""A strict reader of tar archives: whatever two programs could read in two ways is refused, and nothing is kept."""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import IO, Any

from arena.errors import UsageError
from arena.untrusted.text import quoted

BLOCK = 512
MAX_EXTENSION_BYTES = 1 << 16
"""Of a header that only describes the member after it."""


class Kind(Enum):
    """What a member of an archive is."""

    FILE = "a file"
    DIRECTORY = "a folder"
    SYMLINK = "a link"
    HARDLINK = "a hard link"
    SPECIAL = "a pipe, socket or device"


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A member of an archive, by its headers."""

    name: str
    kind: Kind
    size: int = 0
    mode: int = 0o644
    uid: int = 0
    gid: int = 0
    modified: int = 0
    target: str = ""
    """Where a link leads."""


class Content(io.RawIOBase):
    """The next `size` bytes of a stream; UsageError if it ends before."""

    def __init__(self, stream: IO[bytes], size: int, what: str) -> None:
        self._stream = stream
        self._left = size
        self._what = what

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Read on; how many bytes there were."""
        wanted = min(len(buffer), self._left)
        data = self._stream.read(wanted)
        if len(data) < wanted:
            raise UsageError(f"{self._what} is cut off")
        self._left -= wanted
        buffer[:wanted] = data
        return wanted

    def skip(self, padding: int) -> None:
        """Pass over what was not read, and the padding after it."""
        if self._stream.seekable():
            self._stream.seek(self._left + padding, io.SEEK_CUR)
            return
        self._left += padding
        while self.read(1 << 20):
            pass


def read_members(stream: IO[bytes], what: str) -> Iterator[tuple[Member, Content]]:
    """Each member with its content, of which nothing can be read any more when the next one is asked for."""
    while (member := _next_member(stream, what)) is not None:
        content = Content(stream, member.size, what)
        yield member, content
        content.skip(-member.size % BLOCK)


_KINDS = {
    b"0": Kind.FILE, b"1": Kind.HARDLINK, b"2": Kind.SYMLINK, b"3": Kind.SPECIAL, b"4": Kind.SPECIAL,
    b"5": Kind.DIRECTORY, b"6": Kind.SPECIAL,
}  # fmt: skip
_PAX, _LONG_NAME, _LONG_TARGET = b"x", b"L", b"K"
_EXTENSIONS = {_PAX, _LONG_NAME, _LONG_TARGET}
_SEQUENCES = {b"x", b"L", b"K", b"LK", b"KL"}
"""Extensions before one member. Which of two wins where both name it is read in different ways, so they never meet."""
_REFUSED = {b"g": "a header for all files after it", b"S": "a sparse file", b"\0": "a file of the old kind"}


def _next_member(stream: IO[bytes], what: str) -> Member | None:
    """Read the headers of one member; None at the end of the archive."""
    extensions, seen = dict[bytes, bytes](), b""
    while (block := _next_block(stream, what)) is not None:
        _check_form(block, what)
        kind, size = block[156:157], _octal(block[124:136], what)
        if kind not in _EXTENSIONS:
            return _member(block, kind, size, extensions, what)
        seen += kind
        if seen not in _SEQUENCES or size > MAX_EXTENSION_BYTES:
            raise UsageError(f"{what} has too many or too long headers before one file")
        data = _exactly(stream, size + -size % BLOCK, what)[:size]
        found = _pax_records(data, what) if kind == _PAX else {_LONG_FIELDS[kind]: data.partition(b"\0")[0]}
        extensions |= found
    if seen:
        raise UsageError(f"{what} is cut off")
    return None


def _next_block(stream: IO[bytes], what: str) -> bytes | None:
    """The next header; None at the end, which is the stream's, or blocks of zeros."""
    block = stream.read(BLOCK)
    if block and len(block) < BLOCK:
        raise UsageError(f"{what} is cut off")
    if block.strip(b"\0"):
        return block
    if stream.read(BLOCK).strip(b"\0"):
        raise UsageError(f"{what} is damaged: it goes on after its end")
    return None


def _exactly(stream: IO[bytes], size: int, what: str) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise UsageError(f"{what} is cut off")
    return data


def _check_form(block: bytes, what: str) -> None:
    """Refuse a header that is damaged, or of a form whose fields are read in different ways."""
    if _octal(block[148:156], what) != sum(block) - sum(block[148:156]) + 8 * ord(" "):
        raise UsageError(f"{what} is damaged: the checksum of a header is wrong")
    posix, gnu = block[257:265] == b"ustar\x0000", block[257:265] == b"ustar  \0"
    # GNU has times where POSIX has the beginning of a long name; `star` has both.
    if not (posix or gnu) or (gnu and block[345:500].strip(b"\0")) or block[508:] == b"tar\0":
        raise UsageError(f"{what} is not in the tar format of POSIX or GNU")


_OCTAL = re.compile(rb" *([0-7]*)[ \0]*")


def _octal(field: bytes, what: str) -> int:
    """A number as every program reads it: no NUL in front, no base 256, no sign."""
    found = _OCTAL.fullmatch(field)
    if found is None:
        raise UsageError(f"{what} has a number in a header that is not plain octal")
    return int(found[1] or b"0", 8)


_LONG_FIELDS = {_LONG_NAME: b"path", _LONG_TARGET: b"linkpath"}
_PAX_RECORD = re.compile(rb"([1-9][0-9]{0,5}) ([^=\0]+)=")
_PAX_FORMS = {
    b"path": re.compile(rb"[^\0]+"), b"linkpath": re.compile(rb"[^\0]+"), b"size": re.compile(rb"[0-9]{1,18}"),
    b"uid": re.compile(rb"[0-9]{1,18}"), b"gid": re.compile(rb"[0-9]{1,18}"),
    b"mtime": re.compile(rb"-?[0-9]{1,18}(\.[0-9]*)?"),
}  # fmt: skip


def _pax_records(data: bytes, what: str) -> dict[bytes, bytes]:
    """The records that mean something here; UsageError if one of them can be misread."""
    found, start = dict[bytes, bytes](), 0
    while start < len(data):
        record = _PAX_RECORD.match(data, start)
        end = start + int(record[1]) if record else 0
        if record is None or record.end() >= end or data[end - 1 : end] != b"\n":
            raise UsageError(f"{what} is damaged: a record of a pax header is wrong")
        key, value = record[2], data[record.end() : end - 1]
        if key.startswith(b"GNU.sparse."):
            raise UsageError(f"{what} holds a sparse file; only files, folders and links are taken")
        if (form := _PAX_FORMS.get(key)) is not None:
            if key in found or not form.fullmatch(value):
                raise UsageError(f"{what} is damaged: a pax header has a wrong {key.decode()}")
            found[key] = value
        start = end
    return found


def _member(block: bytes, type_flag: bytes, size: int, extensions: dict[bytes, bytes], what: str) -> Member:
    name = extensions.get(b"path") or _name(block)
    kind = _KINDS.get(type_flag)
    if kind is None:
        found = _REFUSED.get(type_flag, f"an entry of the kind {quoted(type_flag.decode('latin-1'))}")
        raise UsageError(f"{what} holds {quoted(_text(name))}, {found}; only files, folders and links are taken")
    numbers = {key: int(extensions[key]) for key in (b"size", b"uid", b"gid") if key in extensions}
    size = numbers.get(b"size", size)
    _octal(block[329:337], what)
    _octal(block[337:345], what)
    if (kind is not Kind.FILE and size) or (kind is not Kind.DIRECTORY and name.endswith(b"/")):
        raise UsageError(f"{what} holds {quoted(_text(name))}, which says of itself that it is two things")
    return Member(
        name=_text(name), kind=kind, size=size, mode=_octal(block[100:108], what),
        uid=numbers.get(b"uid", _octal(block[108:116], what)), gid=numbers.get(b"gid", _octal(block[116:124], what)),
        modified=int(extensions.get(b"mtime", b"%d" % _octal(block[136:148], what)).partition(b".")[0]),
        target=_text(extensions.get(b"linkpath") or block[157:257].partition(b"\0")[0]),
    )  # fmt: skip


def _name(block: bytes) -> bytes:
    name, prefix = block[:100].partition(b"\0")[0], block[345:500].partition(b"\0")[0]
    return prefix + b"/" + name if prefix else name


def _text(raw: bytes) -> str:
    """Bytes that are not UTF-8 stay what they are when they are written again with `surrogateescape`."""
    return raw.decode("utf-8", "surrogateescape")

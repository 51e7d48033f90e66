"""The packed form of a bot's files, wherever they travel or are kept: a tar without times, owners and rights.

What is read again goes through the same checks and limits as a submission, and has to have its digest.
"""

import tarfile
from collections.abc import Iterable, Iterator
from gzip import GzipFile
from pathlib import Path
from typing import IO

from arena.bots.files import is_part
from arena.errors import UsageError
from arena.intake.entries import MAX_ENTRIES, MAX_TOTAL_BYTES
from arena.intake.folder_storage import own_digest
from arena.intake.unpacking import bot_root, map_write_errors, unpack_submission
from arena.untrusted.limited import run_limited
from arena.untrusted.tar import Content

MAX_PACKED_BYTES = MAX_TOTAL_BYTES + 2048 * MAX_ENTRIES
"""The largest that can pass the checks of a submission, with its headers."""


def pack(folder: Path, file: IO[bytes] | GzipFile) -> None:
    """Write the files of a bot in their packed form; the same files give the same bytes."""
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as packed:
        packed.add(folder, ".", filter=plain)


def unpack(pieces: Iterable[bytes], digest: str, working: Path, what: str) -> Path:
    """The files in a folder within an empty one; UsageError unless they are what their digest says."""
    packed, unpacked = working / "bot.tar", working / "unpacked"
    write(pieces, packed)
    run_limited(unpack_submission, str(packed), str(unpacked), what, what=what)
    with map_write_errors(what):
        root = bot_root(unpacked)
    if own_digest(root) != digest:
        raise UsageError(f"{what} is not what its digest says")
    return root


def plain(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Without owners, times and rights, so that the same content has the same bytes; None if it is no part of a bot."""
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    member.mode = 0o755 if member.mode & 0o100 else 0o644
    return member if is_part(member.name) else None


def write(pieces: Iterable[bytes], path: Path) -> None:
    """Write these bytes to a new file."""
    with map_write_errors(path.name), path.open("xb") as file:
        for piece in pieces:
            file.write(piece)


def cut(stream: IO[bytes] | Content, size: int) -> Iterator[bytes]:
    """The bytes of a stream in pieces of one size; only the last is shorter."""
    return iter(lambda: stream.read(size) or b"", b"")

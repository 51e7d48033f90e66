"""A store or a tournament with its bots as one file: a tar of it, and of every bot's files in their packed form."""

import re
import tarfile
import tempfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from arena.errors import UsageError
from arena.intake import packing
from arena.store.bot_files import BotFiles
from arena.untrusted.filetree import map_read_errors
from arena.untrusted.tar import Content, Kind, Member, read_members

DATABASE, TOURNAMENT = "arena.db", "tournament.arena.gz"
"""What the file is about: a whole store, or one tournament."""
_BOT = re.compile(r"bots/([0-9a-f]{64})\.tar")
_CHUNK = 1 << 20


def write(path: Path, subject: str, content: Path, folders: Mapping[str, Path]) -> None:
    """Write the subject's content and the folders of bots by their digests, whole or not at all."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        with tarfile.open(partial, "w", format=tarfile.PAX_FORMAT) as backup:
            backup.add(content, subject, filter=packing.plain)
            for digest, folder in folders.items():
                _add_folder(backup, digest, folder)
        partial.replace(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)


def read(path: Path, subject: str, target: Path) -> None:
    """Write the subject's content to a new file; nothing is done about the bots."""
    for _, member, content in _members(path, subject):
        if member.name == subject:
            packing.write(packing.cut(content, _CHUNK), target)
    if not target.exists():
        raise _strange(path)


def read_bots(path: Path, subject: str, files: BotFiles, wanted: Collection[str] | None = None) -> list[str]:
    """Keep the folders of bots among the files, all or those with these digests; the digests of those in the file."""
    found = list[str]()
    for digest, member, content in _members(path, subject):
        if digest and (wanted is None or digest in wanted):
            _keep_folder(content, member, files, digest)
            found.append(digest)
    return found


def _members(path: Path, subject: str) -> Iterator[tuple[str, Member, Content]]:
    """Every member of the file, with the digest of its bot if it is one."""
    with map_read_errors(path.name), path.open("rb") as file:
        for member, content in read_members(file, path.name):
            bot = _BOT.fullmatch(member.name)
            if member.kind is not Kind.FILE or not (bot or member.name == subject):
                raise _strange(path)
            yield f"sha256:{bot[1]}" if bot else "", member, content


def _strange(path: Path) -> UsageError:
    return UsageError(f"{path.name} is refused: it is not a file that Arena wrote")


def _add_folder(backup: tarfile.TarFile, digest: str, folder: Path) -> None:
    with tempfile.TemporaryFile() as packed:
        packing.pack(folder, packed)
        entry = tarfile.TarInfo(f"bots/{digest.removeprefix('sha256:')}.tar")
        entry.size = packed.tell()
        packed.seek(0)
        backup.addfile(entry, packed)


def _keep_folder(content: Content, member: Member, files: BotFiles, digest: str) -> None:
    """Keep the folder among the files, unless it is there."""
    if member.size > packing.MAX_PACKED_BYTES:
        raise UsageError(f"the bot {member.name} is too large: the file is refused")
    with files.locked(), files.working_folder() as working:
        if not files.has(digest):
            pieces, what = packing.cut(content, _CHUNK), f"the bot {member.name}"
            files.add(packing.unpack(pieces, digest, working, what), digest)

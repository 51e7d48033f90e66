"""A store or a tournament with its bots as one file: a tar of it, and of every bot's folder as a tar of its own.

What is read again goes through the same checks and limits as a submission, and has to have its digest.
"""

import re
import tarfile
import tempfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from arena.bots.files import is_part
from arena.errors import UsageError
from arena.intake.entries import MAX_ENTRIES, MAX_TOTAL_BYTES
from arena.intake.folder_storage import FolderStorage, own_digest
from arena.intake.unpacking import bot_root, map_write_errors, unpack_submission
from arena.untrusted.filetree import map_read_errors
from arena.untrusted.limited import run_limited
from arena.untrusted.tar import Content, Kind, Member, read_members

DATABASE, TOURNAMENT = "arena.db", "tournament.arena.gz"
"""What the file is about: a whole store, or one tournament."""
_BOT = re.compile(r"bots/([0-9a-f]{64})\.tar")
_MAX_BOT_BYTES = MAX_TOTAL_BYTES + 2048 * MAX_ENTRIES


def write(path: Path, subject: str, content: Path, folders: Mapping[str, Path]) -> None:
    """Write the subject's content and the folders of bots by their digests, whole or not at all."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        with tarfile.open(partial, "w", format=tarfile.PAX_FORMAT) as backup:
            backup.add(content, subject, filter=_plain)
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
            _write(content, target)
    if not target.exists():
        raise _strange(path)


def read_bots(path: Path, subject: str, storage: FolderStorage, wanted: Collection[str] | None = None) -> list[str]:
    """Put the folders of bots into the storage, all or those with these digests; the digests of those in the file."""
    found = list[str]()
    for digest, member, content in _members(path, subject):
        if digest and (wanted is None or digest in wanted):
            _keep_folder(content, member, storage, digest)
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


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Without owners, times and rights, so that the same content has the same bytes; None if it is no part of a bot."""
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    member.mode = 0o755 if member.mode & 0o100 else 0o644
    return member if is_part(member.name) else None


def _add_folder(backup: tarfile.TarFile, digest: str, folder: Path) -> None:
    with tempfile.TemporaryFile() as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as own:
            own.add(folder, ".", filter=_plain)
        entry = tarfile.TarInfo(f"bots/{digest.removeprefix('sha256:')}.tar")
        entry.size = packed.tell()
        packed.seek(0)
        backup.addfile(entry, packed)


def _keep_folder(content: Content, member: Member, storage: FolderStorage, digest: str) -> None:
    """Put the folder into the storage, unless it is there."""
    if member.size > _MAX_BOT_BYTES:
        raise UsageError(f"the bot {member.name} is too large: the file is refused")
    with map_write_errors(member.name):
        storage.folder.mkdir(parents=True, exist_ok=True)
    with storage.locked(), storage.working_folder() as working:
        if storage.path_of(digest).is_dir():
            return
        packed, unpacked = working / "bot.tar", working / "unpacked"
        _write(content, packed)
        run_limited(unpack_submission, str(packed), str(unpacked), member.name, what=member.name)
        root = bot_root(unpacked)
        if own_digest(root) != digest:
            raise UsageError(f"the bot {member.name} is not what its digest says: the file is refused")
        storage.add(root, digest)


def _write(content: Content, path: Path) -> None:
    with map_write_errors(path.name), path.open("xb") as file:
        while piece := content.read(1 << 20):
            file.write(piece)

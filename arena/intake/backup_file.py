"""A backup as one file: a tar of a database, and of the folder of every submitted bot as a tar of its own.

What is read again goes through the same checks and limits as a submission, and has to have its digest.
"""

import re
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path

from arena.errors import UsageError
from arena.intake.entries import MAX_ENTRIES, MAX_TOTAL_BYTES
from arena.intake.folder_storage import FolderStorage, own_digest
from arena.intake.unpacking import bot_root, map_write_errors, unpack_submission
from arena.untrusted.filetree import map_read_errors
from arena.untrusted.limited import run_limited
from arena.untrusted.tar import Content, Kind, Member, read_members

_DATABASE = "arena.db"
_BOT = re.compile(r"bots/([0-9a-f]{64})\.tar")
_MAX_BOT_BYTES = MAX_TOTAL_BYTES + 2048 * MAX_ENTRIES


def write(path: Path, database: Path, storage: FolderStorage, digests: Iterable[str]) -> list[str]:
    """Write the backup, whole or not at all; the digests of the bots whose folders are in it."""
    partial = path.with_name(f".{path.name}.partial")
    held = [digest for digest in digests if digest and storage.path_of(digest).is_dir()]
    try:
        with tarfile.open(partial, "w", format=tarfile.PAX_FORMAT) as backup:
            backup.add(database, _DATABASE)
            for digest in held:
                _add_folder(backup, storage.path_of(digest))
        partial.replace(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)
    return held


def read(path: Path, database: Path, storage: FolderStorage) -> int:
    """Write the database of a backup to a new file, and its folders into the storage; how many these were."""
    count = 0
    with map_read_errors(path.name), path.open("rb") as file:
        for member, content in read_members(file, path.name):
            bot = _BOT.fullmatch(member.name)
            if member.kind is not Kind.FILE or not (bot or member.name == _DATABASE):
                raise _no_backup(path)
            if bot:
                _keep_folder(content, member, storage, f"sha256:{bot[1]}")
                count += 1
            else:
                _write(content, database)
    if not database.exists():
        raise _no_backup(path)
    return count


def _no_backup(path: Path) -> UsageError:
    return UsageError(f"{path.name} is no backup that `arena backup` wrote: nothing is restored")


def _add_folder(backup: tarfile.TarFile, folder: Path) -> None:
    with tempfile.TemporaryFile() as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as own:
            own.add(folder, ".")
        entry = tarfile.TarInfo(f"bots/{folder.name}.tar")
        entry.size = packed.tell()
        packed.seek(0)
        backup.addfile(entry, packed)


def _keep_folder(content: Content, member: Member, storage: FolderStorage, digest: str) -> None:
    """Put the folder into the storage, unless it is there."""
    if member.size > _MAX_BOT_BYTES:
        raise UsageError(f"the bot {member.name} is too large: nothing is restored")
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
            raise UsageError(f"the bot {member.name} is not what its digest says: nothing is restored")
        storage.add(root, digest)


def _write(content: Content, path: Path) -> None:
    with map_write_errors(path.name), path.open("xb") as file:
        while piece := content.read(1 << 20):
            file.write(piece)

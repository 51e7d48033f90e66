"""The one list of which files of a folder are the bot: its digest, copies and archives have these and no others."""

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from arena.errors import UsageError
from arena.untrusted.filetree import LeftOut, TreeEntry, list_tree, map_read_errors, open_file, read_link
from arena.untrusted.text import quoted

_CHUNK = 1 << 20
_LEFT_OUT = re.compile(
    r"__pycache__|\.(git|hg|svn|jj)"  # what interpreters and version control keep
    r"|\.(idea|vscode|vs)|.*~|\..*\.sw[nop]|\.#.*|#.*#"  # editors: projects, backups, swap files, locks
    r"|\.DS_Store|\._.*|__MACOSX|Thumbs\.db|desktop\.ini"  # file managers
    r"|\.(mypy|ruff|pytest)_cache",
    re.DOTALL,
)


def is_left_out(name: str) -> bool:
    """Whether a file or folder of this name is never part of a bot: it comes and goes by itself."""
    return _LEFT_OUT.fullmatch(name) is not None


def is_part(path: str) -> bool:
    """Whether a path within a folder, with slashes, is part of the bot."""
    return not any(map(is_left_out, path.split("/")))


def folder_digest(folder: Path) -> str:
    """A digest over the files of a bot: their names, what is in them, where links lead, and what can be run."""
    return _digest(folder, _files(folder))


def _digest(folder: Path, files: list[TreeEntry]) -> str:
    digest = hashlib.sha256()
    for entry in files:
        name = entry.name.encode(errors="surrogateescape")
        if stat.S_ISLNK(entry.info.st_mode):
            kind, content = b"link", read_link(folder, entry, str(folder)).encode(errors="surrogateescape")
        else:
            kind = b"program" if entry.info.st_mode & 0o100 else b"file"
            content = _content_digest(folder, entry)
        digest.update(b"%s %d %s\n%d %s\n" % (kind, len(name), name, len(content), content))
    return f"sha256:{digest.hexdigest()}"


def folder_state(folder: Path) -> str:
    """A text that differs whenever a file of a bot was written to, moved or replaced; no file is opened for it."""
    facts = [
        (entry.name, info.st_mode, info.st_size, info.st_ino, info.st_ctime_ns)
        for entry in _files(folder)
        for info in (entry.info,)
    ]
    return hashlib.sha256(repr(facts).encode(errors="surrogateescape")).hexdigest()


def current_digest(folder: Path) -> str:
    """The digest of a folder as it is now, read again only when something in it has changed."""
    return _digest_at(folder, folder_state(folder))


@lru_cache(maxsize=256)
def _digest_at(folder: Path, _: str) -> str:
    return folder_digest(folder)


def has_digest(folder: Path, digest: str) -> bool:
    """Whether a folder is the bot of this digest."""
    if current_digest(folder) == digest:
        return True
    try:  # digests that are in stores already may count what is left out today
        return _digest(folder, _files(folder, "__pycache__".__eq__)) == digest
    except UsageError:  # such as a .git that is too large
        return False


def folder_files(folder: Path) -> Iterator[Path]:
    """The files and links of a bot in a fixed order."""
    return (folder / entry.name for entry in _files(folder))


def _files(folder: Path, left_out: LeftOut = is_left_out) -> list[TreeEntry]:
    listed = list_tree(folder, left_out=left_out)
    return [entry for entry in listed if stat.S_IFMT(entry.info.st_mode) in (stat.S_IFREG, stat.S_IFLNK)]


def _content_digest(folder: Path, entry: TreeEntry) -> bytes:
    """The digest of a file, read up to the size that it was listed with: it may grow while it is read."""
    digest, left = hashlib.sha256(), entry.info.st_size
    descriptor = open_file(folder, entry, str(folder))
    try:
        with map_read_errors(str(folder), entry.name):
            while left >= 0 and (data := os.read(descriptor, min(left + 1, _CHUNK))):
                digest.update(data)
                left -= len(data)
    finally:
        os.close(descriptor)
    if left != 0:
        raise UsageError(f"{folder}: {quoted(entry.name)} was changed while it was read")
    return digest.digest()

"""The files of bots in a folder: each bot is kept read-only under its digest."""

import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from arena.bots.files import current_digest, folder_digest
from arena.errors import InfraError, UsageError
from arena.sandboxes.referee_id import is_alive, referee_id
from arena.store.bot_files import is_digest, kept_path

_TEMPORARY = ".new-"


class FolderStorage:
    """A folder with one subfolder per digest; temporary ones carry the name of the process that made them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def working_folder(self) -> Iterator[Path]:
        """An empty temporary folder, removed when the context ends."""
        self._make()
        self.remove_orphans()
        path = self.folder / f"{_TEMPORARY}{referee_id()}.{secrets.token_hex(4)}"
        try:
            path.mkdir()
        except OSError as error:
            raise InfraError(f"{self.folder} cannot be written to: {error.strerror}") from error
        try:
            yield path
        finally:
            remove(path)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock under which a process adds a folder and registers it."""
        self._make()
        with self._lock_file() as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _make(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InfraError(f"{self.folder} cannot be written to: {error.strerror}") from error

    def _lock_file(self) -> IO[str]:
        try:
            return (self.folder / ".lock").open("w")
        except OSError as error:
            raise InfraError(f"{self.folder} cannot be written to: {error.strerror}") from error

    def path_of(self, digest: str) -> Path:
        """The path of the folder with this digest, whether or not it is there yet."""
        return kept_path(self.folder, digest)

    def has(self, digest: str) -> bool:
        """Whether there is a folder with this digest, if only a damaged one."""
        return self.path_of(digest).is_dir()

    def digests(self) -> list[str]:
        """Those of all folders."""
        names = (path.name for path in self.folder.glob("*") if path.is_dir())
        return [f"sha256:{name}" for name in sorted(names) if is_digest(name)]

    def fetch(self, digest: str) -> Path:
        """The folder itself: all that is kept is here."""
        return self.path_of(digest)

    def remove(self, digest: str) -> None:
        """Remove the folder with this digest."""
        remove(self.path_of(digest))

    def add(self, folder: Path, digest: str) -> bool:
        """Move a finished folder to the path of its digest, read-only; whether it was not there, or not whole.

        A copy that somebody changed gives way to it.
        """
        path = self.path_of(digest)
        if self.is_intact(digest):
            return False
        try:
            if path.is_dir():
                self._set_aside(path)
            make_read_only(folder)
            folder.chmod(0o755)  # without this nobody but root could move it
            folder.rename(path)
            path.chmod(0o555)
        except OSError as error:
            raise InfraError(f"{self.folder} cannot be written to: {error.strerror}") from error
        return True

    def is_intact(self, digest: str) -> bool:
        """Whether the folder with this digest is there and has it."""
        path = self.path_of(digest)
        try:
            return path.is_dir() and current_digest(path) == digest
        except UsageError:  # it cannot be read
            return False

    def _set_aside(self, path: Path) -> None:
        """Take a folder away at once, however long its removal takes."""
        with self.working_folder() as aside:
            path.chmod(0o755)
            path.rename(aside / path.name)

    def remove_orphans(self) -> None:
        """Remove the temporary folders of processes that were killed."""
        for path in self.folder.glob(f"{_TEMPORARY}*"):
            if not is_alive(path.name.removeprefix(_TEMPORARY).partition(".")[0]):
                remove(path)


def own_digest(folder: Path) -> str:
    """The digest of a copy of ours; a copy that cannot be read is our failure and no contestant's."""
    try:
        return folder_digest(folder)
    except UsageError as error:
        raise InfraError(str(error)) from error


def remove(folder: Path) -> None:
    """Remove a folder even if it is read-only."""
    for top, _, _ in os.walk(folder):
        os.chmod(top, 0o700)
    shutil.rmtree(folder, ignore_errors=True)


def make_read_only(folder: Path) -> None:
    """Make everything readable for all and writable for nobody."""
    for top, _, files in os.walk(folder, topdown=False):
        for name in files:
            path = Path(top, name)
            if not path.is_symlink():
                path.chmod(0o555 if path.stat().st_mode & 0o100 else 0o444)
        os.chmod(top, 0o555)  # noqa: S103  (the user of a bot must be able to read it)

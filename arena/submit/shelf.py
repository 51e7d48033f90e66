"""Where the folders of submitted bots are kept, each under its digest, and never changed again."""

import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from arena.bots.manifest import folder_digest
from arena.errors import InfraError, UsageError
from arena.sandboxes.owner import is_alive, owner

_NEW = ".new-"


class Shelf:
    """A folder of folders; those that are still being made carry the name of the process that makes them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def workplace(self) -> Iterator[Path]:
        """An empty folder that is gone afterwards, if nothing was kept of it."""
        self._sweep()
        place = self.folder / f"{_NEW}{owner()}.{secrets.token_hex(4)}"
        try:
            place.mkdir(parents=True)
        except OSError as error:
            raise InfraError(f"{self.folder} cannot be written to: {error.strerror}") from error
        try:
            yield place
        finally:
            remove(place)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Only one process at a time puts something on the shelf and registers it."""
        with self._lock_file() as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _lock_file(self) -> IO[str]:
        try:
            return (self.folder / ".lock").open("w")
        except OSError as error:
            raise InfraError(f"{self.folder} cannot be written to: {error.strerror}") from error

    def place(self, digest: str) -> Path:
        """Where the folder of this digest is, or will be."""
        return self.folder / digest.removeprefix("sha256:")

    def keep(self, made: Path, digest: str) -> tuple[Path, bool]:
        """Put a finished folder into its place, read-only, in one step: where, and whether it is new there."""
        place = self.place(digest)
        if place.is_dir():
            if own_digest(place) != digest:
                raise InfraError(f"{place} was changed by somebody: remove it, and submit again")
            return place, False
        try:
            _seal(made)
            made.chmod(0o755)  # without this nobody but root could move it
            made.rename(place)
            place.chmod(0o555)
        except OSError as error:
            raise InfraError(f"{self.folder} cannot be written to: {error.strerror}") from error
        return place, True

    def _sweep(self) -> None:
        """Remove what a process that was killed has left."""
        for place in self.folder.glob(f"{_NEW}*"):
            if not is_alive(place.name.removeprefix(_NEW).partition(".")[0]):
                remove(place)


def own_digest(folder: Path) -> str:
    """The digest of a copy of ours; that it cannot be read is no fault of who handed it in."""
    try:
        return folder_digest(folder)
    except UsageError as error:
        raise InfraError(str(error)) from error


def remove(folder: Path) -> None:
    """Remove a folder even if it is read-only."""
    for top, _, _ in os.walk(folder):
        os.chmod(top, 0o700)
    shutil.rmtree(folder, ignore_errors=True)


def _seal(folder: Path) -> None:
    """Make everything readable for all and writable for nobody."""
    for top, _, files in os.walk(folder, topdown=False):
        for name in files:
            path = Path(top, name)
            if not path.is_symlink():
                path.chmod(0o555 if path.stat().st_mode & 0o100 else 0o444)
        os.chmod(top, 0o555)  # noqa: S103  (the user of a bot must be able to read it)

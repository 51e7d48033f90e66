"""Where the files of submitted bots are: what can be asked of them by their digest, and what a bot's row says of it."""

import re
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

_DIGEST = re.compile(r"[0-9a-f]{64}")


class BotFiles(Protocol):
    """The files of submitted bots by their digest; nothing else knows where they are kept."""

    def path_of(self, digest: str) -> Path:
        """Where they are run from on this machine, whether or not they are there yet."""

    def has(self, digest: str) -> bool:
        """Whether they are kept, if only in a damaged form."""

    def digests(self) -> list[str]:
        """All that are kept."""

    def fetch(self, digest: str) -> Path:
        """The folder from which they are run here, filled from what is kept if need be; it is missing if nothing is."""

    def add(self, folder: Path, digest: str) -> bool:
        """Keep a finished folder, which is moved or copied; whether it was not there, or not whole."""

    def remove(self, digest: str) -> None:
        """Keep it no longer."""

    def locked(self) -> AbstractContextManager[None]:
        """Hold the lock under which a process adds files and registers their bot."""

    def working_folder(self) -> AbstractContextManager[Path]:
        """An empty temporary folder for what is to be added, removed when the context ends."""


def folder_beside(where: str | Path) -> Path | None:
    """The folder of the bots of an SQLite store; None for a database that is no file."""
    return None if "://" in str(where) else Path(where).resolve().parent / "bots"


def kept_path(folder: Path, digest: str) -> Path:
    """Where the files with this digest are in such a folder."""
    return folder / digest.removeprefix("sha256:")


def is_digest(name: str) -> bool:
    """Whether a folder of this name in it is one of a digest."""
    return _DIGEST.fullmatch(name) is not None


class Origins:
    """Turns paths into this folder into what the store keeps of them, which says nothing of where the folder is."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def to_origin(self, path: str) -> str:
        """What the store keeps: of a digest's path in this folder the name, and of any other path all of it.

        Somebody's own bots may lie in a folder of that name beside the store, too.
        """
        place = Path(path)
        kept = self._folder is not None and place.parent == self._folder and is_digest(place.name)
        return place.name if kept else path

    def to_path(self, origin: str, digest: str) -> str:
        """Where a bot is run from; what an earlier store kept as a path that is gone may lie in this folder by now."""
        if self._folder is None or not digest:
            return origin
        kept = kept_path(self._folder, digest)
        if origin == kept.name or (origin.startswith("/") and not Path(origin).is_dir() and kept.is_dir()):
            return str(kept)
        return origin

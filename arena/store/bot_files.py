"""The files of submitted bots: in a folder beside the store, by their digest, so that both can be moved or copied."""

import re
from pathlib import Path

_DIGEST = re.compile(r"[0-9a-f]{64}")


def folder_beside(where: str | Path) -> Path | None:
    """The folder of the bots of an SQLite store; None for a database that is no file."""
    return None if "://" in str(where) else Path(where).resolve().parent / "bots"


def kept_path(folder: Path, digest: str) -> Path:
    """Where the files with this digest are kept in such a folder."""
    return folder / digest.removeprefix("sha256:")


class BotFiles:
    """Turns paths into this folder into what the store keeps of them, which says nothing of where the folder is."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def to_origin(self, path: str) -> str:
        """What the store keeps: of a digest's path in this folder the name, and of any other path all of it.

        Somebody's own bots may lie in a folder of that name beside the store, too.
        """
        place = Path(path)
        kept = self._folder is not None and place.parent == self._folder and _DIGEST.fullmatch(place.name)
        return place.name if kept else path

    def to_path(self, origin: str, digest: str) -> str:
        """Where a bot is run from; what an earlier store kept as a path that is gone may lie in this folder by now."""
        if self._folder is None or not digest:
            return origin
        kept = kept_path(self._folder, digest)
        if origin == kept.name or (origin.startswith("/") and not Path(origin).is_dir() and kept.is_dir()):
            return str(kept)
        return origin

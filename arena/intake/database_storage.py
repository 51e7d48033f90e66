"""The files of bots in the database of a store, and a folder of unpacked ones on every machine that plays them."""

import tempfile
from contextlib import AbstractContextManager
from pathlib import Path

from arena.errors import UsageError
from arena.intake import packing
from arena.intake.folder_storage import FolderStorage
from arena.intake.unpacking import map_write_errors
from arena.store.bot_files import kept_path
from arena.store.files import PIECE_BYTES, DamagedFiles
from arena.store.sql import Store


class DatabaseStorage:
    """Keeps files in the store; the folder on this machine is a cache, proven by the digest whenever it is used.

    Several processes may fill it at once, and it may be removed while nothing plays.
    """

    def __init__(self, store: Store, cache: FolderStorage, earlier: Path | None) -> None:
        """With the folder in which an earlier Arena kept files, if there is one."""
        self._store = store
        self._cache = cache
        self._earlier = earlier

    def path_of(self, digest: str) -> Path:
        """Where they are run from on this machine, whether or not they are there yet."""
        return self._cache.path_of(digest)

    def has(self, digest: str) -> bool:
        """Whether they are in the store, if only damaged."""
        return self._store.has_files(digest)

    def digests(self) -> list[str]:
        """All that are in the store."""
        return self._store.kept_files()

    def fetch(self, digest: str) -> Path:
        """The folder in the cache, filled or healed from the store; or that of an earlier Arena if the store has none.

        DamagedFiles if what the store has is damaged; it may be that there is nothing anywhere.
        """
        if self._cache.is_intact(digest):
            return self.path_of(digest)
        if not self.has(digest):
            earlier = self._earlier and kept_path(self._earlier, digest)
            return earlier if earlier and earlier.is_dir() else self.path_of(digest)
        with self._cache.locked(), self._cache.working_folder() as working:
            if not self._cache.is_intact(digest):  # else another process was faster
                self._cache.add(self._unpacked(digest, working), digest)
        return self.path_of(digest)

    def add(self, folder: Path, digest: str) -> bool:
        """Keep a finished folder in the store, and move it into the cache; whether it was not there, or not whole."""
        if self._is_whole(digest):
            return False
        with map_write_errors(f"the bot {digest}"), tempfile.TemporaryFile() as packed:
            packing.pack(folder, packed)
            packed.seek(0)
            self._store.add_files(digest, packing.cut(packed, PIECE_BYTES))
        with self._cache.locked():
            self._cache.add(folder, digest)
        return True

    def remove(self, digest: str) -> None:
        """Remove them from the store, and from the cache of this machine."""
        self._store.remove_files(digest)
        self._cache.remove(digest)

    def locked(self) -> AbstractContextManager[None]:
        """Hold the store's own lock, which holds for all machines."""
        return self._store.files_locked()

    def working_folder(self) -> AbstractContextManager[Path]:
        """An empty temporary folder beside the cache."""
        return self._cache.working_folder()

    def _is_whole(self, digest: str) -> bool:
        """Whether what is in the store can be unpacked to what the digest says."""
        if not self.has(digest):
            return False
        try:
            with self.working_folder() as working:
                self._unpacked(digest, working)
        except DamagedFiles:
            return False
        return True

    def _unpacked(self, digest: str, working: Path) -> Path:
        pieces = self._store.read_files(digest, packing.MAX_PACKED_BYTES)
        try:
            return packing.unpack(pieces, digest, working, f"the bot {digest}")
        except UsageError as error:
            raise DamagedFiles(digest) from error

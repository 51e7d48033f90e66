"""The files of a store's bots: which of the two ways of keeping them it has, and how a bot's folder is found by it."""

from pathlib import Path

from arena.errors import InfraError
from arena.intake.database_storage import DatabaseStorage
from arena.intake.folder_storage import FolderStorage
from arena.store.base import BotEntry
from arena.store.bot_files import BotFiles
from arena.store.sql import Store


def files_of(store: Store) -> BotFiles:
    """A folder beside a store in SQLite; for one in PostgreSQL its own tables, and a cache on this machine."""
    if store.bots_folder is None:
        raise InfraError("this store was opened without a folder for the files of its bots")
    folder = FolderStorage(store.bots_folder)
    return DatabaseStorage(store, folder, store.earlier_bots_folder) if store.keeps_files else folder


def folder_of(store: Store, bot: BotEntry) -> Path:
    """The folder of a bot on this machine: somebody's own, or what the store keeps, brought here if need be."""
    own = Path(bot.origin)
    if store.bots_folder is None:
        return own
    files = files_of(store)
    kept = own == files.path_of(bot.digest) or (not own.is_dir() and files.has(bot.digest))
    return files.fetch(bot.digest) if kept else own


def remove_unused(store: Store) -> list[str]:
    """Remove the files that no bot of the store refers to, retired ones included; their digests.

    Not for a folder that several stores share: what one of them does not know, another may play.
    """
    files = files_of(store)
    with files.locked():
        used = {bot.digest for bot in store.all_bots()}
        unused = [digest for digest in files.digests() if digest not in used]
        for digest in unused:
            files.remove(digest)
    return unused

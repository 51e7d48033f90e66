"""What an erased team leaves in the results: bots that play no more, without their files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.cli.store import bots_folder, open_store
from arena.intake.folder_storage import FolderStorage, remove


@dataclass(frozen=True, slots=True)
class Removed:
    """What became of the bots of a team."""

    removed: int
    """How many had files, which are gone."""
    images: Sequence[str]
    """Those that are images."""


def remove_bots(results: str, owner: str) -> Removed:
    """Retire every bot of an owner, and remove its files; what another bot has, too, stays."""
    store, storage = open_store(results), FolderStorage(bots_folder(results))
    everything = store.all_bots()
    own = [bot for bot in everything if bot.owner == owner]
    others = {bot.digest for bot in everything if bot.owner != owner}
    for bot in own:
        store.retire_bot(bot.name, bot.version)
    folders = [bot for bot in own if bot.kind == "folder"]
    if folders:
        with storage.locked():
            for bot in folders:
                store.move_bot(bot.id, "")
                kept: Path = storage.path_of(bot.digest)
                if bot.digest not in others and kept.is_dir():
                    remove(kept)
    return Removed(len(folders), [bot.label for bot in own if bot.kind == "image"])

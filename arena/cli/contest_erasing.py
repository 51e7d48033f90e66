"""What an erased team leaves in the results: bots that play no more, without their files."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.bots import register
from arena.cli.store import open_store
from arena.intake.bot_files import files_of


@dataclass(frozen=True, slots=True)
class Removed:
    """What became of the bots of a team."""

    removed: int
    """How many had files, which are gone."""
    images: Sequence[str]
    """Those that are images."""


def remove_bots(results: str, owner: str) -> Removed:
    """Retire every bot of an owner, and remove its files; what another bot has, too, stays."""
    store = open_store(results)
    everything, files = store.all_bots(), files_of(store)
    own = [bot for bot in everything if bot.owner == owner]
    others = {bot.digest for bot in everything if bot.owner != owner}
    for bot in own:
        store.retire_bot(bot.name, bot.version)
    folders = [bot for bot in own if bot.kind == "folder"]
    for bot in folders:
        register.take_files_away(store, bot)
        if bot.digest not in others:
            with files.locked():
                files.remove(bot.digest)
    return Removed(len(folders), [bot.label for bot in own if bot.kind == "image"])

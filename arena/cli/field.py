"""Who takes part in a tournament: registered bots, or on a new machine the sample bots; and what holds them."""

from collections.abc import Sequence
from pathlib import Path

import click

from arena.bots import MANIFEST, Folder, read_manifest
from arena.cli.boxes import PYTHONS, BoxOptions, boxed, folder_digest
from arena.cli.store import find_bot
from arena.errors import InfraError, UsageError
from arena.host import RunningBot
from arena.match import Contestant
from arena.sandboxes.bubblewrap import find_bubblewrap
from arena.store.base import BotEntry, Store

SAMPLES = Path(__file__).parents[2] / "sample_bots"
SAMPLE_OWNER = "arena"
PYTHON_COMMANDS = {(name,) for name in PYTHONS}


def choose_field(store: Store, game: str, names: Sequence[str]) -> list[BotEntry]:
    """The named bots, or all registered ones that play the game; with none at all, the sample bots."""
    if names:
        field = [_named(store, name) for name in names]
        if strangers := [bot.label for bot in field if game not in bot.games]:
            raise UsageError(f"{', '.join(strangers)} does not play {game}")
        if len({bot.id for bot in field}) < len(field):
            raise UsageError("every bot can take part once only")
        return field
    return store.bots(game) or register_samples(store, game)


def register_samples(store: Store, game: str) -> list[BotEntry]:
    """Register the sample bots that play the game and need nothing but Python."""
    for path in sorted(SAMPLES.glob(f"*/{MANIFEST}")):
        manifest = read_manifest(path.parent)
        if game in manifest.games and manifest.command[:1] in PYTHON_COMMANDS:
            register_folder(store, Folder(path.parent.resolve(), manifest), SAMPLE_OWNER)
    return store.bots(game)


def register_folder(store: Store, folder: Folder, owner: str) -> BotEntry:
    """Register a folder as it is now; if its version is taken by other files, the digest makes it a new one."""
    digest = folder_digest(folder.path)
    versions = store.bot_versions(folder.manifest.name)
    for entry in versions:
        if entry.digest == digest and entry.origin == str(folder.path):
            return entry
    taken = any(entry.version == folder.manifest.version for entry in versions)
    version = f"{folder.manifest.version}-{digest.removeprefix('sha256:')[:8]}" if taken else folder.manifest.version
    return store.add_bot(
        name=folder.manifest.name,
        version=version,
        owner=owner,
        digest=digest,
        origin=str(folder.path),
        games=folder.manifest.games,
    )


def is_sample(bot: BotEntry) -> bool:
    """Whether the bot is one of ours, unchanged, so that it may run where there is no sandbox."""
    path = Path(bot.origin)
    return path.parent == SAMPLES and path.is_dir() and folder_digest(path) == bot.digest


def choose_sandbox(field: Sequence[BotEntry], boxes: BoxOptions) -> BoxOptions:
    """The box as asked for; without bubblewrap only our own sample bots may run, and it is said aloud."""
    if boxes.sandbox != "auto":
        return boxes
    try:
        find_bubblewrap()
    except InfraError as error:
        if strangers := [bot.label for bot in field if not is_sample(bot)]:
            raise UsageError(f"{error}; without it {', '.join(strangers)} cannot be held") from error
        click.echo(f"{error}. These are Arena's own sample bots, so they are played WITHOUT a sandbox.", err=True)
        return BoxOptions("process", boxes.limits, boxes.ponder)
    return boxes


def running_bot(entry: BotEntry, boxes: BoxOptions) -> RunningBot:
    """A registered bot in its box, not started yet."""
    contestant = Contestant(entry.name, entry.version, entry.digest)
    path = Path(entry.origin)
    if not path.is_dir():
        raise UsageError(f"the folder of {entry.label} is gone: {path}")
    return boxed(contestant, Folder(path, read_manifest(path)), boxes)


def _named(store: Store, name: str) -> BotEntry:
    path = Path(name)
    if path.is_dir():
        return register_folder(store, Folder(path.resolve(), read_manifest(path)), "local")
    return find_bot(store, name)

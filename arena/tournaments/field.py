"""The field of a tournament: registered bots, or on a new machine the sample bots; and their sandboxes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from arena.bots.builtin import BUILTIN
from arena.bots.making import BotPlan, SandboxOptions, check_unchanged, image_digest
from arena.bots.manifest import (
    Builtin,
    Folder,
    Image,
    Source,
    current_digest,
    find_sample,
    folder_digest,
    read_manifest,
    samples,
)
from arena.errors import InfraError, UsageError
from arena.match import Contestant
from arena.sandboxes.base import Limits
from arena.sandboxes.launched.bubblewrap import find_bubblewrap
from arena.store.base import BotEntry, Store
from arena.store.lookup import find_bot
from arena.submit.registration import LOCAL_OWNER, find_same, free_version
from arena.tournaments.executors.messages import WorkerPlan
from arena.tournaments.settings import Settings

SAMPLE_OWNER = "arena"
BUILTIN_OWNER = "built-in"


def choose_field(store: Store, game: str, names: Sequence[str]) -> list[BotEntry]:
    """The named bots, or all registered ones that play the game; if these are fewer than two, the sample bots too."""
    if names:
        field = [_named(store, name) for name in names]
        if strangers := [bot.label for bot in field if game not in bot.games and bot.owner != BUILTIN_OWNER]:
            raise UsageError(f"{', '.join(strangers)} does not play {game}")
        if len({bot.id for bot in field}) < len(field):
            raise UsageError("every bot can take part once only")
    else:
        field = _everybody(store, game)
    for bot in field:
        check_present(bot)
    return field


def _everybody(store: Store, game: str) -> list[BotEntry]:
    field = _refreshed(store, _present(store, game))
    if len(field) < 2:
        for sample in samples().values():
            if game in sample.manifest.games:
                register_folder(store, sample, SAMPLE_OWNER)
        field = _present(store, game)
    if len(field) < 2:
        known = f"only {field[0].label} plays" if field else "no bot plays"
        raise UsageError(
            f"{known} {game} here: make one with `arena bot new my_bot --game {game}`, and register it with "
            "`arena submit my_bot --owner YOU`, or play it with `arena match`"
        )
    return field


def _present(store: Store, game: str) -> list[BotEntry]:
    return [bot for bot in store.bots(game) if bot.kind != "absent"]


def _refreshed(store: Store, field: list[BotEntry]) -> list[BotEntry]:
    """The same bots, but of our own sample bots those that are here now: they change with Arena itself."""
    ours = _samples_by_path()
    return [
        register_folder(store, ours[bot.origin], SAMPLE_OWNER)
        if bot.owner == SAMPLE_OWNER and bot.origin in ours
        else bot
        for bot in field
    ]


def _samples_by_path() -> dict[str, Folder]:
    return {str(sample.path): sample for sample in samples().values()}


def register_folder(store: Store, folder: Folder, owner: str) -> BotEntry:
    """Register a folder, or the image that it names, as it is now; other content than before is a new version."""
    manifest = folder.manifest
    digest = image_digest(manifest.image) if manifest.image else folder_digest(folder.path)
    origin = digest if manifest.image else str(folder.path)
    versions = store.bot_versions(manifest.name)
    if (known := find_same(versions, digest, origin)) is not None:
        return known
    return store.add_bot(
        name=manifest.name,
        version=free_version(versions, manifest.version, digest),
        owner=owner,
        digest=digest,
        origin=origin,
        games=manifest.games,
    )


def is_sample(bot: BotEntry) -> bool:
    """Whether the bot is one of ours, unchanged, so that it may run where there is no sandbox."""
    return bot.origin in _samples_by_path() and current_digest(Path(bot.origin)) == bot.digest


def choose_sandbox(field: Sequence[BotEntry], options: SandboxOptions, warn: Callable[[str], None]) -> SandboxOptions:
    """The sandbox as asked for; without bubblewrap only our own sample bots may run, and the user is warned."""
    if options.sandbox != "auto":
        return options
    folders = [bot for bot in field if bot.kind == "folder"]
    try:
        if folders:
            find_bubblewrap()
    except InfraError as error:
        if strangers := [bot.label for bot in folders if not is_sample(bot)]:
            raise UsageError(f"{error}; without it {', '.join(strangers)} cannot be held") from error
        warn(f"{error}. These are Arena's own sample bots, so they are played WITHOUT a sandbox.")
        return SandboxOptions("process", options.limits, options.ponder)
    return options


def worker_plan(tournament: int, settings: Settings, field: Sequence[BotEntry]) -> WorkerPlan:
    """What the processes need to know that play a tournament."""
    options = sandbox_options_of(settings)
    return WorkerPlan(
        game=settings.game,
        tournament=tournament,
        bots=tuple(plan_entry(entry, options) for entry in field),
        bot_ids=tuple(entry.id for entry in field),
        seed=settings.seed,
        strikes=settings.strikes,
        fresh=settings.fresh,
    )


def sandbox_options_of(settings: Settings) -> SandboxOptions:
    """How the bots of a tournament are held."""
    limits = Limits(memory_bytes=settings.memory_bytes, cpus=settings.cpus)
    return SandboxOptions(settings.sandbox, limits, settings.ponder)


def plan_entry(entry: BotEntry, options: SandboxOptions) -> BotPlan:
    """How to run a registered bot."""
    source: Source
    if entry.owner == BUILTIN_OWNER:
        source = Builtin(entry.name.removeprefix(f"{BUILTIN_OWNER}-"))
    elif entry.kind == "image":
        source = Image(entry.origin)
        # Bots of ours may run without a sandbox; what is in an image never does.
        options = replace(options, sandbox="docker") if options.sandbox == "process" else options
    else:
        path = Path(entry.origin)
        source = Folder(path, read_manifest(path))
    return BotPlan(contestant_of(entry), source, options)


def contestant_of(entry: BotEntry) -> Contestant:
    """A registered bot as it is named in records."""
    return Contestant(entry.name, entry.version, entry.digest)


def check_present(entry: BotEntry) -> None:
    """UsageError unless the files of a bot are here and are those that were registered; an image cannot change."""
    if entry.owner == BUILTIN_OWNER:
        return
    if entry.kind == "absent":
        raise UsageError(f"the files of {entry.label} are not on this machine: `arena submit` them")
    if entry.kind == "folder":
        check_unchanged(Path(entry.origin), contestant_of(entry))


def register_builtin(store: Store, name: str) -> BotEntry:
    """A player inside the referee; it is registered for no game, so that no tournament takes it by itself."""
    known = f"{BUILTIN_OWNER}-{name}"
    for entry in store.bot_versions(known):
        return entry
    return store.add_bot(name=known, version="1", owner=BUILTIN_OWNER, digest="", origin="", games=())


def _named(store: Store, name: str) -> BotEntry:
    path = Path(name)
    if path.is_dir():
        return register_folder(store, Folder(path.resolve(), read_manifest(path)), LOCAL_OWNER)
    if name in BUILTIN and not store.bot_versions(name):
        return register_builtin(store, name)
    if (sample := find_sample(name)) and not _is_taken(store, name):
        return register_folder(store, sample, SAMPLE_OWNER)
    return find_bot(store, name)


def _is_taken(store: Store, name: str) -> bool:
    """Whether a contestant has registered a bot under the name of a sample bot."""
    return any(entry.owner not in (SAMPLE_OWNER, LOCAL_OWNER) for entry in store.bot_versions(name))

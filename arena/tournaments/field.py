"""The field of a tournament: registered bots, or on a new machine the sample bots; and their sandboxes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from arena.bots import register
from arena.bots.builtin import BUILTIN
from arena.bots.files import current_digest
from arena.bots.launch import BotPlan, SandboxOptions, check_unchanged
from arena.bots.manifest import (
    MANIFEST,
    TEMPLATE,
    Builtin,
    Folder,
    Image,
    Source,
    find_sample,
    read_manifest,
    samples,
    unknown_bot,
)
from arena.bots.reserved import OLD_BUILTIN, SAMPLE_OWNER
from arena.errors import InfraError, UsageError
from arena.intake.bot_files import folder_of
from arena.referee.enforcement import COMMON_DEALS, GIVEN_SEED
from arena.sandboxes.base import Limits
from arena.sandboxes.launched.bubblewrap import find_bubblewrap
from arena.standings.ladder import find_bot, newest_versions
from arena.store.base import BotEntry
from arena.store.sql import Store
from arena.tournaments.settings import COMMON, Settings
from arena.workers.messages import WorkerPlan


def choose_field(
    store: Store, game: str, names: Sequence[str], warn: Callable[[str], None] = lambda _: None, *, seats: int = 2,
    trying: bool = False,
) -> list[BotEntry]:  # fmt: skip
    """The named bots, or all of the ladder that play the game; if these are fewer than seats, Arena's own too.

    A folder is only tried out and stays off the ladder; with `trying` so does every other bot that is new here.
    """
    if names:
        field = [_named(store, name, warn, trying=trying) for name in names]
        if strangers := [bot.label for bot in field if game not in bot.games and bot.kind != "built-in"]:
            raise UsageError(f"{', '.join(strangers)} does not play {game}")
        if len({bot.id for bot in field}) < len(field):
            raise UsageError("every bot can take part once only")
    else:
        field = _everybody(store, game, seats)
    return [present(store, bot) for bot in field]


def _everybody(store: Store, game: str, seats: int) -> list[BotEntry]:
    field = _refreshed(store, _present(store, game))
    if len(field) < seats:
        for sample in samples().values():
            if game in sample.manifest.games and not _strangers(store, sample.manifest.name):
                register.sample(store, sample, tried=False)
        if not _strangers(store, TEMPLATE):
            register.builtin(store, TEMPLATE, tried=False)
        field = _present(store, game)
    if len(field) < 2:
        known = f"only {field[0].label} plays" if field else "no bot plays"
        raise UsageError(
            f"{known} {game} here: make one with `arena bot new my_bot --game {game}`, and register it with "
            "`arena submit my_bot --owner YOU`, or play it with `arena match`"
        )
    return field


def _present(store: Store, game: str) -> list[BotEntry]:
    return [bot for bot in newest_versions(store.all_bots(), game) if bot.kind != "absent"]


def _refreshed(store: Store, field: list[BotEntry]) -> list[BotEntry]:
    """The same bots, but of our own those that are here now: they change with Arena itself."""
    ours = {sample.manifest.name: sample for sample in samples().values()}

    def now(bot: BotEntry) -> BotEntry:
        if bot.owner == SAMPLE_OWNER and bot.name in BUILTIN:
            return register.builtin(store, bot.name, tried=False)
        known = bot.owner == SAMPLE_OWNER and bot.name in ours
        return register.sample(store, ours[bot.name], tried=False) if known else bot

    return list(map(now, field))


def _samples_by_path() -> dict[str, Folder]:
    return {str(sample.path): sample for sample in samples().values()}


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
        extra_enforcement=deal_facts(settings),
    )


def deal_facts(settings: Settings) -> dict[str, str]:
    """What every record says of the deals of a tournament, as far as they could help a hostile bot."""
    shared = settings.deals == COMMON and len(settings.field) > settings.seats
    return ({"deals": COMMON_DEALS} if shared else {}) | ({"seed": GIVEN_SEED} if settings.seed_given else {})


def sandbox_options_of(settings: Settings) -> SandboxOptions:
    """How the bots of a tournament are held."""
    limits = Limits(memory_bytes=settings.memory_bytes, cpus=settings.cpus)
    return SandboxOptions(settings.sandbox, limits, settings.ponder)


def plan_entry(entry: BotEntry, options: SandboxOptions) -> BotPlan:
    """How to run a registered bot."""
    source: Source
    if entry.kind == "built-in":
        source = Builtin(entry.name.removeprefix(f"{OLD_BUILTIN}-"))
    elif entry.kind == "image":
        source = Image(entry.origin)
        # Bots of ours may run without a sandbox; what is in an image never does.
        options = replace(options, sandbox="docker") if options.sandbox == "process" else options
    else:
        path = Path(entry.origin)
        source = Folder(path, read_manifest(path))
    return BotPlan(entry.contestant, source, options)


def present(store: Store, entry: BotEntry) -> BotEntry:
    """The bot with its files on this machine; UsageError unless they are those that were registered."""
    if entry.kind == "folder":
        folder = folder_of(store, entry)
        # Another machine that uses the store may have its Arena, and so our own bots, at another place.
        entry = replace(entry, origin=str(folder) if folder.is_dir() else register.own_files(entry) or str(folder))
    check_present(entry)
    return entry


def check_present(entry: BotEntry) -> None:
    """UsageError unless the files of a bot are here and are those that were registered; an image cannot change."""
    if entry.kind == "absent":
        raise UsageError(f"the files of {entry.label} are not on this machine: `arena submit` them")
    if entry.kind == "folder":
        check_unchanged(Path(entry.origin), entry.contestant)


def _named(store: Store, name: str, warn: Callable[[str], None], *, trying: bool) -> BotEntry:
    """The bot that a name means: a folder here goes before a bot of the ladder, whose version tells it apart."""
    path, registered = Path(name), [entry for entry in store.bot_versions(name) if entry.on_ladder]
    sample = find_sample(name)
    own = name in BUILTIN or sample is not None
    if path.is_dir() and ((path / MANIFEST).is_file() or not (registered or own)):
        if own and (sample is None or path.resolve() != sample.path.resolve()):
            raise UsageError(
                f"{name} is a folder here and one of Arena's own bots: write ./{name} for the folder, or go to another "
                "folder to play Arena's own"
            )
        folder = register.tried_folder(store, Folder(path.resolve(), read_manifest(path)))
        if registered and not folder.on_ladder:
            ladder = f"{name}@{find_bot(store, name).version}"
            warn(f"{name} is the folder here, as {folder.label}: write {ladder} for the bot of the ladder")
        return folder
    if own:
        for entry in _strangers(store, name):
            raise register.ambiguous(entry, name)
        return register.sample(store, sample, tried=trying) if sample else register.builtin(store, name, tried=trying)
    if "@" not in name and not store.bot_versions(name):
        raise unknown_bot(
            name, "`arena bots list` shows those in the store, and a folder of yours is named by its path"
        )
    return find_bot(store, name)


def _strangers(store: Store, name: str) -> list[BotEntry]:
    """Contestants' bots that are registered under the name of one of ours, as stores of earlier releases may have."""
    return [
        entry
        for entry in store.bot_versions(name)
        if entry.on_ladder and not entry.retired and entry.owner != SAMPLE_OWNER
    ]

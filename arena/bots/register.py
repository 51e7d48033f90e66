"""The only way into the store for a bot, however it came: submitted, tried out, shipped with Arena, or imported.

The rules of names, owners and versions are here; whoever calls says what there is.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from arena.bots.files import folder_digest
from arena.bots.launch import image_digest
from arena.bots.manifest import TEMPLATE, Folder, Manifest, checked_name, samples, template_games
from arena.bots.reserved import BUILTIN_VERSION, LOCAL_OWNER, SAMPLE_OWNER, check_free, check_tried
from arena.errors import UsageError
from arena.store.base import BotEntry
from arena.store.sql import Store

FIRST_VERSION = "1"
_VERSION_CHARACTERS = 40
_MARK_DIGITS = range(8, 32, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistrationRequest:
    """What a submitter asks for; None and () leave it to the bot.toml."""

    owner: str
    name: str | None = None
    version: str | None = None
    games: tuple[str, ...] = ()
    among: tuple[str, ...] = ()
    """The games that are played where it is handed in; it is registered for no other. () is all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """The name, owner, games and version under which a bot is registered."""

    name: str
    owner: str
    games: tuple[str, ...]
    version: str
    fixed: bool
    """Whether the submitter asked for exactly this version."""


def plan_registration(
    store: Store, manifest: Manifest | None, request: RegistrationRequest, known_games: Collection[str]
) -> Registration:
    """The registration that follows from request and manifest; UsageError if its name or games are not allowed."""
    owner = checked_name(request.owner, "--owner")
    name = request.name if request.name is not None else manifest and manifest.name
    if name is None:
        raise UsageError("an image does not say who it is: give --name, and --game for each game that it plays")
    name = checked_name(name, "--name")
    check_free(name, owner)
    _check_owner(store, name, owner)
    version = request.version if request.version is not None else manifest.version if manifest else FIRST_VERSION
    version = checked_name(version, "--version")
    return Registration(
        name=name, owner=owner, games=_games(manifest, request, known_games), version=version,
        fixed=request.version is not None,
    )  # fmt: skip


def find_submitted(store: Store, registration: Registration, digest: str) -> BotEntry | None:
    """The version that this content has or takes over, if there is one; UsageError if that is retired."""
    versions = store.bot_versions(registration.name)
    known = find_same(versions, digest)
    if known is not None and not known.on_ladder:  # its matches name the version that it was tried as
        wanted = version_of(store, registration, digest)
        known = next((entry for entry in versions if (entry.version, entry.digest) == (wanted, digest)), None)
    if known is not None and known.retired:
        raise UsageError(
            f"exactly this is {known.label}, which is retired: `arena bots restore {known.name}@{known.version}` "
            "lets it play again"
        )
    return known


def version_of(store: Store, registration: Registration, digest: str) -> str:
    """The version that this content has on the ladder, or else a free one."""
    versions = store.bot_versions(registration.name)
    known = find_same(versions, digest)
    if known is not None and known.on_ladder:
        return known.version
    return free_version(versions, registration.version, digest, fixed=registration.fixed)


def submitted(store: Store, registration: Registration, digest: str, origin: str) -> BotEntry:
    """Put what was handed in and tried onto the ladder; it brings the files of what was imported without them."""
    bring_files(store, registration.name, digest, origin)
    known = find_submitted(store, registration, digest)
    if known is not None and known.on_ladder:
        return store.move_bot(known.id, origin)
    if known is not None:
        return store.promote_bot(known.id, owner=registration.owner, origin=origin, games=registration.games)
    return store.add_bot(
        name=registration.name,
        version=version_of(store, registration, digest),
        owner=registration.owner,
        digest=digest,
        origin=origin,
        games=registration.games,
    )


def tried_folder(store: Store, folder: Folder) -> BotEntry:
    """A folder that somebody tries out: it stays off the ladder and claims no version, unless it was handed in."""
    return _folder(store, folder, LOCAL_OWNER, tried=True)


def sample(store: Store, folder: Folder, *, tried: bool) -> BotEntry:
    """A sample bot of Arena, as it is now."""
    return _folder(store, folder, SAMPLE_OWNER, tried=tried)


def builtin(store: Store, name: str, *, tried: bool) -> BotEntry:
    """A player inside the referee. It plays every game; of those here no tournament takes it by itself but `random`."""
    games = template_games() if name == TEMPLATE else ()
    for entry in store.bot_versions(name):
        if entry.version == BUILTIN_VERSION:
            promoted = not tried and not entry.on_ladder
            return store.promote_bot(entry.id, owner=SAMPLE_OWNER, origin="", games=games) if promoted else entry
    return store.add_bot(
        name=name, version=BUILTIN_VERSION, owner=SAMPLE_OWNER, digest="", origin="", games=games, tried=tried
    )


def imported(store: Store, bots: Sequence[BotEntry], *, rated: bool) -> dict[int, int]:
    """The numbers of an archive's bots in this store by those in the archive; those that are new here have no files.

    None of them takes a name, or the place of a bot that can be played: what the archive says of owners is not proved.
    """
    here = store.all_bots()
    for bot in bots:
        for known in here:
            _check_imported_name(bot, known)
    if rated:
        _check_imported_owners(bots)
    names = {known.name for known in here if known.on_ladder}
    return {bot.id: _imported(store, bot, tried=not rated or bot.name in names) for bot in bots}


def bring_files(store: Store, name: str, digest: str, origin: str) -> None:
    """Note where the files are of all versions with this content that came without them."""
    for entry in store.bot_versions(name):
        if (entry.digest, entry.kind) == (digest, "absent"):
            store.move_bot(entry.id, origin)


def take_files_away(store: Store, bot: BotEntry) -> None:
    """Note that the files of a bot are here no more; its results stay."""
    store.move_bot(bot.id, "")


def find_same(versions: Sequence[BotEntry], digest: str) -> BotEntry | None:
    """The version with exactly this content, handed in or tried out, if there is one; one on the ladder goes first."""
    same = [entry for entry in versions if entry.digest == digest]
    return max(same, key=lambda entry: (entry.on_ladder, -entry.id), default=None)


def free_version(versions: Sequence[BotEntry], wanted: str, digest: str, *, fixed: bool = False) -> str:
    """The version that was wanted; if other content has it, one made of it and the digest, unless it is fixed."""
    taken = {entry.version for entry in versions if entry.digest != digest}
    if fixed and wanted in taken:
        raise UsageError(f"there is a bot {versions[0].name} {wanted} already: give this one another version")
    return next((name for name in (wanted, *_marked(wanted, digest)) if name not in taken), wanted)


def _marked(wanted: str, digest: str) -> Iterator[str]:
    """The version with a mark of its content; where two digests begin alike, more digits tell them apart."""
    for digits in _MARK_DIGITS:
        mark = f"-{digest.removeprefix('sha256:')[:digits]}"
        yield wanted[: _VERSION_CHARACTERS - len(mark)] + mark


def ambiguous(entry: BotEntry, name: str) -> UsageError:
    """That a name means one of Arena's own bots and a contestant's, as it may in stores of earlier releases."""
    one = f"{entry.name}@{entry.version}"
    return UsageError(
        f"{name} means one of Arena's own bots, and {entry.owner or 'somebody'} has registered a bot under that name: "
        f"write {one} for that one, or retire it (`arena bots retire {one}`) to play Arena's own"
    )


def _check_owner(store: Store, name: str, owner: str) -> None:
    for entry in store.all_bots():
        # What was only tried out takes nobody's name.
        if not entry.on_ladder or entry.name.casefold() != name.casefold():
            continue
        if entry.name != name:
            raise UsageError(f"there is a bot {entry.name} already, whose name differs in case only: choose another")
        if entry.owner not in (owner, LOCAL_OWNER):
            raise UsageError(f"the name {name} belongs to {entry.owner}: choose another with --name")


def _games(manifest: Manifest | None, request: RegistrationRequest, known: Collection[str]) -> tuple[str, ...]:
    games = tuple(dict.fromkeys(request.games or (manifest.games if manifest else ())))
    if not games:
        raise UsageError("an image does not say what it plays: give --game for each game")
    if strange := [game for game in games if game not in known]:
        raise UsageError(f"there is no game {strange[0]!r}: there are {', '.join(known)}")
    if manifest and (missing := [game for game in games if game not in manifest.games]):
        raise UsageError(f"its bot.toml does not name {missing[0]}, but {', '.join(manifest.games)}")
    return _played_here(games, request)


def _played_here(games: tuple[str, ...], request: RegistrationRequest) -> tuple[str, ...]:
    """Those of its games that are played where it is handed in; one that was asked for must be among them."""
    here = tuple(game for game in games if not request.among or game in request.among)
    if not here or (request.games and here != games):
        strange = next(game for game in games if game not in here)
        raise UsageError(f"{strange} is not played here: hand in a bot for {' or '.join(request.among)}")
    return here


def _folder(store: Store, folder: Folder, owner: str, *, tried: bool) -> BotEntry:
    """A folder, or the image that it names, as it is now; other content than before is a new version."""
    manifest = folder.manifest
    check_tried(manifest.name, manifest.version)
    digest = image_digest(manifest.image) if manifest.image else folder_digest(folder.path)
    origin = digest if manifest.image else str(folder.path)
    versions = store.bot_versions(manifest.name)
    if (known := find_same(versions, digest)) is not None:
        return _known_folder(store, known, origin, manifest.games, owner, tried=tried)
    # Nobody submits a sample bot. The version of any other folder is kept free for the submission that will have it.
    wanted = manifest.version if owner == SAMPLE_OWNER else next(_marked(manifest.version, digest))
    return store.add_bot(
        name=manifest.name,
        version=free_version(versions, wanted, digest),
        owner=owner,
        digest=digest,
        origin=origin,
        games=manifest.games,
        tried=tried,
    )


def _known_folder(
    store: Store, known: BotEntry, origin: str, games: Sequence[str], owner: str, *, tried: bool
) -> BotEntry:
    """The entry of content that the store knows, run from where it is now."""
    if not tried and not known.on_ladder:
        return store.promote_bot(known.id, owner=owner, origin=origin, games=games)
    if known.origin != origin and (not known.on_ladder or known.owner == SAMPLE_OWNER):
        return store.move_bot(known.id, origin)
    # A folder can change, so it never becomes the place from which a bot of the ladder is run.
    return replace(known, origin=origin) if known.kind == "absent" else known


def _check_imported_owners(bots: Sequence[BotEntry]) -> None:
    """UsageError if a name would belong to two owners: then neither of them could hand in a bot any more."""
    first: dict[str, BotEntry] = {}
    for bot in bots:
        other = first.setdefault(bot.name.casefold(), bot) if bot.owner != LOCAL_OWNER else bot
        if (other.name, other.owner) != (bot.name, bot.owner):
            raise UsageError(
                f"{other.label} is a bot of {other.owner or 'nobody'} and {bot.label} one of {bot.owner or 'nobody'}, "
                "so the name would belong to two: it cannot be rated"
            )


def _check_imported_name(bot: BotEntry, known: BotEntry) -> None:
    """UsageError if the name of an archive's bot is another one's here."""
    if bot.name.casefold() != known.name.casefold() or (bot.label, bot.digest) == (known.label, known.digest):
        return
    if bot.label == known.label:
        raise UsageError(f"another bot is registered here as {bot.label}: its digest is {known.digest or 'none'}")
    if known.on_ladder and (bot.name != known.name or bot.owner not in (known.owner, LOCAL_OWNER)):
        raise UsageError(
            f"the name {known.name} is that of a bot of {known.owner or 'nobody'} here, and {bot.label} one of "
            f"{bot.owner or 'nobody'} there: name another store with --db"
        )


def _imported(store: Store, bot: BotEntry, *, tried: bool) -> int:
    """The bot in this store, registered without its files if it is new here and none of our own."""
    tried = tried or bot.owner == LOCAL_OWNER  # a folder that nobody handed in there is not on the ladder here
    origin = own_files(bot)
    for known in store.bot_versions(bot.name):
        if (known.version, known.digest) == (bot.version, bot.digest):
            if known.origin == origin and not (tried or known.on_ladder):  # it was imported before, and not rated
                store.promote_bot(known.id, owner=bot.owner, origin=origin, games=bot.games)
            return known.id
    return store.add_bot(
        name=bot.name, version=bot.version, owner=bot.owner, digest=bot.digest, origin=origin, games=bot.games,
        tried=tried,
    ).id  # fmt: skip


def own_files(bot: BotEntry) -> str:
    """Where the files of a sample bot are, if this Arena has the same one: nobody could hand it in by its name."""
    same = (
        str(ours.path)
        for ours in samples().values()
        if (ours.manifest.name, SAMPLE_OWNER) == (bot.name, bot.owner) and folder_digest(ours.path) == bot.digest
    )
    return next(same, "")

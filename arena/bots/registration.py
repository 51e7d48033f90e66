"""Under which name, owner, games and version a bot is registered, and whether these are free."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from arena.bots.manifest import Manifest, checked_name
from arena.bots.reserved import check_free
from arena.errors import UsageError
from arena.store.base import BotEntry
from arena.store.sql import Store

LOCAL_OWNER = "local"
"""The owner of bots that an organiser registers from local folders; a contestant may still take such a name."""
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
        name=name, owner=owner, games=_games(manifest, request.games, known_games), version=version,
        fixed=request.version is not None,
    )  # fmt: skip


def find_same(versions: Sequence[BotEntry], digest: str) -> BotEntry | None:
    """The version with exactly this content, handed in or tried out, if there is one; one on the ladder goes first."""
    same = [entry for entry in versions if entry.digest == digest]
    return max(same, key=lambda entry: (entry.on_ladder, -entry.id), default=None)


def check_resubmission(known: BotEntry, registration: Registration) -> None:
    """UsageError if content that the store knows cannot be handed in like this."""
    if known.retired:
        raise UsageError(
            f"exactly this is {known.label}, which is retired: `arena bots restore {known.name}@{known.version}` "
            "lets it play again"
        )
    if registration.fixed and not known.on_ladder and registration.version != known.version:
        raise UsageError(
            f"exactly this was tried out as {known.label}, and its matches say so: leave out --version, or change it"
        )


def free_version(versions: Sequence[BotEntry], wanted: str, digest: str, *, fixed: bool = False) -> str:
    """The version that was wanted; if it is taken, one made of it and the digest, unless it is fixed."""
    taken = {entry.version for entry in versions}
    if fixed and wanted in taken:
        raise UsageError(f"there is a bot {versions[0].name} {wanted} already: give this one another version")
    # Where the first digits of two digests are the same, more of them tell the two apart.
    marks = (f"-{digest.removeprefix('sha256:')[:digits]}" for digits in _MARK_DIGITS)
    names = (wanted, *(wanted[: _VERSION_CHARACTERS - len(mark)] + mark for mark in marks))
    return next((name for name in names if name not in taken), wanted)


def _check_owner(store: Store, name: str, owner: str) -> None:
    for entry in store.all_bots():
        # What was only tried out takes nobody's name.
        if not entry.on_ladder or entry.name.casefold() != name.casefold():
            continue
        if entry.name != name:
            raise UsageError(f"there is a bot {entry.name} already, whose name differs in case only: choose another")
        if entry.owner not in (owner, LOCAL_OWNER):
            raise UsageError(f"the name {name} belongs to {entry.owner}: choose another with --name")


def _games(manifest: Manifest | None, wanted: tuple[str, ...], known: Collection[str]) -> tuple[str, ...]:
    games = tuple(dict.fromkeys(wanted or (manifest.games if manifest else ())))
    if not games:
        raise UsageError("an image does not say what it plays: give --game for each game")
    if strange := [game for game in games if game not in known]:
        raise UsageError(f"there is no game {strange[0]!r}: there are {', '.join(known)}")
    if manifest and (missing := [game for game in games if game not in manifest.games]):
        raise UsageError(f"its bot.toml does not name {missing[0]}, but {', '.join(manifest.games)}")
    return games

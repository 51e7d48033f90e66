"""Who is on the ladder of a game, and between whom matches count; without numpy, for quick commands."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby

from arena.errors import UsageError, did_you_mean
from arena.store.base import BotEntry, Tally
from arena.store.scope import Scope
from arena.store.sql import Store

LADDER, OLDER, RETIRED, TRIED = "ladder", "older", "retired", "tried out"
"""Where a version stands."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The bots between which results count, and those of them that a table shows."""

    counted: Sequence[BotEntry] = ()
    shown: Sequence[BotEntry] = ()
    left_out: Sequence[BotEntry] = ()
    """Those that played too, but have no row."""


def newest_versions(bots: Iterable[BotEntry], game: str | None = None, *, retired: bool = False) -> list[BotEntry]:
    """The newest version of every bot of the ladder that plays this game, in order of names.

    Retired versions are passed over; with `retired` a bot that has no other is there too.
    """
    newest: dict[str, BotEntry] = {}
    for bot in sorted(bots, key=lambda bot: (not bot.retired, bot.ladder_number)):
        if bot.on_ladder and (retired or not bot.retired):
            newest[bot.name] = bot
    return sorted((bot for bot in newest.values() if game in (None, *bot.games)), key=lambda bot: bot.name)


def status_of(bot: BotEntry, newest: Collection[int]) -> str:
    """Where a version stands, if these are the newest ones."""
    if not bot.on_ladder:
        return TRIED
    if bot.retired:
        return RETIRED
    return LADDER if bot.id in newest else OLDER


def versions_before(bots: Iterable[BotEntry]) -> Mapping[int, int]:
    """For every version on the ladder the one that was there before it, among these."""
    on_ladder = sorted((bot for bot in bots if bot.on_ladder), key=lambda bot: (bot.name, bot.ladder_number))
    before = dict[int, int]()
    for _, versions in groupby(on_ladder, key=lambda bot: bot.name):
        ids = [bot.id for bot in versions]
        before.update(zip(ids[1:], ids))
    return before


def versions_of(bots: Iterable[BotEntry], name: str) -> list[BotEntry]:
    """Every version of a bot as they came onto the ladder, and then those that were only tried out."""
    own = (bot for bot in bots if bot.name == name)
    return sorted(own, key=lambda bot: (not bot.on_ladder, bot.ladder_number, bot.id))


def find_bot(store: Store, text: str) -> BotEntry:
    """The bot that a user names: `name@version`, or `name` for its newest version on the ladder.

    Versions that are retired or were only tried out have their turn where there is no other.
    """
    name, _, version = text.partition("@")
    versions = [entry for entry in store.bot_versions(name) if version in ("", entry.version)]
    if not versions:
        meant = did_you_mean(name, (entry.name for entry in store.all_bots()))
        raise UsageError(
            f"there is no bot {text!r} in the store{meant or ':'} `arena bots list` shows those that there are"
        )
    return next(iter(newest_versions(versions, retired=True)), versions[-1])


def ladder_of(tallies: Sequence[Tally], bots: Iterable[BotEntry], guest: BotEntry | None = None) -> Selection:
    """Of the bots in these results: those between versions on the ladder count, and the newest of these are shown.

    What is retired is passed over, and what was only tried out is left out altogether, except for the guest.
    """
    playing = playing_in(tallies, bots)
    ladder = {bot.id for bot in playing if bot.on_ladder or bot == guest}
    counted = playing_in((tally for tally in tallies if ladder.issuperset(tally.bot_ids)), playing)
    shown = newest_versions(counted)
    ids = {bot.id for bot in shown}
    return Selection(counted, shown, [bot for bot in playing if bot.id not in ids])


def select(scope: Scope, tallies: Sequence[Tally], bots: Iterable[BotEntry]) -> Selection:
    """Who counts and who is shown: in a tournament or a test everybody, else the ladder, unless everybody is wanted."""
    if scope.tests or scope.everybody or scope.tournament_id is not None:
        playing = playing_in(tallies, bots)
        return Selection(playing, playing)
    return ladder_of(tallies, bots)


def playing_in(tallies: Iterable[Tally], bots: Iterable[BotEntry]) -> list[BotEntry]:
    """The bots of these results; one that was registered a moment ago may not be known yet."""
    found = set(chain.from_iterable({tally.bot_ids for tally in tallies}))  # most come up again and again
    return [bot for bot in bots if bot.id in found]


def left_out_words(selection: Selection) -> str:
    """How many versions a table leaves out, and why."""
    names, counted = {bot.name for bot in selection.shown}, {bot.id for bot in selection.counted}
    kinds = Counter(_why_left_out(bot, names, counted) for bot in selection.left_out)
    return ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))


def _why_left_out(bot: BotEntry, shown: Collection[str], counted: Collection[int]) -> str:
    status = status_of(bot, ())
    if status == OLDER and bot.name not in shown and bot.id not in counted:
        return "that met nobody of the ladder"
    return "only tried out" if status == TRIED else status

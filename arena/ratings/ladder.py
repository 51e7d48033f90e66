"""Who is on the ladder of a game, and what counts for it; commands and pages show the same."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Any

from arena.ratings.standings import Standings, standings
from arena.store.base import BotEntry, SeatTally, Tally
from arena.store.sql import Store


@dataclass(frozen=True, slots=True)
class Selection:
    """The bots between which results count, and those of them that a table shows."""

    counted: Sequence[BotEntry]
    shown: Sequence[BotEntry]
    left_out: Sequence[BotEntry] = ()
    """Those that played too, but have no row."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which matches of a game a table is made of; without anything else all that are rated."""

    game: str
    tournament_id: int | None = None
    tests: bool = False
    since: datetime | None = None
    everybody: bool = False
    """Whether versions have a row that are older, retired, or were only tried out."""


def ladder_of(tallies: Sequence[Tally], bots: Iterable[BotEntry]) -> Selection:
    """Of the bots in these results: those between versions on the ladder count, and the newest of these are shown.

    What is retired is passed over, and what was only tried out is left out altogether.
    """
    playing = playing_in(tallies, bots)
    ladder = {bot.id for bot in playing if bot.on_ladder}
    counted = playing_in((tally for tally in tallies if ladder.issuperset(tally.bot_ids)), playing)
    newest: dict[str, BotEntry] = {}
    for bot in sorted(counted, key=lambda bot: bot.ladder_number):
        if not bot.retired:
            newest[bot.name] = bot
    ids = {bot.id for bot in newest.values()}
    return Selection(counted, list(newest.values()), [bot for bot in playing if bot.id not in ids])


def select(scope: Scope, tallies: Sequence[Tally], bots: Iterable[BotEntry]) -> Selection:
    """Who counts and who is shown: in a tournament or a test everybody, else the ladder, unless everybody is wanted."""
    if scope.tests or scope.everybody or scope.tournament_id is not None:
        playing = playing_in(tallies, bots)
        return Selection(playing, playing)
    return ladder_of(tallies, bots)


def read_tallies(store: Store, scope: Scope) -> tuple[list[Tally], list[SeatTally]]:
    """What was counted of the matches."""
    return store.tallies(**_which(scope)), store.seat_tallies(**_which(scope))


def _which(scope: Scope) -> dict[str, Any]:
    """The scope as the store is asked for it."""
    return {"tournament_id": scope.tournament_id, "game": scope.game, "tests": scope.tests, "since": scope.since}


def playing_in(tallies: Iterable[Tally], bots: Iterable[BotEntry]) -> list[BotEntry]:
    """The bots of these results; one that was registered a moment ago may not be known yet."""
    found = set(chain.from_iterable({tally.bot_ids for tally in tallies}))  # most come up again and again
    return [bot for bot in bots if bot.id in found]


def scoped_standings(store: Store, scope: Scope, roles: tuple[str, ...]) -> tuple[Standings, Selection]:
    """The table of these matches, and who is in it."""
    tallies, seats = read_tallies(store, scope)
    selection = select(scope, tallies, store.all_bots())
    table = standings(tallies, seats, selection.counted, roles, selection.shown)
    return replace(table, weak_limits=store.weak_limits(**_which(scope))), selection


def notes_on(table: Standings) -> list[str]:
    """What a reader must know about a table: groups that never met, and limits that were not enforced."""
    notes = []
    if table.groups > 1:
        notes.append(
            f"These are {table.groups} groups of bots that never met, not even by way of others: "
            "ratings of different groups cannot be compared."
        )
    if table.weak_limits:
        notes.append(weak_limits_note(table.weak_limits))
    return notes


def weak_limits_note(weak_limits: Iterable[str]) -> str:
    """That not everything was enforced in the matches of a table."""
    weak = "; ".join(weak_limits)
    return f"Not fully held in some of these matches: {weak}; see `arena doctor` and `arena docs sandboxes`."


def left_out_words(selection: Selection) -> str:
    """How many versions a table leaves out, and why."""
    names, counted = {bot.name for bot in selection.shown}, {bot.id for bot in selection.counted}
    kinds = Counter(_why_left_out(bot, names, counted) for bot in selection.left_out)
    return ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))


def _why_left_out(bot: BotEntry, shown: Collection[str], counted: Collection[int]) -> str:
    if not bot.on_ladder:
        return "only tried out"
    if bot.retired:
        return "retired"
    return "older" if bot.name in shown or bot.id in counted else "that met nobody of the ladder"

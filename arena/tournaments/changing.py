"""What an organiser decides while a tournament is played: a bot plays too, or no more, or the whole is closed."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from arena.errors import UsageError
from arena.schedules.outcomes import Outcomes
from arena.standings.ladder import find_bot
from arena.store.base import ADD, CLOSE, EXCLUDE, Bot, BotEntry, Change, TournamentEntry
from arena.store.sql import Store
from arena.tournaments.driver import lease_to_change
from arena.tournaments.field import choose_field
from arena.tournaments.formats import schedule_of
from arena.tournaments.settings import TEST, Settings
from arena.tournaments.tournament import full_rounds, read_outcomes


def close(store: Store, number: int) -> tuple[TournamentEntry, int, int]:
    """End a tournament with what was played: it, how many matches are in full rounds, and how many in no full one."""
    with _opened(store, number) as (mine, entry):
        played = _played(store, entry)
        at = full_rounds(schedule_of(Settings.of(entry)), played)
        mine.finish_tournament(number, close=Change(CLOSE, at))
    full = sum(place < at for place, _ in played.known())
    return store.tournament(number), full, played.played - full


def add(store: Store, number: int, name: str) -> tuple[BotEntry, int]:
    """Let a bot play too: the bot, and how many matches it has in the tournament already."""
    with _opened(store, number) as (mine, entry):
        (bot,) = choose_field(store, entry.game, [name])
        named = (bot.name, bot.version, bot.digest)
        if named in entry.field and named not in entry.excluded:
            raise UsageError(f"{bot.label} plays in tournament {number} already")
        return bot, _change(mine, entry, ADD, named)


def exclude(store: Store, number: int, name: str) -> tuple[BotEntry, int]:
    """Let a bot play no more: the bot, and how many matches it has played, which stay."""
    with _opened(store, number) as (mine, entry):
        name, _, version = name.partition("@")
        found = [bot for bot in entry.field if bot[0] == name and version in ("", bot[1]) and bot not in entry.excluded]
        if not found:
            raise UsageError(
                f"{name} does not play in tournament {number}: `arena tournament show {number}` shows who does"
            )
        if len(found) > 1:
            raise UsageError(f"say which one: {' or '.join(f'{bot[0]}@{bot[1]}' for bot in found)}")
        return find_bot(store, f"{name}@{found[0][1]}"), _change(mine, entry, EXCLUDE, found[0])


@contextmanager
def _opened(store: Store, number: int) -> Iterator[tuple[Store, TournamentEntry]]:
    """The tournament, if it can be changed, and the store for that: until the end of the block nobody plays it."""
    _check_open(store.tournament(number))
    with lease_to_change(store, number) as lease:
        entry = store.tournament(number)
        _check_open(entry)  # once more, since whoever had the lease before may have ended it
        yield lease.store, entry


def _check_open(entry: TournamentEntry) -> None:
    if entry.finished:
        raise UsageError(f"tournament {entry.id} is {entry.state}: nothing of it changes any more")
    if entry.apart:
        raise UsageError(f"tournament {entry.id} was imported: it can be changed only where it is played")


def _change(store: Store, entry: TournamentEntry, kind: str, bot: Bot) -> int:
    """Note the change, once it is known that there is a schedule with it; how many matches the bot has played."""
    settings, played = Settings.of(entry), _played(store, entry)
    if settings.format == TEST:
        raise UsageError(f"tournament {entry.id} is a test of two bots: nobody can join or leave it")
    change = Change(kind, played.end, bot)
    schedule_of(replace(settings, changes=(*settings.changes, change)))
    store.change_tournament(entry.id, change)
    place = entry.field.index(bot) if bot in entry.field else -1
    return sum(place in outcome.seating for _, outcome in played.known())


def _played(store: Store, entry: TournamentEntry) -> Outcomes:
    field = [find_bot(store, f"{name}@{version}") for name, version, _ in entry.field]
    return read_outcomes(store, entry.id, {bot.id: place for place, bot in enumerate(field)})

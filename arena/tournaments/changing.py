"""What an organiser decides while a tournament is played: a bot plays too, or no more, or the whole is closed."""

from dataclasses import replace

from arena.errors import UsageError
from arena.schedules.outcomes import Outcomes
from arena.standings.ladder import find_bot
from arena.store.base import ADD, CLOSE, EXCLUDE, Bot, BotEntry, Change, TournamentEntry
from arena.store.sql import Store
from arena.tournaments.field import choose_field
from arena.tournaments.formats import schedule_of
from arena.tournaments.settings import TEST, Settings
from arena.tournaments.sole_driver import check_idle
from arena.tournaments.tournament import full_rounds, read_outcomes


def close(store: Store, number: int) -> tuple[TournamentEntry, int, int]:
    """End a tournament with what was played: it, how many matches are in full rounds, and how many in no full one."""
    entry = _open(store, number)
    played = _played(store, entry)
    at = full_rounds(schedule_of(Settings.of(entry)), played)
    store.finish_tournament(number, close=Change(CLOSE, at))
    full = sum(place < at for place, _ in played.known())
    return store.tournament(number), full, played.played - full


def add(store: Store, number: int, name: str) -> tuple[BotEntry, int]:
    """Let a bot play too: the bot, and how many matches it has in the tournament already."""
    entry = _open(store, number)
    (bot,) = choose_field(store, entry.game, [name])
    named = (bot.name, bot.version, bot.digest)
    if named in entry.field and named not in entry.excluded:
        raise UsageError(f"{bot.label} plays in tournament {number} already")
    return bot, _change(store, entry, ADD, named)


def exclude(store: Store, number: int, name: str) -> tuple[BotEntry, int]:
    """Let a bot play no more: the bot, and how many matches it has played, which stay."""
    entry = _open(store, number)
    name, _, version = name.partition("@")
    found = [bot for bot in entry.field if bot[0] == name and version in ("", bot[1]) and bot not in entry.excluded]
    if not found:
        raise UsageError(
            f"{name} does not play in tournament {number}: `arena tournament show {number}` shows who does"
        )
    if len(found) > 1:
        raise UsageError(f"say which one: {' or '.join(f'{bot[0]}@{bot[1]}' for bot in found)}")
    return find_bot(store, f"{name}@{found[0][1]}"), _change(store, entry, EXCLUDE, found[0])


def _open(store: Store, number: int) -> TournamentEntry:
    """The tournament, if it can be changed."""
    entry = store.tournament(number)
    if entry.finished:
        raise UsageError(f"tournament {number} is {entry.state}: nothing of it changes any more")
    if entry.apart:
        raise UsageError(f"tournament {number} was imported: it can be changed only where it is played")
    check_idle(store, number)
    return entry


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

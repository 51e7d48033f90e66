"""Finds bots and matches by what a user calls them, and bots by where they played."""

from arena.errors import UsageError, did_you_mean
from arena.store.base import BotEntry
from arena.store.sql import Store


def bots_in(store: Store, *, tournament_id: int | None = None, game: str | None = None) -> list[BotEntry]:
    """Every bot that played in a tournament, or in any rated match of a game, the oldest first."""
    playing = {tally.bot_id for tally in store.seat_tallies(tournament_id=tournament_id, game=game)}
    return [bot for bot in store.all_bots() if bot.id in playing]


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
    return max(versions, key=lambda entry: (entry.on_ladder and not entry.retired, entry.ladder_number, entry.id))


def find_match(store: Store, beginning: str) -> tuple[int, str]:
    """The tournament and the full name of the match whose name begins like this, where it was played last."""
    found = store.match_keys(beginning) if beginning else []
    if not found:
        raise UsageError(f"there is no match {beginning!r} in the store: `arena history BOT` lists those of a bot")
    if len({match_id for _, match_id in found}) > 1:
        raise UsageError(f"several matches begin with {beginning!r}: give more letters")
    return found[-1]

"""Finds a bot by what a user calls it."""

from arena.errors import UsageError
from arena.store.base import BotEntry, Store


def find_bot(store: Store, text: str) -> BotEntry:
    """The bot that a user names: `name` for its newest version, or `name@version`."""
    name, _, version = text.partition("@")
    versions = [entry for entry in store.bot_versions(name) if version in ("", entry.version)]
    if not versions:
        raise UsageError(f"there is no bot {text!r} in the store: `arena bots list` shows those that there are")
    return versions[-1]

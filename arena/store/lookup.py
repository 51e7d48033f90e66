"""Finds a match by what a user calls it."""

from arena.errors import UsageError
from arena.store.sql import Store


def find_match(store: Store, beginning: str) -> tuple[int, str]:
    """The tournament and the full name of the match whose name begins like this, where it was played last."""
    found = store.match_keys(beginning) if beginning else []
    if not found:
        raise UsageError(f"there is no match {beginning!r} in the store: `arena history BOT` lists those of a bot")
    if len({match_id for _, match_id in found}) > 1:
        raise UsageError(f"several matches begin with {beginning!r}: give more letters")
    return found[-1]

"""Names that mean Arena's own bots wherever a bot is named, and the owners that are nobody's."""

from arena.bots.builtin import BUILTIN
from arena.bots.manifest import samples
from arena.errors import UsageError

SAMPLE_OWNER = "arena"
BUILTIN_OWNER = "built-in"
LOCAL_OWNER = "local"
"""The owner of folders that were only tried out; a contestant may still take such a name."""


def builtin_name(name: str) -> str:
    """What a built-in bot is called in a store."""
    return f"{BUILTIN_OWNER}-{name}"


def is_reserved(name: str) -> bool:
    """Whether a name, in any case, means a sample bot or a built-in one."""
    return name.casefold() in {*BUILTIN, *map(builtin_name, BUILTIN), *(sample.casefold() for sample in samples())}


def check_free(name: str, owner: str) -> None:
    """UsageError if a bot of this name and owner could be taken for one of Arena's own; every way into a store asks."""
    if owner.casefold() in (SAMPLE_OWNER, BUILTIN_OWNER):
        raise UsageError(f"the owner {owner} is Arena itself: choose another with --owner")
    if is_reserved(name):
        raise UsageError(f"the name {name} means one of Arena's own bots: choose another with --name")


def check_tried(name: str) -> None:
    """UsageError if a bot that nobody handed in would lie where a built-in bot is registered."""
    if name.casefold().startswith(f"{BUILTIN_OWNER}-"):
        raise UsageError(f"the name {name} means one of Arena's own bots: choose another in its bot.toml")


def check_imported(name: str, owner: str) -> None:
    """The same for a bot of another store, which has Arena's own bots too, perhaps those of another release."""
    if owner == LOCAL_OWNER:  # what nobody handed in there takes no name here
        check_tried(name)
        return
    if owner == BUILTIN_OWNER and name in map(builtin_name, BUILTIN):
        return
    if owner == SAMPLE_OWNER and not name.casefold().startswith(f"{BUILTIN_OWNER}-"):
        return
    if is_reserved(name) or owner.casefold() in (SAMPLE_OWNER, BUILTIN_OWNER):
        raise UsageError(f"the tournament has a bot {name} of {owner or 'nobody'}, which is a name of Arena's own bots")

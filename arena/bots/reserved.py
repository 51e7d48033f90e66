"""Names that mean Arena's own bots wherever a bot is named, and the owners that are nobody's."""

from arena.bots.builtin import BUILTIN
from arena.bots.manifest import samples
from arena.errors import UsageError

SAMPLE_OWNER = "arena"
BUILTIN_VERSION = "built-in"
"""The version of a player inside the referee in every store: no folder's, so that the two are told apart."""
OLD_BUILTIN = "built-in"
"""The owner of these players in stores of before, where their names began with it, too."""
LOCAL_OWNER = "local"
"""The owner of folders that were only tried out; a contestant may still take such a name."""


def is_reserved(name: str) -> bool:
    """Whether a name, in any case, means a sample bot or a built-in one."""
    own = {*BUILTIN, *(sample.casefold() for sample in samples())}
    return name.casefold() in own or name.casefold().startswith(f"{OLD_BUILTIN}-")


def check_free(name: str, owner: str) -> None:
    """UsageError if a bot of this name and owner could be taken for one of Arena's own; every way into a store asks."""
    if owner.casefold() in (SAMPLE_OWNER, OLD_BUILTIN):
        raise UsageError(f"the owner {owner} is Arena itself: choose another with --owner")
    if is_reserved(name):
        raise UsageError(f"the name {name} means one of Arena's own bots: choose another with --name")


def check_tried(name: str, version: str) -> None:
    """UsageError if a bot that nobody handed in would lie where a built-in bot is registered."""
    if name.casefold().startswith(f"{OLD_BUILTIN}-") or (name in BUILTIN and version == BUILTIN_VERSION):
        raise UsageError(f"the name {name} means one of Arena's own bots: choose another in its bot.toml")


def is_builtin(name: str, version: str, owner: str) -> bool:
    """Whether a bot of any store is a player inside the referee."""
    now = (name in BUILTIN, version, owner) == (True, BUILTIN_VERSION, SAMPLE_OWNER)
    return now or (owner == OLD_BUILTIN and name in {f"{OLD_BUILTIN}-{known}" for known in BUILTIN})


def check_imported(name: str, version: str, owner: str) -> None:
    """The same for a bot of another store, which has Arena's own bots too, perhaps those of another release."""
    if owner == LOCAL_OWNER:  # what nobody handed in there takes no name here
        check_tried(name, version)
        return
    if is_builtin(name, version, owner):
        return
    if owner == SAMPLE_OWNER and not name.casefold().startswith(f"{OLD_BUILTIN}-"):
        return
    if is_reserved(name) or owner.casefold() in (SAMPLE_OWNER, OLD_BUILTIN):
        raise UsageError(f"the tournament has a bot {name} of {owner or 'nobody'}, which is a name of Arena's own bots")

"""Many bots handed in at once: what became of each, and the table of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from arena.cli.output import cell, echo, narrow_table, plain_console, print_json
from arena.contest.people import NewPerson
from arena.contest.roster import owner_of
from arena.contest.submissions import FAILED, REFUSED, REGISTERED
from arena.errors import InfraError, UsageError
from arena.store.base import BotEntry
from arena.untrusted.text import quoted
from arena.web.formats import counted


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one thing that was handed in."""

    thing: str
    owner: str
    state: str
    reason: str = ""
    bot: BotEntry | None = None

    @property
    def sentence(self) -> str:
        """All that there is to say."""
        return f"{self.state} as {self.bot.label}" if self.bot else f"{self.state}: {self.reason}"

    def plain(self) -> dict[str, Any]:
        """For programs."""
        bot = self.bot and {"name": self.bot.name, "version": self.bot.version, "digest": self.bot.digest}
        return {"thing": self.thing, "owner": self.owner, "state": self.state, "reason": self.reason, "bot": bot}


def submit_for(thing: str, roster: Sequence[NewPerson], register: Callable[[str, str], BotEntry]) -> Fate:
    """Hand in for whoever the thing is named after; a failure of ours is no refusal."""
    owner = owner_of(thing, roster)
    if owner is None:
        return Fate(thing, "", REFUSED, f"nobody in the roster is called as {quoted(thing)} begins")
    try:
        return Fate(thing, owner, REGISTERED, bot=register(thing, owner))
    except UsageError as error:
        return Fate(thing, owner, REFUSED, str(error))
    except InfraError as error:
        return Fate(thing, owner, FAILED, str(error))


def show_fates(fates: Sequence[Fate], *, as_json: bool) -> None:
    """The table at the end."""
    if as_json:
        print_json([fate.plain() for fate in fates])
        return
    table = narrow_table("handed in", "owner", "state", "bot, or why not")
    for fate in fates:
        facts = (fate.thing, fate.owner or "–", fate.state, fate.bot.label if fate.bot else fate.reason)
        table.add_row(*map(cell, facts))
    echo("")
    plain_console().print(table)
    good = sum(fate.bot is not None for fate in fates)
    echo(f"{counted(good, 'bot')} of {len(fates)} on the ladder")

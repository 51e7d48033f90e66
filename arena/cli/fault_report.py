"""What the bots of a test did wrong: how often, with which words, and what they printed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any

from arena.store.base import BotEntry
from arena.store.scope import Scope
from arena.store.sql import Store
from arena.web.formats import counted

LAST_LINES = 5
"""Of what a bot at fault printed."""


@dataclass(frozen=True, slots=True)
class BotFaults:
    """What a bot of a test did wrong."""

    bot: BotEntry
    played: int
    endings: Mapping[str, int]
    """How many of its matches ended with which fault."""
    sentence: str
    """About the latest of them."""
    output: str
    """The end of what it printed then."""

    def text(self) -> str:
        """How often, what the last time, and what it printed."""
        kinds = ", ".join(f"{ending} {times}" for ending, times in sorted(self.endings.items()))
        total = f"{sum(self.endings.values())} of {counted(self.played, 'match')}"
        lines = self.output.rstrip().splitlines()[-LAST_LINES:]
        said = "".join(f"\n  {line}" for line in lines) if lines else " nothing"
        return f"{self.bot.label} was at fault in {total} ({kinds}), the last time: {self.sentence}; it printed:{said}"

    def advice(self, game: str) -> str:
        """How to find out more."""
        return f"`arena bot check {quote(self.bot.origin)} --game {game}` finds out why"


def read_faults(store: Store, tournament_id: int, field: Sequence[BotEntry]) -> tuple[list[BotFaults], set[int]]:
    """The faults of every bot that had some, and the numbers of the pairs in which these were."""
    tallies = store.seat_tallies(Scope(tournament_id=tournament_id))
    if not any(tally.at_fault for tally in tallies):
        return [], set()
    faults, pairs = list[BotFaults](), set[int]()
    matches = store.matches(tournament_id=tournament_id)
    for bot in field:
        endings = Counter[str]()
        for match in matches:
            seat = next(number for number, seat in enumerate(match.seats) if seat.bot_id == bot.id)
            if match.seats[seat].at_fault:
                endings[match.seats[seat].ending] += 1
                pairs.add(match.ordinal // 2)
                latest = match, seat
        if endings:
            match, seat = latest
            output = store.kept_match(tournament_id, match.match_id).outputs.get(seat)
            said = output.end if output else ""
            faults.append(BotFaults(bot, len(matches), endings, match.seats[seat].sentence, said))
    return faults, pairs


def plain_faults(faults: BotFaults) -> dict[str, Any]:
    """The faults of a bot as plain data."""
    bot = faults.bot
    facts = {"matches": sum(faults.endings.values()), "endings": dict(faults.endings), "sentence": faults.sentence}
    return {"name": bot.name, "version": bot.version, **facts, "output": faults.output}

"""Tables whose bots stay running from job to job, for as long as the same bots meet again."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from arena.host import RunningBot
from arena.table import Table

MakeBot = Callable[[int], RunningBot]
"""Makes the bot with this number in the field, not started yet."""


@dataclass(slots=True)
class Seated:
    """A table with running bots, named by their numbers in the field."""

    bots: tuple[int, ...]
    running: Sequence[RunningBot]
    table: Table
    spoiled: bool = False
    """Set it when nobody may play with these very processes again."""


class WarmTables:
    """Hands out tables; one that is not used stays warm until its place is needed for other bots."""

    def __init__(self, make_bot: MakeBot, make_table: Callable[[Sequence[RunningBot]], Table], *, most: int) -> None:
        self._make_bot = make_bot
        self._make_table = make_table
        self._most = most
        self._busy = 0
        self._idle: list[Seated] = []

    @asynccontextmanager
    async def seat(self, bots: tuple[int, ...]) -> AsyncIterator[Seated]:
        """A table with these bots, which no other job uses until it is given back."""
        self._busy += 1
        seated = None
        try:
            seated = await self._warm_or_new(bots)
            yield seated
        except BaseException:
            if seated is not None:
                seated.spoiled = True
            raise
        finally:
            self._busy -= 1
            if seated is not None:
                await self._give_back(seated)

    async def close(self) -> None:
        """End all bots that are waiting."""
        while self._idle:
            await self._idle.pop().table.__aexit__()

    async def _warm_or_new(self, bots: tuple[int, ...]) -> Seated:
        for number, seated in enumerate(self._idle):
            if seated.bots == bots:
                return self._idle.pop(number)
        if self._idle and len(self._idle) + self._busy > self._most:
            await self._idle.pop(0).table.__aexit__()
        running = [self._make_bot(number) for number in bots]
        table = self._make_table(running)
        try:
            await table.__aenter__()
        except BaseException:
            await table.__aexit__()
            raise
        return Seated(bots, running, table)

    async def _give_back(self, seated: Seated) -> None:
        if seated.spoiled:
            await seated.table.__aexit__()
        else:
            self._idle.append(seated)

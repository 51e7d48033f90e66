"""How the matches of a worker are kept while it plays on."""

import asyncio

from arena.workers.base import FinishedMatch, Keep, VoidMatch


class SaveBehind:
    """Keeps the matches of one worker while it plays the next one; only one of them waits, so that none pile up."""

    def __init__(self, keep: Keep) -> None:
        self._keep = keep
        self._latest: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "SaveBehind":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._end()

    async def add(self, match: FinishedMatch | VoidMatch) -> None:
        """Begin to keep a match, as soon as the one before it is kept."""
        await self._end()
        self._latest = asyncio.ensure_future(self._keep(match))
        await asyncio.sleep(0)  # what is counted at once may decide whether there is a next match

    async def _end(self) -> None:
        latest, self._latest = self._latest, None
        if latest is not None:
            await latest

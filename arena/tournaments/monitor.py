"""Watches a run: hands its events to whoever listens, and reports its state to the store every few seconds."""

import asyncio
import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress

from arena.errors import ArenaError
from arena.monitoring.events import Event, Listener, RunBegun, RunEnded
from arena.monitoring.run_state import RunState
from arena.store.sql import Store
from arena.tournaments.sole_driver import claim, rival

REPORT_S = 2.0
"""Seconds between two reports to the store: one small transaction each, however many matches there are."""


class Monitor:
    """Reports a run to the store while it is watched; no failure of it reaches the matches."""

    def __init__(self, store: Store, listeners: Sequence[Listener] = ()) -> None:
        self.state = RunState(host=socket.gethostname(), pid=os.getpid())
        self.id = secrets.token_hex(8)
        self._store = store
        self._listeners: tuple[Listener, ...] = (self.state, *listeners)
        self.outcome = "failed"
        """How the run ended, in a word or two."""
        self.on_rival: Callable[[str], None] = lambda _: None
        """Told once, in a sentence, that another process has taken the tournament over."""
        self._over = asyncio.Event()

    def claim(self, tournament_id: int) -> None:
        """Report the run before it begins; UsageError if another process plays the same tournament."""
        claim(self._store, self.id, tournament_id, self.state.status())

    def release(self) -> None:
        """Take the report of the run out of the store, whether or not it has begun."""
        with suppress(ArenaError):
            self._store.end_run(self.id)

    @asynccontextmanager
    async def watching(self, run: RunBegun) -> AsyncIterator[None]:
        """Report the run from its beginning to its end, when its row is taken out of the store."""
        self(run)
        reporting = asyncio.create_task(self._report(run.tournament_id))
        try:
            yield
        finally:
            self(RunEnded(run.tournament_id, run.played + self.state.played, self.outcome))
            self._over.set()  # and the report that is being written is written before its row is taken away
            await reporting
            await asyncio.to_thread(self.release)

    def __call__(self, event: Event) -> None:
        """Hand an event to all that listen."""
        for listener in self._listeners:
            listener(event)

    async def _report(self, tournament_id: int) -> None:
        known = None
        while not self._over.is_set():
            # A store that is away for a moment is no reason to stop: whoever keeps matches there will say so.
            with suppress(ArenaError):
                await asyncio.to_thread(self._store.report_run, self.id, tournament_id, self.state.status())
                found = await asyncio.to_thread(rival, self._store, self.id, tournament_id)
                if found and not known:
                    self.on_rival(known := found)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), REPORT_S)

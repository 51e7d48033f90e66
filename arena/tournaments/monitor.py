"""Watches a run: hands its events to whoever listens, and reports its state to the store every few seconds."""

import asyncio
import os
import secrets
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from arena.errors import ArenaError
from arena.monitoring.events import Event, Listener, RunBegun, RunEnded
from arena.monitoring.run_state import RunState
from arena.store.sql import Store

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
        self._over = asyncio.Event()

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
            with suppress(ArenaError):
                await asyncio.to_thread(self._store.end_run, self.id)

    def __call__(self, event: Event) -> None:
        """Hand an event to all that listen."""
        for listener in self._listeners:
            listener(event)

    async def _report(self, tournament_id: int) -> None:
        while not self._over.is_set():
            # A store that is away for a moment is no reason to stop: whoever keeps matches there will say so.
            with suppress(ArenaError):
                await asyncio.to_thread(self._store.report_run, self.id, tournament_id, self.state.status())
            with suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), REPORT_S)

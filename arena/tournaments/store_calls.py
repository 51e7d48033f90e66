"""Calls of the store by a running tournament: a lost connection to the database is waited out, within limits."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import ParamSpec, TypeVar

from arena.errors import InfraError
from arena.store.failures import ConnectionLost

P = ParamSpec("P")
T = TypeVar("T")
WAIT_S = 300.0
"""Seconds for which a database may be away: a restart takes seconds, a switch to a standby a minute or two."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 5.0
AT_ONCE = 32
"""Calls at once: a commit waits for its disk, and a database commits more per second if many wait together."""


class PersistentCalls:
    """Repeats a call whose connection was lost, for a limited time; every other error is raised at once.

    Only for calls that may be made twice: a commit whose answer was lost may have been carried out.
    """

    def __init__(self, wait_s: float = WAIT_S) -> None:
        self._wait_s = wait_s
        self._lost_since: float | None = None
        """When the connection was lost, while it is."""
        self._stopped = asyncio.Event()
        # Threads of their own, so that a database that hangs holds up nothing else.
        self._threads = ThreadPoolExecutor(AT_ONCE, "store")
        self.say: Callable[[str], None] = lambda _: None
        """Tells the user."""

    async def run(self, function: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
        """The result of a call in a thread, because a database may take its time; InfraError if it stays away."""
        pause, call = FIRST_PAUSE_S, partial(function, *arguments, **options)
        while True:
            try:
                result = await asyncio.get_running_loop().run_in_executor(self._threads, call)
            except ConnectionLost as error:
                self._note_loss(error)
                await self._wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE_S)
            else:
                if self._lost_since is not None:
                    self.say(f"the store answers again after {time.monotonic() - self._lost_since:.0f} s")
                    self._lost_since = None
                return result

    def stop_waiting(self) -> None:
        """Raise the next loss of the connection at once."""
        self._stopped.set()

    def _note_loss(self, error: ConnectionLost) -> None:
        if self._stopped.is_set():
            raise error
        if self._lost_since is None:
            self._lost_since = time.monotonic()
            self.say(f"{error}; no match is lost, and it is tried again for {self._wait_s:g} s")
        elif time.monotonic() > self._lost_since + self._wait_s:
            raise InfraError(f"{error}; it stayed away for {self._wait_s:g} s") from error

    async def _wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopped.wait(), seconds)

"""Calls of the store by a running tournament: what may be asked again is asked again, within limits."""

import asyncio
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import ParamSpec, TypeVar

from arena.errors import InfraError
from arena.store.failures import Collision, ConnectionLost, Retryable

P = ParamSpec("P")
T = TypeVar("T")
WAIT_S = 300.0
"""Seconds for which a database may be away: a restart takes seconds, a switch to a standby a minute or two."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 5.0
COLLISION_PAUSE_S = 0.05
"""Seconds, on average, before a transaction that gave way to another one is made again."""
UNSAID_S = 5.0
"""Seconds for which a call may give way to others before the user is told."""
AT_ONCE = 32
"""Calls at once: a commit waits for its disk, and a database commits more per second if many wait together."""


class RetryingStore:
    """Repeats a call whose connection was lost or that gave way to another one; every other error is raised at once.

    Only for calls that may be made twice: a commit whose answer was lost may have been carried out.
    """

    def __init__(self, wait_s: float = WAIT_S) -> None:
        self._wait_s = wait_s
        self._lost_since: float | None = None
        """When the store was last of use, while it is not."""
        self._stopped = asyncio.Event()
        # Threads of their own, so that a database that hangs holds up nothing else.
        self._threads = ThreadPoolExecutor(AT_ONCE, "store")
        self.say: Callable[[str], None] = lambda _: None
        """Tells the user."""

    async def run(self, function: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
        """The result of a call in a thread, because a database may take its time; InfraError if it stays away."""
        pause, call, started = FIRST_PAUSE_S, partial(function, *arguments, **options), time.monotonic()
        while True:
            try:
                result = await asyncio.get_running_loop().run_in_executor(self._threads, call)
            except ConnectionLost as error:
                self._note_loss(error)
                await self._wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE_S)
            except Collision as error:
                if time.monotonic() > started + UNSAID_S:
                    self._note_loss(error)
                await self._wait(COLLISION_PAUSE_S * 2 * random.random())  # so that the same two do not meet again
            else:
                if self._lost_since is not None:
                    self.say(f"the store answers again after {time.monotonic() - self._lost_since:.0f} s")
                    self._lost_since = None
                return result

    def stop_waiting(self) -> None:
        """Raise the next error at once."""
        self._stopped.set()

    def _note_loss(self, error: Retryable) -> None:
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

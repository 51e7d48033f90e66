"""Measures when the referee itself could not run: a thread that sleeps for 5 ms, over and over, and notes long sleeps.

A bot that seems late while the referee could not run is not to blame. The thread notes when the whole process stood
still; the event loop, if it is a TimedLoop, notes when it was too busy to poll its sockets. Time that the referee
spends on a bot's own bytes is not counted in that bot's favour (see the link), and bots are held to their share of
the processors; so nobody gains time by making the referee slow.
"""

import threading
import time
from collections.abc import Callable
from typing import Protocol

from arena.referee import looptime, priority
from arena.referee.looptime import MIN_STALL, Stalls, covered

INTERVAL = 0.005


class Heartbeat(Protocol):
    """Measures how long the referee's machine stood still."""

    def lag(self, since: float, until: float) -> float:
        """The seconds between these moments of the monotonic clock in which the referee could not run."""
        ...


class _SteadyHeartbeat:
    """A machine that never lags: for tests and for play without a clock."""

    def lag(self, since: float, until: float) -> float:  # noqa: ARG002
        return 0.0


STEADY = _SteadyHeartbeat()


class ThreadHeartbeat:
    """Measures the real machine, for as long as it is entered as a context."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._stalls = Stalls()
        self._due = now() + INTERVAL
        """When the thread ought to wake up next."""
        self._stopped = False
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    def __enter__(self) -> "ThreadHeartbeat":
        self._due = self._now() + INTERVAL
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped = True
        self._thread.join()

    def lag(self, since: float, until: float) -> float:
        """What the thread overslept, the sleep that goes on included, and what the running loop missed."""
        spans = self._stalls.since(since)
        # After a stall the loop may run before the thread does, so the thread need not have noted it yet.
        due, now = self._due, self._now()
        if now - due > MIN_STALL:
            spans.append((due, now))
        if selector := looptime.current():
            spans += selector.stalls.since(since)
        return covered(spans, since, until) if spans else 0.0

    def _beat(self) -> None:
        priority.raise_own()  # like the loop: what keeps only this thread waiting is no stall
        while not self._stopped:
            time.sleep(INTERVAL)  # threading.Event.wait would take half as much processor time again
            woke = self._now()
            self._stalls.note(self._due, woke)
            self._due = woke + INTERVAL

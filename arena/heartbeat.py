"""Whether this machine kept time: a thread that sleeps a moment, over and over, and notes when it overslept.

A bot that seems late while the referee itself could not run is not to blame. Nothing that a bot sends can
cause this, and bots are held to their share of the processors; so the referee alone decides it.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

INTERVAL = 0.005
NOTED = 0.01
"""Oversleeping less than this is usual and not worth keeping."""


class Heartbeat(Protocol):
    """Knows how badly the referee's machine lagged."""

    def worst_since(self, moment: float) -> float:
        """The longest oversleep, in seconds, noted since this moment of the monotonic clock."""
        ...


class SteadyHeartbeat:
    """A machine that never lags: for tests and for play without a clock."""

    def worst_since(self, moment: float) -> float:  # noqa: ARG002
        """None at all."""
        return 0.0


STEADY = SteadyHeartbeat()


class ThreadHeartbeat:
    """Measures the real machine, for as long as it is entered as a context."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._noted: deque[tuple[float, float]] = deque(maxlen=1000)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    def __enter__(self) -> "ThreadHeartbeat":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def worst_since(self, moment: float) -> float:
        """The longest oversleep noted since then."""
        if not self._noted or self._noted[-1][0] < moment:
            return 0.0
        return max((lag for when, lag in list(self._noted) if when >= moment), default=0.0)

    def _beat(self) -> None:
        before = self._now()
        while not self._stop.wait(INTERVAL):
            after = self._now()
            if (lag := after - before - INTERVAL) > NOTED:
                self._noted.append((after, lag))
            before = after

"""How often somebody may try something: two windows for each key, in memory that does not grow without bound."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

KEYS = 10_000
"""Addresses or names that are remembered; the one that was not seen for the longest is forgotten first."""


@dataclass(frozen=True, slots=True)
class Window:
    """So many at once, and after that as many in so many seconds."""

    times: int
    seconds: float


class Limiter:
    """Counts tries, each in all of its windows."""

    def __init__(self, *windows: Window, keys: int = KEYS, now: Callable[[], float] = time.monotonic) -> None:
        self._windows, self._keys, self._now = windows, keys, now
        self._levels: OrderedDict[str, tuple[float, tuple[float, ...]]] = OrderedDict()
        """When it was counted last, and how full each window was then; a window empties steadily."""
        self._lock = threading.Lock()

    def wait_of(self, key: str) -> float:
        """Seconds until this key may try again; 0 if it may now."""
        with self._lock:
            levels = self._at_present(key)
        over = ((level + 1 - window.times, window) for level, window in zip(levels, self._windows))
        return max(0.0, *(more * window.seconds / window.times for more, window in over))

    def add(self, key: str) -> None:
        """Count one try of this key."""
        with self._lock:
            self._levels[key] = self._now(), tuple(level + 1 for level in self._at_present(key))
            self._levels.move_to_end(key)
            while len(self._levels) > self._keys:
                self._levels.popitem(last=False)

    def _at_present(self, key: str) -> tuple[float, ...]:
        at, levels = self._levels.get(key, (0.0, (0.0,) * len(self._windows)))
        passed = self._now() - at
        return tuple(
            max(0.0, level - passed * window.times / window.seconds) for level, window in zip(levels, self._windows)
        )

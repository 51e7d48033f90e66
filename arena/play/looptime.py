"""When bytes came, as far as the loop can know: an event loop that notes when it last looked at its sockets.

Linux stamps no bytes of a Unix stream socket (SO_TIMESTAMPNS can be set there and then says nothing; of a TCP socket
it tells the newest segment's arrival). So the loop looks twice. What is there at the first look, which does not wait,
came at some time since the look before, while we were busy: its time is that of the look before, for the doubt is
ours. What wakes the loop from its sleep came just now.
"""

import asyncio
import selectors
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")
Span = tuple[float, float]
"""The begin and the end of something, on the monotonic clock."""

NOTED = 0.01
"""Seconds of standing still that are worth keeping; less than this is usual."""


class Standstills:
    """The newest spans in which something of ours could not run."""

    def __init__(self) -> None:
        self._spans: deque[Span] = deque(maxlen=1000)

    def note(self, begin: float, end: float) -> None:
        """Keep this span if it is long enough."""
        if end - begin > NOTED:
            self._spans.append((begin, end))

    def since(self, moment: float) -> list[Span]:
        """All spans that end after this moment."""
        if not self._spans or self._spans[-1][1] <= moment:
            return []
        return [span for span in list(self._spans) if span[1] > moment]


def covered(spans: Iterable[Span], since: float, until: float) -> float:
    """How many seconds between two moments these spans cover together, none of them counted twice."""
    total = 0.0
    for begin, end in sorted(spans):
        start, stop = max(begin, since), min(end, until)
        if stop > start:
            total += stop - start
            since = stop
    return total


class LoopSelector(selectors.DefaultSelector):
    """Notes when the loop looked, and when it did not get to look."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.standstills = Standstills()
        self.arrival = now()
        """The earliest moment at which the bytes that were reported last may have come."""
        self._now = now
        self._looked = self.arrival
        """When the last look was over."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """What is there already, or else what comes within this time."""
        self.arrival = self._looked
        events = super().select(0)
        self._looked = self._now()
        self.standstills.note(self.arrival, self._looked)
        if events or (timeout is not None and timeout <= 0):
            return events
        began = self._looked
        events = super().select(timeout)
        self.arrival = self._looked = self._now()
        if timeout is not None:
            self.standstills.note(began + timeout, self._looked)
        return events


class TimedLoop(asyncio.SelectorEventLoop):
    """The event loop of whoever takes the time of bots."""

    def __init__(self) -> None:
        self.looks = LoopSelector()
        super().__init__(self.looks)


def current() -> LoopSelector | None:
    """The looks of the running loop, if it is one that notes them."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return None
    return loop.looks if isinstance(loop, TimedLoop) else None


def stood_still(since: float) -> float:
    """The seconds since then in which the running loop could not run, if it is one that notes them."""
    looks = current()
    return covered(looks.standstills.since(since), since, time.monotonic()) if looks else 0.0


def run(main: Coroutine[Any, Any, T]) -> T:
    """Like asyncio.run, on a loop that notes its looks."""
    with asyncio.Runner(loop_factory=TimedLoop) as runner:
        return runner.run(main)

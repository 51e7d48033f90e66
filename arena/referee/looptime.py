"""Arrival times of bytes: an event loop that notes when it last polled its sockets.

Linux has no timestamps for the bytes of a Unix stream socket (SO_TIMESTAMPNS can be set there without effect; for a
TCP socket it gives the arrival of the newest segment). So the loop polls twice. What the first poll finds, which does
not wait, arrived at some time since the poll before, while we were busy: it is given the time of the poll before, in
the bot's favour. What wakes the loop from its sleep arrived just now.
"""

import asyncio
import selectors
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")
Events = list[tuple[selectors.SelectorKey, int]]
Span = tuple[float, float]
"""Begin and end of an interval, on the monotonic clock."""

MIN_STALL = 0.01
"""Seconds of standing still that are worth keeping; less than this is usual."""
SHORT_WAIT, MAX_WITHOUT_TURN = 0.002, 0.005
"""Longest direct wait on the selector, and how long the loop may be starved by such waits."""


class Stalls:
    """The newest intervals in which a thread or a loop of ours could not run."""

    def __init__(self) -> None:
        self._spans: deque[Span] = deque(maxlen=1000)

    def note(self, begin: float, end: float) -> None:
        """Keep this span if it is long enough."""
        if end - begin > MIN_STALL:
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
    """A selector that notes when it was polled, and when it was polled late."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.stalls = Stalls()
        self.arrival = now()
        """The earliest moment at which the bytes that were reported last may have arrived."""
        self._now = now
        self._polled = self.arrival
        """When the last poll was over."""
        self._turn = self.arrival
        """When the loop itself polled last."""
        self.callers: set[object] = set()
        """Who waits for bytes now; one that is alone may wait here, while several need the loop."""

    def select(self, timeout: float | None = None) -> Events:
        """What is there already, or else what comes within this time, for the loop."""
        events = self._poll(timeout)
        self._turn = self._polled
        return events

    def stalls_since(self, since: float) -> list[Span]:
        """The stalls that end after this moment, with the one that goes on while something keeps the loop."""
        going_on = (self._polled, self._now())
        return self.stalls.since(since) + ([going_on] if going_on[1] - going_on[0] > MIN_STALL else [])

    def wait_for(self, file: int) -> bool:
        """Wait a moment for bytes of this file alone; False leaves the wait to the loop.

        A turn of the loop takes longer than the kernel's work for a quick reply. But whatever else happens meanwhile is
        the loop's, and so is everything when others wait too, or when the loop had no turn for a while.
        """
        if len(self.callers) > 1 or self._polled - self._turn > MAX_WITHOUT_TURN:
            return False
        events = self._poll(SHORT_WAIT)
        if len(events) == 1 and events[0][0].fd == file and events[0][1] == selectors.EVENT_READ:
            return True
        if events:
            self._polled = self.arrival  # the loop finds them again, and they did not arrive any later for that
        return False

    def _poll(self, timeout: float | None) -> Events:
        self.arrival = self._polled
        events = super().select(0)
        self._polled = self._now()
        self.stalls.note(self.arrival, self._polled)
        if events or (timeout is not None and timeout <= 0):
            return events
        began = self._polled
        events = super().select(timeout)
        self.arrival = self._polled = self._now()
        if timeout is not None:
            self.stalls.note(began + timeout, self._polled)
        return events


class TimedLoop(asyncio.SelectorEventLoop):
    """The event loop of a process that measures the time of bots."""

    def __init__(self) -> None:
        self.selector = LoopSelector()
        super().__init__(self.selector)


def current() -> LoopSelector | None:
    """The selector of the running loop, if that is a TimedLoop."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return None
    return loop.selector if isinstance(loop, TimedLoop) else None


def stalled_seconds(since: float) -> float:
    """The seconds since then in which the running loop could not run, if it is a TimedLoop; else 0."""
    selector = current()
    return covered(selector.stalls_since(since), since, time.monotonic()) if selector else 0.0


class Deadline:
    """The end of the seconds that somebody has from now on, later by as long as the running loop stands still."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._began = time.monotonic()

    def left(self) -> float:
        """The seconds until then, as far as is known now; not above 0 when it is over."""
        return self._began + self.seconds + stalled_seconds(self._began) - time.monotonic()


def run(main: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=TimedLoop) as runner:
        return runner.run(main)

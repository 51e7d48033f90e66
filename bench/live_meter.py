"""Writes down the processor time of a process, match by match, and how much of it the live feed took."""

import json
import os
import threading
import time
import types
from collections.abc import Callable, Coroutine, Generator
from dataclasses import asdict, dataclass
from functools import wraps
from pathlib import Path
from typing import Any

FOLDER, KIND = "ARENA_BENCH_LIVE_FOLDER", "ARENA_BENCH_LIVE_KIND"
"""Variables of the environment: where driver and worker write, and what is measured."""
FEED, NO_FEED, ALTERNATING = "feed", "no-feed", "alternating"
"""The kinds; with the last one, some matches are reported and others are not."""


@dataclass(frozen=True, slots=True)
class Line:
    """What a process had used when a match was over."""

    at: float
    """The time of day."""
    processor: float
    """Seconds of a processor, of the whole process."""
    feed: float
    """Seconds of it that the feed took."""
    moves: int
    """Of this match."""
    reported: bool
    """Whether this match was reported."""


def read_lines(path: Path) -> list[Line]:
    """What a process wrote."""
    return [Line(**json.loads(line)) for line in path.read_text().splitlines()]


class Meter:
    """Adds up the processor time of some calls of this process, in whatever threads they run."""

    def __init__(self, role: str) -> None:
        self.kind = os.environ[KIND]
        self._seconds, self._lock, self._here = 0.0, threading.Lock(), threading.local()
        self._path = Path(os.environ[FOLDER], f"{role}-{os.getpid()}.jsonl")

    def add(self, seconds: float) -> None:
        """Add time that was measured elsewhere."""
        with self._lock:
            self._seconds += seconds

    def measure(self, owner: type, *names: str) -> None:
        """Measure these methods from now on; one that is called by another counts once."""
        for name in names:
            setattr(owner, name, self._measured(getattr(owner, name)))

    def note(self, moves: int, *, reported: bool) -> None:
        """Write down what was used until now."""
        line = Line(time.time(), time.process_time(), self._seconds, moves, reported)
        with self._path.open("a") as file:
            file.write(json.dumps(asdict(line)) + "\n")

    def _measured(self, call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        def measured(*args: Any, **options: Any) -> Any:
            if getattr(self._here, "inside", False):
                return call(*args, **options)
            self._here.inside, begin = True, time.thread_time()
            try:
                return call(*args, **options)
            finally:
                self.add(time.thread_time() - begin)
                self._here.inside = False

        return measured


@types.coroutine
def in_steps(work: Coroutine[Any, Any, Any], add: Callable[[float], None]) -> Generator[Any, Any, Any]:
    """Run a coroutine, and add the processor time of each of its steps."""
    resume: Callable[[Any], Any] = work.send
    value: Any = None
    while True:
        begin = time.thread_time()
        try:
            waited = resume(value)
        except StopIteration as end:
            return end.value
        finally:
            add(time.thread_time() - begin)
        try:
            value = yield waited
            resume = work.send
        except BaseException as error:  # it is the coroutine's: a cancellation, for one
            value, resume = error, work.throw

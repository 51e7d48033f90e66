"""The time budget of a tournament: how many more matches and rounds fit, by the measured time of those before."""

import math
import time
from collections.abc import Callable

WARM = 5.0
"""Seconds for which two bots should stay at one table: their start costs about one."""
MARGIN = 1.1
"""A round is begun when it fits this many times, because rounds differ."""


class Budget:
    """Says, match by match and round by round, whether there is time for another one; without `seconds` there is."""

    def __init__(
        self, seconds: float = math.inf, *, estimate: float = 0.0, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._now = now
        self._started = now()
        self._seconds = seconds
        self._estimate = estimate
        """Seconds per match, until some are measured; 0 when nothing is known."""
        self._matches = 0
        self._playing = 0.0
        self._longest = 0.0
        self.spent = False
        """Whether something was refused for want of time."""

    def begin(self) -> None:
        """Start the time: the executor is ready."""
        self._started = self._now()

    def note(self, seconds: float) -> None:
        """Count a finished match that took this long, without the start of its bots."""
        self._matches += 1
        self._playing += seconds
        self._longest = max(self._longest, seconds)

    def left(self) -> float:
        """The seconds that are left."""
        return max(0.0, self._seconds - self._elapsed())

    def per_match(self) -> float:
        """Seconds from one finished match to the next, the start of bots and everything else included."""
        return self._elapsed() / self._matches if self._matches else self._estimate

    def matches_that_fit(self) -> int | None:
        """About how many more matches there is time for, if that is limited and known."""
        per_match = self.per_match()
        return int(self.left() / per_match) if per_match and self._seconds < math.inf else None

    def has_time_for_match(self) -> bool:
        """Whether a match that begins now will be over in time, even if it is as long as the longest so far."""
        fits = self.left() > self._longest
        self.spent |= not fits
        return fits

    def rounds_to_begin(self, matches: int, *, per_group: int, before: int) -> int:
        """How many rounds of so many matches to play together, group after group; 0 when not even one fits.

        Bots stay warm while a group plays several rounds in a row, but a stop leaves a more even table the fewer they
        are: never more than were played before, and not for longer than it takes to make the start cheap.
        """
        fitting = self.left() / (self.per_match() * matches * MARGIN) if self.per_match() else math.inf
        self.spent |= fitting < 1.0
        mean = self._playing / self._matches if self._matches else math.inf
        warm = WARM / (mean * per_group) if mean else math.inf
        return int(min(max(1.0, min(float(before), warm)), fitting))

    def _elapsed(self) -> float:
        return self._now() - self._started

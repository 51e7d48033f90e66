"""The time budget of a tournament: how many more matches and rounds fit, by the measured time of those before."""

import math
import time
from collections.abc import Callable

WARM = 5.0
"""Seconds that a leg should last: the start of its bots costs up to one."""
MOST_DEALS = 8
"""Deals of a leg, however quick they are."""
FIRST_DEALS = 2
"""Deals of the first legs, before any match was measured, if there is no limit of time."""
MARGIN = 1.1
"""A round is started when it fits this many times, because rounds differ."""


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

    def start(self) -> None:
        """Let the time run from now on: the executor is ready."""
        self._started = self._now()

    def note(self, seconds: float) -> None:
        """Count a finished match that took this long, without the start of its bots."""
        self._matches += 1
        self._playing += seconds
        self._longest = max(self._longest, seconds)

    def left(self) -> float:
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

    def rounds_to_start(self, matches: int, *, before: int, waiting: int = 0) -> int:
        """How many rounds of so many matches to play together, group after group; 0 when not even one fits.

        Bots stay warm while they play several deals from the same seats, but not for longer than it takes to make the
        start cheap. A stop leaves a more even table the fewer rounds are begun: where one is to be expected, never more
        than were played before.
        `waiting` are the matches that were begun with earlier rounds and are not over.
        """
        per_match = self.per_match()
        fitting = (self.left() / per_match / MARGIN - waiting) / matches if per_match else math.inf
        self.spent |= fitting < 1.0
        first, most = (FIRST_DEALS, MOST_DEALS) if self._seconds == math.inf else (1, min(before, MOST_DEALS))
        warm = WARM * self._matches / max(self._playing, 1e-9) if self._matches else first
        return max(0, int(min(max(1.0, min(most, warm)), fitting)))

    def _elapsed(self) -> float:
        return self._now() - self._started

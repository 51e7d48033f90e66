"""What a worker measured in a match, small enough to travel with its result.

It is worked out when the match is over, from times that its record has anyway: nothing is counted while a bot's time
runs, and no worker serves anything.
"""

from bisect import bisect_left
from dataclasses import dataclass

from arena.clock import Clock
from arena.match import AnyRecord

LATENCY_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Upper bounds of the classes in which the latencies of moves are counted; one more class has what is longer."""
_LATENCY_US = tuple(round(1e6 * bound) for bound in LATENCY_S)
_ROUNDING_US = 10
"""Times are kept in whole microseconds, so that a difference of a few means nothing."""


@dataclass(frozen=True, slots=True)
class MatchFigures:
    """The figures of one match."""

    latencies: tuple[int, ...] = (0,) * (len(LATENCY_S) + 1)
    """How many replies took as long as each class says, from the request to the reply."""
    latency_us: int = 0
    """Of all replies together."""
    lag_us: int = 0
    """How long the referee's machine stood still while bots were to reply."""
    excused_us: int = 0
    """Time by which flags would have fallen, but for that lag."""
    strikes: tuple[str, ...] = ()
    """The endings that were forgiven."""
    replays: int = 0
    """How often the match was void at this worker and played again."""


NO_FIGURES = MatchFigures()


def figures_of(record: AnyRecord, *, replays: int = 0) -> MatchFigures:
    """The figures of a match that is over."""
    clock, latencies = Clock(record.spec.control), [0] * (len(LATENCY_S) + 1)
    total = lag = excused = 0
    for move in record.played:
        times = move.times
        if not times.wall:
            continue  # not the first move of its reply, or none of the bot's
        latencies[bisect_left(_LATENCY_US, times.wall)] += 1
        total += times.wall
        lag += times.lag
        spared = round(1e6 * clock.charged(times.wall / 1e6, times.cpu / 1e6)) - times.charged
        excused += spared if spared > _ROUNDING_US else 0
    strikes = tuple(strike.verdict.ending.name for strike in record.strikes)
    return MatchFigures(tuple(latencies), total, lag, excused, strikes, replays)

"""How many games an adaptive schedule saves: until the same certainty about the top places, against a round robin.

Both are the very schedules of `arena tournament`, fed with simulated games: true skills are drawn from the prior and
results from the model. The adaptive schedule judges both: each goes on, in steps of equal size, until it asks for no
more games. Of two nearly equal bots no schedule finds the better one soon, so a few hard fields need most of the games;
that is why the sums are given and the median as well. Both are checked for being right.
"""

import argparse
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
import trueskill
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from arena.ratings.model import ENVIRONMENT as ENV
from arena.ratings.model import ROLE_SIGMA
from arena.schedules.adaptive import Adaptive
from arena.schedules.outcomes import FixtureResult, Outcomes
from arena.schedules.schedule import Fixture, Schedule, round_robin

MARGIN = trueskill.calc_draw_margin(ENV.draw_probability, 2, ENV)
CONFIDENCE = 0.95
MOST = 50_000
"""Games after which a schedule is stopped; it counts as this many, which flatters the slower one."""
KINDS = ((5, 3), (8, 1), (8, 3), (12, 3))
"""Bots in a field, and places whose order is to be found."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a schedule needed in one field."""

    games: int
    is_right: bool
    """Whether the top places are the true ones."""


class Field:
    """Bots with known skills that play by the model."""

    def __init__(self, bots: int, seed: int) -> None:
        self.bots = bots
        self._skills = np.random.default_rng((3, seed)).normal(ENV.mu, ENV.sigma, bots)
        self._rng = np.random.default_rng((2, seed))

    def play(self, fixture: Fixture) -> FixtureResult:
        """One game."""
        first, second = fixture.seating
        difference = self._skills[first] - self._skills[second] + self._rng.normal(0.0, ENV.beta * np.sqrt(2.0))
        ranks = (1, 1) if abs(difference) < MARGIN else (1, 2) if difference > 0 else (2, 1)
        return FixtureResult(fixture.seating, ranks)

    def is_led_by(self, leaders: NDArray[np.int64]) -> bool:
        """Whether these are the best bots, in their order."""
        return bool((leaders == np.argsort(-self._skills)[: len(leaders)]).all())


def run(field: Field, top: int, schedule: Schedule | None = None) -> Run:
    """Play by this schedule, or as the judge itself would, until the judge asks for no more games."""
    judge = Adaptive(field.bots, 2, top=top, confidence=CONFIDENCE, most=MOST, env=ENV, role_sigma=ROLE_SIGMA)
    finished = Outcomes()
    others = fixtures(schedule, finished) if schedule else None
    while wanted := judge.rounds(finished):
        step = islice(others, len(wanted[0])) if others else wanted[0]
        for fixture in step:
            finished.append(field.play(fixture))
    return Run(len(finished), field.is_led_by(np.argsort(-judge.known(finished).mu)[:top]))


def fixtures(schedule: Schedule, finished: Outcomes) -> Iterator[Fixture]:
    """All fixtures of a schedule that has no last round."""
    while rounds := schedule.rounds(finished):
        yield from (fixture for each in rounds for fixture in each)


def row(bots: int, top: int, fields: int) -> list[str]:
    """Means, ratio of the means, and the median of the ratios, over random fields."""
    full = [run(Field(bots, seed), top, round_robin(bots, 2, 0, seed)) for seed in range(fields)]
    adaptive = [run(Field(bots, seed), top) for seed in range(fields)]
    cells, means = [str(bots), str(top)], []
    for runs in (full, adaptive):
        certain = [each for each in runs if each.games < MOST]
        means.append(statistics.fmean(each.games for each in runs))
        cells += [f"{means[-1]:,.0f}", f"{sum(each.is_right for each in certain)} of {len(certain)}"]
    median = statistics.median(chosen.games / robin.games for robin, chosen in zip(full, adaptive))
    return [*cells, f"{means[1] / means[0]:.2f}", f"{median:.2f}"]


def main() -> int:
    """Print games and ratios of several kinds of field."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fields", type=int, default=10, help="random fields of each kind")
    fields = parser.parse_args().fields
    table = Table(
        title=f"games until the top places are {CONFIDENCE:.0%} certain, at most {MOST:,}; {fields} fields each"
    )
    for heading in ("bots", "places", "round robin", "right", "adaptive", "right", "ratio of means", "median ratio"):
        table.add_column(heading, justify="right")
    for bots, top in KINDS:
        table.add_row(*row(bots, top, fields))
    Console(width=120).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())

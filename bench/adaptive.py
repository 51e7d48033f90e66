"""How many games an adaptive schedule saves: until the same certainty about the top places, against a round robin.

Both are the very schedules of `arena tournament`, fed with simulated games: true skills are drawn from the prior and
results from the model. The round robin goes on round after round, and is asked after each eighth of a round whether
its top places are certain, so that it may stop as soon as the adaptive one could. Both stop by the same rule, and
both are checked for being right.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence

import numpy as np
import trueskill
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from arena.adaptive import Adaptive, certainty
from arena.ratings import Posterior, Results, block, fit
from arena.schedule import Finished, Fixture, Schedule, round_robin
from arena.standings import ENVIRONMENT as ENV
from arena.standings import ROLE_SIGMA

MARGIN = trueskill.calc_draw_margin(ENV.draw_probability, 2, ENV)
CONFIDENCE = 0.95
MOST = 3_000
"""Games after which a schedule is stopped; it counts as this many, which flatters the slower one."""


class Field:
    """Bots with known skills that play by the model."""

    def __init__(self, skills: NDArray[np.float64], seed: int) -> None:
        self._skills = skills
        self._rng = np.random.default_rng((2, seed))

    def play(self, fixture: Fixture) -> Finished:
        """One game."""
        first, second = fixture.seating
        difference = self._skills[first] - self._skills[second] + self._rng.normal(0.0, ENV.beta * np.sqrt(2.0))
        ranks = (1, 1) if abs(difference) < MARGIN else (1, 2) if difference > 0 else (2, 1)
        return Finished(fixture, ranks)

    def is_right(self, finished: Sequence[Finished], top: int) -> bool:
        """Whether the top places are the true ones."""
        mean = known(finished, len(self._skills)).mu
        return bool((np.argsort(-mean)[:top] == np.argsort(-self._skills)[:top]).all())


def known(finished: Sequence[Finished], bots: int) -> Posterior:
    """What these games tell of the field."""
    names = tuple(f"{number:03}" for number in range(bots))
    games = [each.fixture.seating for each in finished], [each.ranks for each in finished]
    return fit(Results(names, ("seat 0", "seat 1"), (block(*games),)), ENV, role_sigma=ROLE_SIGMA)


def parts(schedule: Schedule, finished: list[Finished], eighths: int) -> Iterator[Sequence[Fixture]]:
    """The fixtures of a schedule in the steps between which it may stop."""
    while rounds := schedule.rounds(finished):
        for each in rounds:
            size = -(-len(each) // eighths)
            size += size % 2  # both games of a pairing belong together
            yield from (each[start : start + size] for start in range(0, len(each), size))


def full(skills: NDArray[np.float64], seed: int, top: int) -> tuple[int, bool]:
    """The games that a round robin needs, and whether it was right."""
    field, finished = Field(skills, seed), list[Finished]()
    for part in parts(round_robin(len(skills), 2, 0, seed), finished, 8):
        finished += map(field.play, part)
        posterior = known(finished, len(skills))
        if certainty(posterior.mu, posterior.skills, top) >= CONFIDENCE or len(finished) >= MOST:
            break
    return min(len(finished), MOST), field.is_right(finished, top)


def adaptive(skills: NDArray[np.float64], seed: int, top: int) -> tuple[int, bool]:
    """The games that the adaptive schedule needs, and whether it was right."""
    field, finished = Field(skills, seed), list[Finished]()
    schedule = Adaptive(len(skills), 2, top=top, confidence=CONFIDENCE, most=MOST, env=ENV, role_sigma=ROLE_SIGMA)
    for part in parts(schedule, finished, 1):
        finished += map(field.play, part)
    return min(len(finished), MOST), field.is_right(finished, top)


def row(bots: int, top: int, fields: int) -> list[str]:
    """Means, ratio of the means, and the median of the ratios, over random fields."""
    skills = [np.random.default_rng((3, seed)).normal(ENV.mu, ENV.sigma, bots) for seed in range(fields)]
    runs = [(full(each, seed, top), adaptive(each, seed, top)) for seed, each in enumerate(skills)]
    cells, means = [str(bots), str(top)], []
    for kind in range(2):
        certain = [run[kind][1] for run in runs if run[kind][0] < MOST]
        means.append(float(np.mean([run[kind][0] for run in runs])))
        cells += [f"{means[-1]:,.0f}", f"{sum(certain)} of {len(certain)}"]
    median = float(np.median([chosen[0] / robin[0] for robin, chosen in runs]))
    return [*cells, f"{means[1] / means[0]:.2f}", f"{median:.2f}"]


def main() -> int:
    """Print games and ratios of several kinds of field."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fields", type=int, default=10, help="random fields of each kind")
    fields = parser.parse_args().fields
    table = Table(
        title=f"games until the top places are {CONFIDENCE:.0%} certain, at most {MOST:,}; {fields} fields each"
    )
    for heading in ("bots", "places", "round robin", "right", "adaptive", "right", "ratio", "median ratio"):
        table.add_column(heading, justify="right")
    for bots, top in ((5, 3), (8, 1), (8, 3), (12, 3)):
        table.add_row(*row(bots, top, fields))
    Console(width=120).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())

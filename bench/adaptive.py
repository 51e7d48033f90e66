"""How many games an adaptive schedule saves: until the same certainty about the top places, against a round robin.

True skills are drawn from the prior and games from the model. A pairing is two games, one in either seat. The round
robin plays its pairings in random order and may stop after each eighth of a round; the adaptive schedule plays four
pairings at a time. Both stop by the same rule, and both are checked for being right.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import trueskill
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from arena.adaptive import certainty, next_matches
from arena.ratings import Posterior, Result, collect, fit

ENV = trueskill.TrueSkill(tau=0.0)
MARGIN = trueskill.calc_draw_margin(ENV.draw_probability, 2, ENV)
CONFIDENCE = 0.95
FIELDS = 10
AT_ONCE = 4
MOST = 3_000
"""Games after which a schedule is stopped; it counts as this many, which flatters the slower one."""

Pairing = tuple[int, ...]


@dataclass
class Tournament:
    """A field with known skills and the counted results of its games."""

    skills: NDArray[np.float64]
    rng: np.random.Generator
    counts: dict[tuple[int, int, int], int] = field(default_factory=dict)

    @property
    def games(self) -> int:
        """How many were played."""
        return sum(self.counts.values())

    def play(self, pairings: list[Pairing]) -> None:
        """Two games of each pairing."""
        for first, second in (seats for a, b in pairings for seats in ((a, b), (b, a))):
            difference = self.skills[first] - self.skills[second] + self.rng.normal(0.0, ENV.beta * np.sqrt(2.0))
            outcome = 0 if abs(difference) < MARGIN else int(np.sign(difference))
            key = first, second, outcome
            self.counts[key] = self.counts.get(key, 0) + 1

    def posterior(self) -> Posterior:
        """What is known of the field."""
        ranks = {0: (1, 1), 1: (1, 2), -1: (2, 1)}
        names = [f"{number:03}" for number in range(len(self.skills))]
        played = (Result((names[a], names[b]), ranks[won], count=n) for (a, b, won), n in self.counts.items())
        return fit(collect(played, bots=names), ENV)

    def right(self, known: Posterior, top: int) -> bool:
        """Whether the top places are the true ones."""
        return bool((np.argsort(-known.mu)[:top] == np.argsort(-self.skills)[:top]).all())


def round_robin(bots: int, rng: np.random.Generator) -> Iterator[list[Pairing]]:
    """Round after round of all pairings, in eighths."""
    pairings = [(a, b) for a in range(bots) for b in range(a + 1, bots)]
    while True:
        order = [pairings[number] for number in rng.permutation(len(pairings))]
        yield from (order[part::8] for part in range(min(8, len(order))))


def until_certain(skills: NDArray[np.float64], seed: int, top: int, *, adaptive: bool) -> tuple[int, bool]:
    """The games that a schedule needs, and whether it was right."""
    tournament = Tournament(skills, np.random.default_rng((2, seed)))
    rounds = round_robin(len(skills), np.random.default_rng((1, seed)))
    known = tournament.posterior()
    while certainty(known.mu, known.skills, top) < CONFIDENCE and tournament.games < MOST:
        choice = (
            next_matches(known.mu, known.skills, ENV, top=top, games=2, count=AT_ONCE) if adaptive else next(rounds)
        )
        tournament.play(choice)
        known = tournament.posterior()
    return min(tournament.games, MOST), tournament.right(known, top)


def summary(runs: list[tuple[int, bool]]) -> tuple[float, str]:
    """The mean of the games, and how many of the schedules that became certain were right."""
    certain = [right for games, right in runs if games < MOST]
    return float(np.mean([games for games, _ in runs])), f"{sum(certain)} of {len(certain)}"


def main() -> int:
    """Print games and ratios of several kinds of field."""
    table = Table(
        title=f"games until the top places are {CONFIDENCE:.0%} certain, at most {MOST:,}; {FIELDS} fields each"
    )
    for heading in ("bots", "places", "round robin", "right", "adaptive", "right", "ratio", "median ratio"):
        table.add_column(heading, justify="right")
    for bots, top in ((8, 1), (8, 3), (12, 3)):
        fields = [np.random.default_rng((3, seed)).normal(ENV.mu, ENV.sigma, bots) for seed in range(FIELDS)]
        full, chosen = (
            [until_certain(skills, seed, top, adaptive=adaptive) for seed, skills in enumerate(fields)]
            for adaptive in (False, True)
        )
        (full_games, full_right), (games, right) = summary(full), summary(chosen)
        median = float(np.median([mine[0] / other[0] for mine, other in zip(chosen, full)]))
        cells = f"{full_games:,.0f}", full_right, f"{games:,.0f}", right, f"{games / full_games:.2f}", f"{median:.2f}"
        table.add_row(str(bots), str(top), *cells)
    Console(width=120).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())

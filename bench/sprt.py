"""The error rates of `arena test`, measured: simulated pairs with known strengths, decided by the very same test.

A seat is worth something and some games are drawn, so that the games of a pair are not alike. `wrong` is how often the
test accepted the hypothesis that is false; it should not be above `allowed` by more than the error of the measurement.
"""

import argparse
import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from arena.schedules.sprt import Sprt, log_likelihood_ratio, score_of

SEAT = 0.1
"""What the better seat adds to the expected score."""
DRAWS = 0.2
"""The share of drawn games."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Many runs of one test."""

    accepted: float
    """The share of runs that said `better`."""
    pairs: float
    """The mean length of a run."""


def pair_chances(elo: float) -> NDArray[np.float64]:
    """The chances of 0, 1/2, 1, 3/2 and 2 points from a pair, for a bot that is stronger by so many Elo."""
    chances = np.zeros(5)
    scores = score_of(elo) + SEAT, score_of(elo) - SEAT
    games = [np.array([1 - score - DRAWS / 2, DRAWS, score - DRAWS / 2]) for score in scores]
    for first, chance in enumerate(games[0]):
        chances[first : first + 3] += chance * games[1]
    return chances


def measure(test: Sprt, elo: float, *, runs: int, seed: int) -> Measured:
    """Run the test many times, looking at it after every pair as the command does."""
    rng, chances = np.random.default_rng(seed), pair_chances(elo)
    counts, live = np.zeros((runs, 5)), np.arange(runs)
    accepted = pairs = 0
    lower, upper = test.bounds
    while len(live):
        pairs += len(live)
        counts[live, rng.choice(5, size=len(live), p=chances)] += 1
        llr = log_likelihood_ratio(counts[live], test.elo0, test.elo1)
        accepted += int((llr >= upper).sum())
        live = live[(llr > lower) & (llr < upper)]
    return Measured(accepted / runs, pairs / runs)


def main() -> int:
    """Print the rates for tests of several kinds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2_000, help="simulated tests of each kind")
    runs = parser.parse_args().runs
    table = Table(title=f"{runs:,} simulated tests each; seat worth {SEAT:.0%}, {DRAWS:.0%} draws")
    for heading in ("elo0", "elo1", "true Elo", "says better", "wrong", "allowed", "± 2 se", "pairs"):
        table.add_column(heading, justify="right")
    tests = Sprt(0.0, 30.0, 0.05, 0.05), Sprt(0.0, 50.0, 0.05, 0.10), Sprt(-20.0, 20.0, 0.01, 0.01)
    for test in tests:
        for elo in (test.elo0, (test.elo0 + test.elo1) / 2, test.elo1):
            seen = measure(test, elo, runs=runs, seed=1)
            rates = {test.elo0: (seen.accepted, test.alpha), test.elo1: (1.0 - seen.accepted, test.beta)}
            cells = [f"{test.elo0:g}", f"{test.elo1:g}", f"{elo:g}", f"{seen.accepted:.1%}"]
            if elo in rates:
                wrong, allowed = rates[elo]
                error = 2.0 * float(np.sqrt(allowed * (1.0 - allowed) / runs))
                cells += [f"{wrong:.1%}", f"{allowed:.1%}", f"{error:.1%}"]
            else:
                cells += ["", "", ""]
            table.add_row(*cells, f"{seen.pairs:,.0f}")
        table.add_section()
    Console(width=100).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())

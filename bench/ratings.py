"""How fast the ratings are, what they need, and whether they depend on the order of results, beside three packages.

    python -m bench.ratings [--most 10000000] [--limit 60]

trueskill and openskill rate one match after the other; trueskillthroughtime iterates over the whole history, as we do,
but with a message for every match. All get the same simulated results, each in a process of its own, by processor time.
A package is not run with ten times the results once it took more than a tenth of the limit.
"""

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bench.environment import PEERS_PYTHON, ROOT, has_peers
from bench.table import Row, show
from bench.turns import conversation, in_turns, ratio

PLAYER = Path(__file__).with_name("rating_player.py")
PEERS = ("trueskill", "openskill", "trueskillthroughtime")
MOST, LIMIT_S = 100_000, 10.0
BOTS = 100
SHUFFLED_BOTS, SHUFFLED_RESULTS, SHUFFLES = 8, 560, 60
ROUNDS = 3
MU, SIGMA, BETA, MARGIN = 25.0, 25.0 / 3.0, 25.0 / 6.0, 0.74
"""The prior and the model of TrueSkill, and the difference below which a game is drawn, for one draw in ten."""

Array = np.ndarray[Any, Any]


def rows(most: int = MOST, limit: float = LIMIT_S) -> list[Row]:
    """Ours alone and beside every package, for ten times as many results each time; and the rankings of 60 orders."""
    with TemporaryDirectory() as name:
        folder, found = Path(name), []
        running = list(PEERS) if has_peers() else []
        results = 1_000
        while results <= most:
            file = simulate(folder / f"{results}.npz", BOTS, results)
            found += list(rows_of_size(file, results, running, limit))
            results *= 10
        return found + list(rows_of_orders(simulate(folder / "few.npz", SHUFFLED_BOTS, SHUFFLED_RESULTS)))


def simulate(path: Path, bots: int, matches: int) -> Path:
    """Write simulated matches of two: skills from half the prior's spread, results from the model."""
    rng = np.random.default_rng(1)
    skills = rng.normal(MU, SIGMA / 2.0, bots)
    first = rng.integers(bots, size=matches)
    seating = np.c_[first, (first + rng.integers(1, bots, size=matches)) % bots]
    shown = skills[seating] + rng.normal(0.0, BETA, seating.shape)
    lead = shown[:, 0] - shown[:, 1]
    ranks = np.where(np.abs(lead)[:, None] < MARGIN, 1, 1 + np.c_[lead < 0, lead > 0])
    np.savez(path, bots=bots, seating=seating, ranks=ranks)
    return path


def command(method: str, file: Path) -> list[str | Path]:
    """The program that rates by this method."""
    return [PEERS_PYTHON if method in PEERS else sys.executable, "-P", PLAYER, method, file]


def rows_of_size(file: Path, results: int, running: list[str], limit: float) -> Iterator[Row]:
    """Time and memory of ours and of the packages that are still running; one that is too slow is taken out."""
    what = f"ratings: {results:,} results"
    if not running:
        with conversation(command("arena", file), (ROOT,)) as ours:
            ours("")
            yield Row(f"{what}, nothing beside it was run", ours(""), None, "s", None, None)
    for peer in tuple(running):
        with conversation(command("arena", file), (ROOT,)) as ours, conversation(command(peer, file)) as theirs:
            took = theirs("")
            rounds = ROUNDS if took < limit / 10 else 1
            times = in_turns({"ours": partial(ours, ""), peer: partial(theirs, "")}, rounds)
            own, other = times["ours"], times[peer]
            yield Row(f"{what}, beside {peer}", median(own), median(other), "s", ratio(own, other), None)
            memory = ours("memory"), theirs("memory")
            yield Row(f"{what}, memory, beside {peer}", *memory, "MiB", memory[0] / memory[1], None)
            if took > limit / 10:
                running.remove(peer)


def rows_of_orders(file: Path) -> Iterator[Row]:
    """How many different rankings come of the same results in 60 orders."""
    with conversation(command("arena", file), (ROOT,)) as ask:
        ours = ask(f"orders {SHUFFLES}")
    what = f"ratings: rankings from {SHUFFLES} orders of {SHUFFLED_RESULTS} results"
    for peer in PEERS if has_peers() else ():
        with conversation(command(peer, file)) as ask:
            theirs = ask(f"orders {SHUFFLES}")
        yield Row(f"{what}, beside {peer}", ours, theirs, "rankings", ours / theirs, 1.0, "ours")
    if not has_peers():
        yield Row(what, ours, None, "rankings", None, 1.0, "ours")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Measure the ratings beside other packages.")
    parser.add_argument("--most", type=int, default=MOST, help=f"the most results ({MOST:,})")
    parser.add_argument("--limit", type=float, default=LIMIT_S, help=f"seconds that a package may take ({LIMIT_S:g})")
    given = parser.parse_args()
    show(rows(given.most, given.limit))


if __name__ == "__main__":
    main()

"""One side of `bench.ratings`: rates the results in a file per line of input, and prints the seconds that it took.

    python rating_player.py METHOD RESULTS.npz

It runs under two interpreters: ours for `arena`, and that of the peers, which has no Arena, for the others.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

MU, SIGMA, BETA, DRAW = 25.0, 25.0 / 3.0, 25.0 / 6.0, 0.1
ROUNDS = 30
"""Iterations of trueskillthroughtime, its default."""

Array = np.ndarray[Any, Any]
Method = Callable[[int, Array, Array], Array]
"""The means of these many bots, from who sat where and their ranks."""


def arena(bots: int, seating: Array, ranks: Array) -> Array:
    """Ours: one fit to all results."""
    import trueskill  # noqa: PLC0415

    from arena.ratings import Results, block, fit  # noqa: PLC0415

    names = tuple(f"bot {number:03}" for number in range(bots))
    results = Results(names, tuple(f"seat {seat}" for seat in range(seating.shape[1])), (block(seating, ranks),))
    return fit(results, trueskill.TrueSkill(tau=0.0)).mu


def trueskill(bots: int, seating: Array, ranks: Array) -> Array:
    """One match after the other."""
    import trueskill as package  # noqa: PLC0415

    env = package.TrueSkill(tau=0.0)
    table = [env.create_rating() for _ in range(bots)]
    for seats, places in zip(seating.tolist(), ranks.tolist()):
        rated = env.rate([(table[bot],) for bot in seats], ranks=places)
        for bot, (rating,) in zip(seats, rated):
            table[bot] = rating
    return np.array([rating.mu for rating in table])


def openskill(bots: int, seating: Array, ranks: Array) -> Array:
    """One match after the other, by the Plackett-Luce model."""
    from openskill.models import PlackettLuce  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415

    model = PlackettLuce(tau=0.0)
    table = [model.rating() for _ in range(bots)]
    for seats, places in zip(seating.tolist(), ranks.tolist()):
        rated = model.rate([[table[bot]] for bot in seats], ranks=places)
        for bot, (rating,) in zip(seats, rated):
            table[bot] = rating
    return np.array([rating.mu for rating in table])


def trueskillthroughtime(bots: int, seating: Array, ranks: Array) -> Array:
    """The whole history, without drift, with a message for every match."""
    import trueskillthroughtime as ttt  # noqa: PLC0415

    games = [[[str(bot)] for bot in seats] for seats in seating.tolist()]
    scores = [[-place for place in places] for places in ranks.tolist()]
    history = ttt.History(games, scores, mu=MU, sigma=SIGMA, beta=BETA, gamma=0.0, p_draw=DRAW)
    history.convergence(epsilon=1e-6, iterations=ROUNDS, verbose=False)
    curves = history.learning_curves()
    return np.array([curves[str(bot)][-1][1].mu if str(bot) in curves else MU for bot in range(bots)])


METHODS: dict[str, Method] = {m.__name__: m for m in (arena, trueskill, openskill, trueskillthroughtime)}


def orders(method: Method, bots: int, seating: Array, ranks: Array, shuffles: int) -> int:
    """How many different rankings as many orders of the same results give."""
    rng = np.random.default_rng(2)
    found = set()
    for _ in range(shuffles):
        order = rng.permutation(len(seating))
        found.add(tuple(np.argsort(-method(bots, seating[order], ranks[order]), kind="stable")))
    return len(found)


def peak_memory() -> float:
    """The most MiB that this program had; getrusage would count what its parent had before it was started."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def main() -> None:
    """Answer every line with seconds, a line `memory` with the most MiB so far, a line `orders N` with their number."""
    method, kept = METHODS[sys.argv[1]], np.load(sys.argv[2])
    bots, seating, ranks = int(kept["bots"]), kept["seating"], kept["ranks"]
    for line in sys.stdin:
        match line.split():
            case ["memory"]:
                print(peak_memory(), flush=True)
            case ["orders", shuffles]:
                print(orders(method, bots, seating, ranks, int(shuffles)), flush=True)
            case _:
                started = process_time()
                method(bots, seating, ranks)
                print(process_time() - started, flush=True)


if __name__ == "__main__":
    main()

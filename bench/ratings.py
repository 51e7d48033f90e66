"""How fast the ratings are and whether they depend on the order of results, beside two packages on the same data.

`trueskill` rates one match after the other; `trueskillthroughtime` iterates over the whole history, as we do, but with
a message for every game. Times are the best of several runs in this process; the machine may be busy.
"""

import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import trueskill
import trueskillthroughtime as ttt
from rich.console import Console
from rich.table import Table

from arena.ratings import Results, block, rate
from arena.ratings.fit import fit

ENV = trueskill.TrueSkill(tau=0.0)
MARGIN = trueskill.calc_draw_margin(ENV.draw_probability, 2, ENV)
SHUFFLES = 5
RUNS = 3
ROUNDS = 30
"""Iterations of trueskillthroughtime, its default."""

Array = np.ndarray[Any, Any]
Estimates = tuple[Array, Array]
Method = Callable[[int, Array, Array], Estimates]


def play(bots: int, matches: int, seats: int = 2) -> tuple[Array, Array]:
    """Who sat where and the ranks of simulated matches: skills from half the prior's spread, results from the model."""
    rng = np.random.default_rng(1)
    skills = rng.normal(ENV.mu, ENV.sigma / 2.0, bots)
    chosen = np.argsort(rng.random((matches, bots), dtype=np.float32), axis=1)[:, :seats]
    shown = skills[chosen] + rng.normal(0.0, ENV.beta, chosen.shape)
    order = np.argsort(-shown, axis=1)
    steps = -np.diff(np.take_along_axis(shown, order, axis=1), axis=1) > MARGIN
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.cumsum(np.c_[np.ones(matches, dtype=int), steps], axis=1), axis=1)
    return chosen, ranks


def results_of(bots: int, chosen: Array, ranks: Array) -> Results:
    """The counted form of the arrays."""
    names = tuple(f"bot {number:03}" for number in range(bots))
    return Results(names, tuple(f"seat {seat}" for seat in range(chosen.shape[1])), (block(chosen, ranks),))


def ours(bots: int, chosen: Array, ranks: Array) -> Estimates:
    """Means and deviations of the joint fixed point."""
    posterior = fit(results_of(bots, chosen, ranks), ENV)
    return posterior.mu, posterior.sigma


def one_by_one(bots: int, chosen: Array, ranks: Array) -> Estimates:
    """The same by trueskill.rate, match after match."""
    table = [ENV.create_rating() for _ in range(bots)]
    for seats, places in zip(chosen.tolist(), ranks.tolist()):
        rated = ENV.rate([(table[bot],) for bot in seats], ranks=places)
        for bot, (rating,) in zip(seats, rated):
            table[bot] = rating
    return np.array([rating.mu for rating in table]), np.array([rating.sigma for rating in table])


def through_time(bots: int, chosen: Array, ranks: Array) -> Estimates:
    """The same by trueskillthroughtime without drift."""
    games = [[[str(bot)] for bot in seats] for seats in chosen.tolist()]
    scores = [[-place for place in places] for places in ranks.tolist()]
    history = ttt.History(
        games, scores, mu=ENV.mu, sigma=ENV.sigma, beta=ENV.beta, gamma=0.0, p_draw=ENV.draw_probability
    )
    history.convergence(epsilon=1e-6, iterations=ROUNDS, verbose=False)
    curves = history.learning_curves()
    last = [curves[str(bot)][-1][1] for bot in range(bots)]
    return np.array([skill.mu for skill in last]), np.array([skill.sigma for skill in last])


def best_time(work: Callable[[], object], runs: int) -> float:
    """Seconds of the fastest run."""
    times = []
    for _ in range(runs):
        started = perf_counter()
        work()
        times.append(perf_counter() - started)
    return min(times)


def shuffled(method: Method, bots: int, chosen: Array, ranks: Array) -> list[Estimates]:
    """The estimates from several orders of the same results."""
    rng = np.random.default_rng(2)
    orders = [rng.permutation(len(chosen)) for _ in range(SHUFFLES)]
    return [method(bots, chosen[order], ranks[order]) for order in orders]


def compare(console: Console, bots: int, matches: int, seats: int) -> None:
    """One data set by all three, each in several orders."""
    chosen, ranks = play(bots, matches, seats)
    table = Table(title=f"{matches:,} results, {bots} bots, {seats} seats, {SHUFFLES} shuffles")
    for heading in ("method", "seconds", "slower by", "mu moves", "sigma moves", "orders"):
        table.add_column(heading, justify="right")
    base = best_time(lambda: ours(bots, chosen, ranks), RUNS)
    for method in (ours, one_by_one, through_time):
        started = perf_counter()
        tables = shuffled(method, bots, chosen, ranks)
        seconds = base if method is ours else (perf_counter() - started) / SHUFFLES
        mu, sigma = (np.ptp(np.array(values), axis=0).max() for values in zip(*tables))
        orders = len({tuple(np.argsort(-means)) for means, _ in tables})
        name = method.__name__.replace("_", " ")
        table.add_row(name, f"{seconds:.4f}", f"{seconds / base:,.0f} x", f"{mu:.1e}", f"{sigma:.1e}", str(orders))
    console.print(table)


def large(console: Console) -> None:
    """A million results of a hundred bots, from arrays to the table."""
    chosen, ranks = play(100, 1_000_000)
    grouping = best_time(lambda: block(chosen, ranks), RUNS)
    results = results_of(100, chosen, ranks)
    fitting = best_time(lambda: fit(results, ENV), RUNS)
    with_roles = best_time(lambda: fit(results, ENV, role_sigma=ENV.beta), RUNS)
    whole = best_time(lambda: rate(results_of(100, chosen, ranks), ENV), RUNS)
    few = chosen[:2_000], ranks[:2_000]
    peer = best_time(lambda: one_by_one(100, *few), 1) / len(few[0]) * len(chosen)
    console.print(
        f"1,000,000 results, 100 bots, {len(results.blocks[0].counts):,} different: counting {grouping:.3f} s, "
        f"fit {fitting:.3f} s ({with_roles:.3f} s with roles), arrays to table {whole:.3f} s; "
        f"trueskill.rate would take {peer:,.0f} s: {peer / whole:,.0f} x"
    )


def main() -> int:
    """Print all comparisons."""
    console = Console(width=120)
    compare(console, 8, 560, 2)
    compare(console, 8, 560, 4)
    large(console)
    return 0


if __name__ == "__main__":
    sys.exit(main())

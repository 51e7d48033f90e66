"""How often an adaptive tournament that stopped is right, by how far apart the bots of the field really are.

    python -m bench.adaptive_stops [--runs 1000] [--bots 6] [--top 1] [--spreads 0.5 1 2 4 8.3]

A thousand stops by the schedule itself would take a day, so many tournaments are played at once: the same model, the
same choice of matches, the same rule for stopping, which is called itself, on arrays with one row per tournament.
`tests/schedules/test_stops.py` compares each of them with the schedule. True skills are drawn with the spread of the
row, seats are worth nothing, and results come from the model.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
import trueskill
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from arena.ratings.model import ENVIRONMENT as ENV
from arena.ratings.model import ROLE_SIGMA
from arena.ratings.truncated import cumulative, draw, win
from arena.schedules import adaptive
from arena.schedules.certainty import DIGITS, certainty

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MARGIN = trueskill.calc_draw_margin(ENV.draw_probability, 2, ENV)
CONFIDENCE = 0.95
SPREADS = (0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 8.3)
MOST = 20_000
"""Matches after which a tournament gives up; such a one claims nothing."""
TOLERANCE = 1e-8
NOISE = 2.0 * ENV.beta**2


@dataclass(frozen=True, slots=True)
class Stops:
    """How the tournaments of one kind ended."""

    games: Ints
    right: NDArray[np.bool_]
    certain: NDArray[np.bool_]


class Fields:
    """What is known in many tournaments at once: results by seating and outcome, and the Gaussian of the skills."""

    def __init__(self, runs: int, bots: int) -> None:
        self.bots = bots
        self.pairs = np.array(list(permutations(range(bots), 2)))
        # Skills, and as the last variable what the first seat is worth against the second.
        self._rows = np.zeros((len(self.pairs), bots + 1))
        for row, (first, second) in zip(self._rows, self.pairs):
            row[[first, second, -1]] = 1.0, -1.0, 1.0
        self._prior = np.r_[np.full(bots, ENV.sigma), ROLE_SIGMA * np.sqrt(2.0)]
        self.counts = np.zeros((runs, 3, len(self.pairs)))
        """First seat won, lost, or a tie."""
        self._pi, self._tau = np.zeros_like(self.counts), np.zeros_like(self.counts)
        self.mean = np.zeros((runs, bots + 1))
        self.covariance = np.broadcast_to(np.diag(self._prior**2), (runs, bots + 1, bots + 1)).copy()

    def learn(self, runs: Ints) -> None:
        """Find the fixed point of these tournaments, from where the last one was."""
        step, last = np.ones(len(runs)), np.zeros((len(runs), self.bots + 1))
        for _ in range(300):
            before = self.mean[runs].copy(), np.diagonal(self.covariance[runs], axis1=1, axis2=2).copy()
            self._update(runs, step)
            self._join(runs)
            move = (self.mean[runs] - before[0]) / step[:, None]
            spread = np.diagonal(self.covariance[runs], axis1=1, axis2=2) / before[1] - 1.0
            going = np.maximum(np.abs(move).max(axis=1), np.abs(spread).max(axis=1)) > TOLERANCE
            turned = (move * last).sum(axis=1) < 0.0
            step = np.where(turned, np.maximum(0.6 * step, 0.05), np.minimum(1.2 * step, 1.0))[going]
            runs, last = runs[going], move[going]
            if not len(runs):
                return

    def _update(self, runs: Ints, step: Floats) -> None:
        """Move all sites, as `arena.ratings.sites` does."""
        pi, tau = self._pi[runs], self._tau[runs]
        centre = (self.mean[runs] @ self._rows.T)[:, None]
        known = ((self._rows @ self.covariance[runs]) * self._rows).sum(axis=2)[:, None]
        told = 1.0 / (1.0 + pi * NOISE)
        share = 1.0 - known * pi * told
        variance = known / share + NOISE
        deviation, mean = np.sqrt(variance), (centre - known * tau * told) / share
        t, margin = mean / deviation, MARGIN / deviation
        v, w = np.empty_like(t), np.empty_like(t)
        v[:, 0], w[:, 0] = win(t[:, 0], margin[:, 0])
        lost, w[:, 1] = win(-t[:, 1], margin[:, 1])
        v[:, 1] = -lost
        v[:, 2], w[:, 2] = draw(t[:, 2], margin[:, 2])
        # What never came up has no site.
        part = step[:, None, None] * (self.counts[runs] > 0.0)
        self._pi[runs] = pi + part * (w / (1.0 - w) / variance - pi)
        self._tau[runs] = tau + part * ((w * t + v) / (1.0 - w) / deviation - tau)

    def _join(self, runs: Ints) -> None:
        """The joint Gaussian of prior and sites."""
        told = self.counts[runs] / (1.0 + self._pi[runs] * NOISE)
        weight, pull = (told * self._pi[runs]).sum(axis=1), (told * self._tau[runs]).sum(axis=1)
        precision = np.diag(self._prior**-2) + self._rows.T @ (weight[:, :, None] * self._rows)
        self.covariance[runs] = np.linalg.inv(precision)
        self.mean[runs] = np.linalg.solve(precision, (pull @ self._rows)[:, :, None])[:, :, 0]


def next_pairs(mean: Floats, covariance: Floats, top: int) -> tuple[Ints, Floats]:
    """The best pair for each tournament, and the covariance as if it had been played."""
    runs, bots = mean.shape
    rank = np.argsort(np.argsort(-mean.round(DIGITS), axis=1, kind="stable"), axis=1, kind="stable")
    leading = rank < top
    wanted = np.triu(np.ones((bots, bots), dtype=bool), k=1) & (leading[:, :, None] | leading[:, None, :])
    at, rows, columns = (part.reshape(runs, -1) for part in np.nonzero(wanted))
    half = covariance[at, rows] - covariance[at, columns]
    place = np.arange(runs)[:, None, None], np.arange(rows.shape[1])[None, :, None]
    carried = half[place[0], place[1], rows[:, None, :]] - half[place[0], place[1], columns[:, None, :]]
    difference = np.take_along_axis(mean, rows, 1) - np.take_along_axis(mean, columns, 1)
    variance = np.diagonal(carried, axis1=1, axis2=2)
    precision = 2.0 * adaptive.expected_precision(difference, variance)
    share = precision / (1.0 + precision * variance)
    shrunk = np.sqrt(np.maximum(1.0 - carried**2 * share[:, None, :] / variance[:, :, None], 0.0))
    gain = (np.exp(-0.5 * difference**2 / variance)[:, :, None] * (1.0 - shrunk)).sum(axis=1)
    best = np.argmax(gain.round(DIGITS), axis=1)
    every = np.arange(runs)
    chosen = half[every, best]
    left = covariance - share[every, best][:, None, None] * chosen[:, :, None] * chosen[:, None, :]
    return np.c_[rows[every, best], columns[every, best]], left


def may_be_certain(mean: Floats, covariance: Floats, top: int) -> NDArray[np.bool_]:
    """Whether the two bots at each place that matters are in order with that probability, by the widest prior."""
    order = np.argsort(-mean, axis=1, kind="stable")
    possible = np.ones(len(mean), dtype=bool)
    every = np.arange(len(mean))
    for place in range(min(top, mean.shape[1] - 1)):
        a, b = order[:, place], order[:, place + 1]
        variance = covariance[every, a, a] + covariance[every, b, b] - 2.0 * covariance[every, a, b]
        possible &= cumulative((mean[every, a] - mean[every, b]) / np.sqrt(variance)) >= CONFIDENCE - 0.01
    return possible


def simulate(spread: float, *, runs: int, bots: int, top: int, seed: int, most: int = MOST) -> Stops:
    """Play so many tournaments until each stops by itself."""
    rng = np.random.default_rng((7, seed))
    skills = rng.normal(ENV.mu, spread, (runs, bots))
    fields, games = Fields(runs, bots), np.zeros(runs, dtype=np.int64)
    schedule = adaptive.Adaptive(bots, 2, top=top, confidence=CONFIDENCE, most=most)
    certain, live = np.zeros(runs, dtype=bool), np.arange(runs)
    while len(live):
        groups = np.array([schedule.groups_at_once(int(games[run])) for run in live])
        mean, covariance = ENV.mu + fields.mean[live, :bots], fields.covariance[live, :bots, :bots]
        for number in np.flatnonzero(may_be_certain(mean, covariance, top)):
            certain[live[number]] = certainty(mean[number], covariance[number], top) >= CONFIDENCE
        played = _played(fields, live)
        neglected = certain[live] & (played.min(axis=1) >= adaptive.LEAST)
        for group in range(groups.max()):
            going = np.flatnonzero((group < np.where(certain[live], 1, groups)) & ~neglected)
            if not len(going):
                break
            pairs, covariance[going] = next_pairs(mean[going], covariance[going], top)
            least = np.argsort(played[going], axis=1, kind="stable")[:, :2]
            pairs = np.where(certain[live[going]][:, None], np.sort(least, axis=1), pairs)
            for seating in (pairs, pairs[:, ::-1]):
                _play(rng, fields, skills, live[going], seating)
            games[live[going]] += 2
        live = live[~neglected & (games[live] < most)]
        certain[live] = False
        fields.learn(live)
    leaders = np.argsort(-fields.mean[:, :bots], axis=1, kind="stable")[:, :top]
    return Stops(games, (leaders == np.argsort(-skills, axis=1)[:, :top]).all(axis=1), certain)


def _played(fields: Fields, runs: Ints) -> Ints:
    """How many matches every bot has played."""
    totals = fields.counts[runs].sum(axis=1)
    played = np.zeros((len(runs), fields.bots), dtype=np.int64)
    for bot in range(fields.bots):
        played[:, bot] = totals[:, (fields.pairs == bot).any(axis=1)].sum(axis=1)
    return played


def _play(rng: np.random.Generator, fields: Fields, skills: Floats, runs: Ints, seating: Ints) -> None:
    """One match in each of these tournaments."""
    first, second = seating.T
    lead = skills[runs, first] - skills[runs, second] + rng.normal(0.0, np.sqrt(NOISE), len(runs))
    outcome = np.where(np.abs(lead) < MARGIN, 2, np.where(lead > 0.0, 0, 1))
    pair = first * (fields.bots - 1) + second - (second > first)
    fields.counts[runs, outcome, pair] += 1


def row(spread: float, stops: Stops) -> Sequence[str]:
    """What a table shows of them."""
    right = stops.right[stops.certain]
    share = right.mean() if len(right) else 0.0
    error = np.sqrt(share * (1.0 - share) / max(len(right), 1))
    games = np.percentile(stops.games, [50, 90])
    return [
        f"{spread:g}", f"{len(right):,}", f"{share:.1%}", f"{2.0 * error:.1%}", f"{stops.games.mean():,.0f}",
        *(f"{value:,.0f}" for value in games),
    ]  # fmt: skip


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=100, help="tournaments of each spread")
    parser.add_argument("--bots", type=int, default=6)
    parser.add_argument("--top", type=int, default=1)
    parser.add_argument("--spreads", type=float, nargs="+", default=SPREADS)
    parser.add_argument("--most", type=int, default=MOST, help="matches after which a tournament gives up")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    places = "first place" if given.top == 1 else f"first {given.top} places"
    table = Table(title=f"{given.runs:,} tournaments of {given.bots} bots each, until the {places} is 95 % certain")
    for heading in ("spread", "stopped", "right", "± 2 se", "matches, mean", "median", "90th"):
        table.add_column(heading, justify="right")
    console = Console(width=100)
    for spread in given.spreads:
        stops = simulate(spread, runs=given.runs, bots=given.bots, top=given.top, seed=given.seed, most=given.most)
        table.add_row(*row(spread, stops))
        print(*row(spread, stops), sep="\t", file=sys.stderr, flush=True)
    console.print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""A sequential test whether one bot is better than another, by pairs of games with the seats swapped.

Both games of a pair share a seed, so they are not independent; the pair is the unit (pentanomial statistics). A pair
gives 0, 1/2, 1, 3/2 or 2 points. For the hypothesis that the expected score is s, the likeliest distribution p over
these outcomes with that mean, given their observed frequencies f, is p_i = f_i / (1 + x (a_i - s)), where a_i is the
score per game and x the root of sum f_i (a_i - s) / (1 + x (a_i - s)) = 0. The logarithm of the ratio of both
likelihoods is compared with Wald's bounds after every pair (fishtest's generalised sequential probability ratio test).
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.errors import UsageError
from arena.match import points
from arena.schedules.outcomes import FixtureResult, Outcomes
from arena.schedules.schedule import NO_ROUNDS, Rounds, Schedule

Floats = NDArray[np.float64]

SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
"""Points per game of the five outcomes of a pair."""
_PRIOR = 1e-3
"""Counted to every outcome, so that one which was never seen is not taken to be impossible."""
_STEPS = 60
_PRECISION = 1e-10
_Z95 = 1.959964
_FEWEST_PAIRS = 8
_BATCH = 0.1
"""So many pairs, or this part of those before, are played between two looks at the test."""


class SprtDecision(Enum):
    """What the test says so far."""

    CONTINUE = "not decided yet"
    ACCEPT_H0 = "not better by elo1"
    ACCEPT_H1 = "better by more than elo0"


@dataclass(frozen=True, slots=True)
class SprtReport:
    """The state of a test in numbers."""

    decision: SprtDecision
    pairs: int
    llr: float
    lower: float
    upper: float
    elo: float
    interval: tuple[float, float]
    """The 95 % interval of the Elo difference; it is a little too narrow for a test that stopped by itself."""
    los: float
    """The likelihood of superiority: the probability that the first bot is the better one."""


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of elo <= elo0 against elo >= elo1 with error rates alpha and beta, and the pairs seen so far."""

    elo0: float
    elo1: float
    alpha: float
    beta: float
    counts: tuple[int, ...] = (0, 0, 0, 0, 0)
    """Pairs that gave the first bot 0, 1/2, 1, 3/2 and 2 points."""

    def __post_init__(self) -> None:
        if not (self.elo0 < self.elo1 and 0.0 < self.alpha < 0.5 and 0.0 < self.beta < 0.5):
            raise UsageError("a sequential test needs elo0 below elo1, and alpha and beta between 0 and 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which the test ends."""
        return math.log(self.beta / (1.0 - self.alpha)), math.log((1.0 - self.beta) / self.alpha)

    def after(self, pairs: Sequence[tuple[float, float]]) -> "Sprt":
        """The test after these pairs in this order; what comes after its decision does not count.

        A pair is the first bot's points (0, 1/2 or 1) in either of its games.
        """
        outcomes = np.array([round(2.0 * sum(pair)) for pair in pairs], dtype=np.int64)
        counts = np.cumsum(outcomes[:, None] == np.arange(len(SCORES)), axis=0) + np.array(self.counts)
        lower, upper = self.bounds
        llr = log_likelihood_ratio(counts, self.elo0, self.elo1)
        decided = np.flatnonzero((llr <= lower) | (llr >= upper))
        counted = counts[decided[0] if len(decided) else -1] if len(pairs) else self.counts
        return replace(self, counts=tuple(int(count) for count in counted))

    def report(self) -> SprtReport:
        """The decision, and what is known about the difference."""
        lower, upper = self.bounds
        llr = float(log_likelihood_ratio(self.counts, self.elo0, self.elo1))
        score, error = _score(self.counts)
        ends = score - _Z95 * error, score + _Z95 * error
        return SprtReport(
            decision=_decide(llr, lower, upper),
            pairs=sum(self.counts),
            llr=llr,
            lower=lower,
            upper=upper,
            elo=elo_of(score),
            interval=(elo_of(ends[0]), elo_of(ends[1])),
            # Below 1 also where the rest is too small for a float: no number of pairs proves it.
            los=min(0.5 * math.erfc((0.5 - score) / error / math.sqrt(2.0)), math.nextafter(1.0, 0.0)),
        )


class PairSchedule(Schedule):
    """Pairs of matches between two bots, the same deal from both sides, until the test is decided."""

    def __init__(self, test: Sprt, most: int) -> None:
        self._test = test
        """After all pairs that were looked at, each once."""
        self._decided = False
        self._most = most

    def rounds(self, finished: Outcomes) -> Rounds:
        """The next few pairs, each a round."""
        played = len(finished) // 2
        if played >= self._most or self.is_decided(finished):
            return NO_ROUNDS
        last = min(self._most, played + max(_FEWEST_PAIRS, int(_BATCH * played)))
        return Rounds([(0, 1)], played, last - played)

    def total(self) -> int:
        """The most that may be played."""
        return 2 * self._most

    def ending(self, finished: Outcomes) -> str:
        self.is_decided(finished)
        report = self._test.report()
        return f"{report.decision.value} after {report.pairs} pairs"

    def is_decided(self, played: Outcomes) -> bool:
        """Whether the pairs up to the first that is not over decide the test: then no later one is waited for."""
        if not self._decided and (pairs := leading_pairs(played, sum(self._test.counts))):
            self._test = self._test.after(pairs)
            self._decided = self._test.report().decision is not SprtDecision.CONTINUE
        return self._decided


def leading_pairs(played: Outcomes, start: int = 0) -> list[tuple[float, float]]:
    """The pairs in the order of the deals up to the first that is not over, in whatever order they ended.

    They are the first bot's points in both matches.

    Wins are often quicker than losses, so what is over first is no fair sample of what was begun.
    """
    pairs = list[tuple[float, float]]()
    while (pair := _pair(played, start + len(pairs))) is not None:
        pairs.append(pair)
    return pairs


def later_pairs(played: Outcomes, counted: int) -> int:
    """How many pairs are over that come after the first so many, which count."""
    over = Counter(place // 2 for place, _ in played.known(2 * counted))
    return sum(matches == 2 for matches in over.values())


def _pair(played: Outcomes, number: int) -> tuple[float, float] | None:
    """The first bot's points in both matches of a pair, if both are over."""
    first, second = played.get(2 * number), played.get(2 * number + 1)
    return None if first is None or second is None else (first_points(first), first_points(second))


def first_points(match: FixtureResult) -> float:
    """What bot 0 got: 1 for a win, a half for a tie."""
    return points(match.ranks)[match.seating.index(0)]


def score_of(elo: float) -> float:
    """The expected points per game of a bot that is stronger by so many Elo."""
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))


def elo_of(score: float) -> float:
    """The Elo difference that gives this score, without bounds at 0 and 1."""
    if not 0.0 < score < 1.0:
        return math.copysign(math.inf, score - 0.5)
    return -400.0 * math.log10(1.0 / score - 1.0)


def log_likelihood_ratio(counts: ArrayLike, elo0: float, elo1: float) -> Floats:
    """How much likelier elo1 is than elo0; counts may be many tests at once, the five outcomes last."""
    seen = np.asarray(counts, dtype=np.float64) + _PRIOR
    frequency = seen / seen.sum(axis=-1, keepdims=True)
    likelihoods = [np.log(_tilted(frequency, score_of(elo))) for elo in (elo0, elo1)]
    ratio: Floats = (seen * (likelihoods[1] - likelihoods[0])).sum(axis=-1)
    return ratio


def _tilted(frequency: Floats, score: float) -> Floats:
    """The likeliest distribution with this mean score: Newton's steps for x, halving where they leave the bracket."""
    distance = SCORES - score
    low, high = np.full(frequency.shape[:-1], -1.0 / distance[-1]), np.full(frequency.shape[:-1], -1.0 / distance[0])
    x = np.zeros_like(low)
    for _ in range(_STEPS):
        pull = distance / (1.0 + x[..., None] * distance)
        slope = (frequency * pull).sum(axis=-1)
        low, high = np.where(slope > 0.0, x, low), np.where(slope > 0.0, high, x)
        newton = x + slope / (frequency * pull * pull).sum(axis=-1)
        before, x = x, np.where((low < newton) & (newton < high), newton, 0.5 * (low + high))
        if np.abs(x - before).max(initial=0.0) < _PRECISION:
            break
    tilted: Floats = frequency / (1.0 + x[..., None] * distance)
    return tilted


def _score(counts: tuple[int, ...]) -> tuple[float, float]:
    """The mean points per game, and its standard error from the spread between pairs."""
    seen = np.asarray(counts, dtype=np.float64) + _PRIOR
    total = seen.sum()
    mean = float(seen @ SCORES / total)
    return mean, math.sqrt(float(seen @ (SCORES - mean) ** 2) / total / total)


def _decide(llr: float, lower: float, upper: float) -> SprtDecision:
    if llr >= upper:
        return SprtDecision.ACCEPT_H1
    return SprtDecision.ACCEPT_H0 if llr <= lower else SprtDecision.CONTINUE

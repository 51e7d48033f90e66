"""Which bots should meet next, and when the order at the top is known: decisions on the joint Gaussian of the skills.

The doubt about the order of two bots is exp(-z^2 / 2), z being the difference of their means in standard deviations: 1
when nothing is known and, like the probability of the wrong order, small when z is large. A match between a and b
can be foretold to shrink the variance of their difference, V, to V - V^2 w / C, with C = V + 2 beta^2 and w the mean
of TrueSkill's w over the outcomes. What that does to the difference of two other bots follows from the joint
covariance: its variance U falls by some r^2, and its mean will move by N(0, r^2). The doubt to be expected after the
match is then exactly sqrt(1 - r^2 / U) times the doubt before. The best match leaves the least doubt over all pairs
that matter.
"""

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import trueskill
from numpy.typing import NDArray

from arena.errors import UsageError
from arena.match import percent
from arena.ratings import Posterior, Results, block, fit
from arena.ratings.model import ENVIRONMENT, ROLE_SIGMA
from arena.ratings.truncated import Floats, cumulative, draw, win
from arena.schedules.certainty import DIGITS, certainty
from arena.schedules.outcomes import Outcomes
from arena.schedules.schedule import NO_ROUNDS, Rounds, Schedule, check_field_size

Ints = NDArray[np.int64]

_MOST_PAIRS = 1_000
"""So many pairs, the most doubtful ones, are looked at in a large field."""
_BATCH = 0.05
"""A round is this part of all matches before it: deciding more often would tell little more."""
LEAST = 4
"""Matches that every bot plays before anything is called certain: the prior is so wide that a lucky start convinces."""


class Adaptive(Schedule):
    """The schedule that plays the most informative matches until the order of the first `top` places is certain."""

    def __init__(
        self,
        bots: int,
        seats: int,
        *,
        top: int,
        confidence: float,
        most: int,
    ) -> None:
        check_field_size(bots, seats)
        self._bots = bots
        self._seats = seats
        self._top = min(top, bots)
        self._confidence = confidence
        self._most = most

    def rounds(self, finished: Outcomes) -> Rounds:
        """One round of the groups whose matches take away the most doubt; each plays its next deal in all rotations."""
        if len(finished) >= self._most:
            return NO_ROUNDS
        known = self.known(finished)
        if self._certainty(known) < self._confidence:
            chosen = next_groups(
                known.mu,
                known.skills,
                top=self._top,
                seats=self._seats,
                games=self._seats,
                count=self.groups_at_once(len(finished)),
            )
        else:
            chosen = self._neglected(finished)
        met = Counter[tuple[int, ...]]()
        for outcome, times in finished.counts.items():
            met[tuple(sorted(outcome.seating))] += times
        groups, deals = [tuple(sorted(group)) for group in chosen], []
        for group in groups:
            deals.append(met[group] // self._seats)
            met[group] += self._seats
        return Rounds(groups, deals, 1)

    def total(self) -> None:
        """Not known in advance."""

    def ending(self, finished: Outcomes) -> str:
        """The certainty that was reached."""
        reached, places = self._certainty(self.known(finished)), _places(self._top)
        if reached >= self._confidence:
            return f"{places} certain ({percent(reached)}) after {len(finished)} matches"
        below = percent(math.floor(1000.0 * reached) / 1000.0, 1)  # never up to what was asked for
        return f"{places} not certain ({below}) after {len(finished)} matches, and no more were allowed"

    def known(self, finished: Outcomes) -> Posterior:
        """What the results tell of the field, with the bots in the order of their numbers."""
        names = tuple(f"{number:05}" for number in range(self._bots))
        seats = tuple(f"seat {seat}" for seat in range(self._seats))
        outcomes, times = list(finished.counts), list(finished.counts.values())
        played = [outcome.seating for outcome in outcomes], [outcome.ranks for outcome in outcomes]
        results = Results(names, seats, (block(*played, counts=times),) if outcomes else ())
        return fit(results, ENVIRONMENT, role_sigma=ROLE_SIGMA if finished else 0.0)

    def _neglected(self, finished: Outcomes) -> list[tuple[int, ...]]:
        """The group of those who played least, if that is too little."""
        played = finished.games()
        fewest = sorted(range(self._bots), key=lambda bot: (played[bot], bot))[: self._seats]
        return [tuple(fewest)] if played[fewest[0]] < LEAST else []

    def groups_at_once(self, finished: int) -> int:
        """How many groups to choose at once; it must not depend on how many matches can be played at once."""
        wanted = max(1, self._bots // 4, int(_BATCH * finished / self._seats))
        return min(wanted, math.ceil((self._most - finished) / self._seats))

    def _certainty(self, known: Posterior) -> float:
        return certainty(known.mu, known.skills, self._top)


def next_groups(
    mean: Floats,
    covariance: Floats,
    *,
    top: int,
    seats: int = 2,
    games: int = 1,
    count: int = 1,
) -> list[tuple[int, ...]]:
    """The `count` groups of `seats` bots, each for `games` matches, that most reduce the doubt about the first `top`.

    Every group is chosen as if the ones before it had played, so they can play at the same time.
    """
    if not 2 <= seats <= len(mean):
        raise UsageError(f"{seats} seats cannot be filled from a field of {len(mean)}")
    groups = []
    for _ in range(count):
        gains, shares = _gains(mean, covariance, top=top, games=games)
        group = _best_group(gains, seats)
        groups.append(group)
        for first, second in pairwise(group):
            carried = covariance[:, first] - covariance[:, second]
            covariance = covariance - shares[first, second] * np.outer(carried, carried)
    return groups


def games_to_separate(mean: Floats, covariance: Floats, *, first: int, second: int, confidence: float) -> float:
    """About how many matches between two bots make their order this certain, if they are as far apart as it seems."""
    distance = abs(float(mean[first] - mean[second]))
    variance = _difference_variances(covariance)[first, second]
    wanted = (float(ENVIRONMENT.ppf(confidence)) / distance) ** 2 if distance else math.inf
    precision = float(expected_precision(np.array([distance]), np.array([variance]))[0])
    return max(0.0, math.ceil((wanted - 1.0 / variance) / precision) if wanted < math.inf else wanted)


def _gains(mean: Floats, covariance: Floats, *, top: int, games: int) -> tuple[Floats, Floats]:
    """For each two bots: the doubt that their matches take away, and the share of variance along their difference."""
    variances = _difference_variances(covariance)
    rows, columns = _pairs_that_matter(mean, variances, top)
    difference, variance = mean[rows] - mean[columns], variances[rows, columns]
    precision = games * expected_precision(difference, variance)
    share = precision / (1.0 + precision * variance)
    half = covariance[rows] - covariance[columns]
    carried = half[:, rows] - half[:, columns]
    shrunk = np.sqrt(np.maximum(1.0 - carried**2 * share / variance[:, None], 0.0))
    gain = np.exp(-0.5 * difference**2 / variance) @ (1.0 - shrunk)
    gains, shares = np.zeros_like(covariance), np.zeros_like(covariance)
    for matrix, values in ((gains, gain), (shares, share)):
        matrix[rows, columns] = matrix[columns, rows] = values
    np.fill_diagonal(gains, -1.0)  # nobody meets itself, even when nothing is left to gain
    return gains, shares


def _pairs_that_matter(mean: Floats, variances: Floats, top: int) -> tuple[Ints, Ints]:
    """The pairs with a bot of the first `top` in them: their order decides who holds these places."""
    leading = np.argsort(np.argsort(-mean.round(DIGITS), kind="stable")) < top
    rows, columns = np.nonzero(np.triu(leading[:, None] | leading, k=1))
    z = np.abs(mean[rows] - mean[columns]) / np.sqrt(variances[rows, columns])
    kept = np.sort(np.argsort(z.round(DIGITS), kind="stable")[:_MOST_PAIRS])
    return rows[kept], columns[kept]


def expected_precision(difference: Floats, variance: Floats) -> Floats:
    """The precision that one match of two bots can be expected to add to what is known of their difference."""
    total = variance + 2.0 * ENVIRONMENT.beta**2
    t = difference / np.sqrt(total)
    margin = trueskill.calc_draw_margin(ENVIRONMENT.draw_probability, 2, ENVIRONMENT) / np.sqrt(total)
    won, lost = cumulative(t - margin), cumulative(-t - margin)
    shrink = won * win(t, margin)[1] + lost * win(-t, margin)[1] + (1.0 - won - lost) * draw(t, margin)[1]
    precision: Floats = shrink / (total - variance * shrink)
    return precision


def _best_group(gains: Floats, seats: int) -> tuple[int, ...]:
    """The pair with the greatest gain, and then whoever adds most to those who are in it."""
    gains = gains.round(DIGITS)
    first, second = np.unravel_index(np.argmax(gains), gains.shape)
    group = [int(first), int(second)]
    while len(group) < seats:
        added = gains[group].sum(axis=0)
        added[group] = -1.0
        group.append(int(np.argmax(added)))
    return tuple(group)


def _places(top: int) -> str:
    return "the first place is" if top == 1 else f"the order of the first {top} places is"


def _difference_variances(covariance: Floats) -> Floats:
    """The variance of the difference of each two bots."""
    own = np.diag(covariance)
    return own[:, None] + own - 2.0 * covariance

"""The sites of expectation propagation: Gaussian approximations of the truncations, for many matches at a time.

Of two seats that follow each other in the ranking of a match, best first, the difference y of their performances is
above the draw margin, or within it when they share a rank. Such a cut is replaced by a Gaussian in y, its site, with
precision pi and shift tau = pi * mean. The strengths u of the seats have differences d = D u; y = d + noise with
covariance G = beta^2 D D', because neighbours share a seat. Then, with R = diag(1/pi) + G,
  W = R^-1 and b = W (tau / pi) are the precision and the shift that a match tells about d, and
  Vc = V + V (R - V)^-1 V is the covariance of d without this match, V being the one with it.
Every inverse is taken of a matrix scaled by sqrt(q), q = pi / (1 + pi g), g the diagonal of G, so that neither a site
of no precision nor one of nearly infinite precision (a draw with a tiny margin) loses digits.

All arrays have the results last: `links` are the pairs of neighbours, one less than seats.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np

from arena.ratings.results import Block, Ints
from arena.ratings.truncated import Floats, draw, win

_LEAST = 1e-300
"""The precision of a site without information: small, but its square root can still be divided by."""


class Sites:
    """The sites of one block of results, a row per link and a column per different result."""

    def __init__(self, part: Block, *, roles_from: int | None, beta: float, margin: float) -> None:
        links = part.seats - 1
        # The variables whose sum is the strength of a seat: its bot, and its role if roles are variables too.
        self._terms: list[Ints] = [part.bots] if roles_from is None else [part.bots, part.roles + roles_from]
        self._counts = part.counts.astype(np.float64)
        self._cuts = [((draw, np.flatnonzero(tie)), (win, np.flatnonzero(~tie))) for tie in part.ties]
        self._margin = margin
        self._shared = -(beta**2) * (np.eye(links, k=1) + np.eye(links, k=-1))[:, :, None]
        self._noise = self._shared + 2.0 * beta**2 * np.eye(links)[:, :, None]
        self._cells: dict[int, list[Ints]] = {}
        """By the number of variables: for each pair of terms the cells of a matrix, seats by seats by results."""
        self._pi = np.full((links, len(self._counts)), _LEAST)
        self._tau = np.zeros_like(self._pi)

    def add_to(self, precision: Floats, shift: Floats) -> None:
        """Add what all these matches tell to the precision and the shift of the joint Gaussian."""
        match_precision, match_shift = self._match_information()
        size = len(shift)
        for variables, vector in self._seats(_across(match_shift * self._counts)):
            shift += np.bincount(variables, weights=vector, minlength=size)
        matrix = _across(np.swapaxes(_across(match_precision * self._counts), 0, 1))
        terms, seats, cells = range(len(self._terms)), range(len(matrix)), self._matrix_cells(size)
        for left, row, right, column in product(terms, seats, terms, seats):
            where = cells[left * len(terms) + right][row, column]
            sums = np.bincount(where, weights=matrix[row, column], minlength=size * size)
            precision += sums.reshape(size, size)

    def update(self, mean: Floats, covariance: Floats, step: float) -> None:
        """Move every site by `step` of the way to the one that its exact cut asks for."""
        centre, spread = self._without(mean, covariance)
        pi, tau = self._pi.copy(), self._tau.copy()
        for link in range(len(pi)):
            pi[link], tau[link] = self._renewed(link, *_cavity(link, centre, spread, pi, tau))
        self._pi = np.maximum(self._pi + step * (pi - self._pi), _LEAST)
        self._tau += step * (tau - self._tau)

    def _match_information(self) -> tuple[Floats, Floats]:
        """W and b: precision and shift of one match of each kind about the differences of its strengths."""
        precision = _scaled_inverse(self._shared, self._root())
        return precision, _times(precision, self._tau / self._pi)

    def _without(self, mean: Floats, covariance: Floats) -> tuple[Floats, Floats]:
        """Mean and covariance of y by all other matches: one of each kind is taken out of the joint Gaussian."""
        difference, known = self._differences(mean, covariance)
        _, match_shift = self._match_information()
        extra = _product(known, _scaled_inverse(self._shared - known, self._root()))
        rest = difference - _times(known, match_shift)
        return rest + _times(extra, rest), known + _product(extra, known) + self._noise

    def _renewed(self, link: int, mean: Floats, variance: Floats) -> tuple[Floats, Floats]:
        """The site that turns N(mean, variance) into a Gaussian with the moments of its cut."""
        deviation = np.sqrt(variance)
        t, margin = mean / deviation, self._margin / deviation
        v, w = np.empty_like(t), np.empty_like(t)
        for cut, where in self._cuts[link]:
            v[where], w[where] = cut(t[where], margin[where])
        return w / (1.0 - w) / variance, (w * t + v) / (1.0 - w) / deviation

    def _root(self) -> Floats:
        root: Floats = np.sqrt(self._pi / (1.0 + self._pi * self._noise[0, 0]))
        return root

    def _differences(self, mean: Floats, covariance: Floats) -> tuple[Floats, Floats]:
        """Mean and covariance of d by the joint Gaussian."""
        centres = np.zeros(self._terms[0].shape)
        strengths = np.zeros((len(centres), *centres.shape))
        for term in self._terms:
            centres += mean[term]
        for cells in self._matrix_cells(len(covariance)):
            strengths += covariance.take(cells)
        rows = strengths[:-1] - strengths[1:]
        return centres[:-1] - centres[1:], rows[:, :-1] - rows[:, 1:]

    def _matrix_cells(self, size: int) -> list[Ints]:
        """For each pair of terms the cells of a square matrix of this size that its seats have; made once."""
        if size not in self._cells:
            self._cells[size] = [left[:, None] * size + right for left, right in product(self._terms, repeat=2)]
        return self._cells[size]

    def _seats(self, values: Floats) -> Iterator[tuple[Ints, Floats]]:
        """The variables of each seat with the values of that seat."""
        return ((variables, values[seat]) for term in self._terms for seat, variables in enumerate(term))


def _cavity(link: int, mean: Floats, covariance: Floats, pi: Floats, tau: Floats) -> tuple[Floats, Floats]:
    """Mean and variance of one y, given the sites of the other links of its match."""
    for other in range(len(pi)):
        if other != link:
            gain = covariance[:, other] / (1.0 + pi[other] * covariance[other, other])
            mean = mean + gain * (tau[other] - pi[other] * mean[other])
            covariance = covariance - (pi[other] * gain)[:, None] * covariance[other]
    return mean[link], covariance[link, link]


def _scaled_inverse(rest: Floats, root: Floats) -> Floats:
    """(diag(1 / root^2) + rest)^-1, for positive definite matrices, by elimination without pivots."""
    matrix = root[:, None] * rest * root
    links = len(root)
    matrix[range(links), range(links)] += 1.0
    for link in range(links):
        pivot = 1.0 / matrix[link, link]
        column, row = matrix[:, link] * pivot, matrix[link].copy()
        matrix -= column[:, None] * row
        matrix[link], matrix[:, link] = row * pivot, -column
        matrix[link, link] = pivot
    scaled: Floats = root[:, None] * matrix * root
    return scaled


def _product(left: Floats, right: Floats) -> Floats:
    product: Floats = np.einsum("ijf,jkf->ikf", left, right)
    return product


def _times(matrix: Floats, vector: Floats) -> Floats:
    """Matrix times vector for each result."""
    product: Floats = np.einsum("ijf,jf->if", matrix, vector)
    return product


def _across(links: Floats) -> Floats:
    """D' times the links: each lifts its better seat and lowers its worse one."""
    seats = np.zeros((len(links) + 1, *links.shape[1:]))
    seats[:-1] += links
    seats[1:] -= links
    return seats

"""How much a Gaussian moves and shrinks when it is cut to a half-line (a win) or to a strip (a draw).

For y ~ N(t, 1) cut to y > m (win) or |y| < m (draw), the mean of the cut is t + v and its variance 1 - w.
Where its formulas are sound these are the numbers of the `trueskill` package to the last digits, with the
same rational approximation of erfc (relative error 1.2e-7), so that one match gives its ratings. They lose
all digits in two places: far in the tail, where 1 - w is a difference of large numbers, and for a narrow
strip, where w is a quotient of small ones (below a draw probability of about 1 % the package gives
w > 1). There v and w come from a continued fraction and from Gauss-Legendre quadrature, both exact to
about 1e-12. The change from one to the other is a linear blend: a jump would keep a fixed point from settling.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

# Numerical Recipes' erfcc, which the package uses, highest power first.
_ERFC = (
    0.17087277,
    -0.82215223,
    1.48851587,
    -1.13520398,
    0.27886807,
    -0.18628806,
    0.09678418,
    0.37409196,
    1.00002368,
    -1.26551223,
)
_LEVELS = 40
"""Levels of the continued fraction: enough for 1e-13 from 4 standard deviations on."""
_REACH = 37.0
"""Where exp(-x) no longer matters beside 1."""
_MOST = 1.0 - 1e-8
"""The largest w: for ratings, a strip of less than a ten-thousandth is as good as a point."""


def density(x: Floats) -> Floats:
    height: Floats = np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi)
    return height


def cumulative(x: Floats) -> Floats:
    """The standard normal distribution function, with the error of the package's."""
    z = np.abs(x) / np.sqrt(2.0)
    k = 1.0 / (1.0 + z / 2.0)
    tail: Floats = 0.5 * k * np.exp(np.polyval(_ERFC, k) - z * z)
    return np.where(x <= 0.0, tail, 1.0 - tail)


def win(t: Floats, margin: Floats) -> tuple[Floats, Floats]:
    """The v and w of y > margin."""
    x = t - margin
    near = np.maximum(x, -6.0)
    v = density(near) / cumulative(near)
    w = v * (v + near)
    soundness = np.clip(x + 5.0, 0.0, 1.0)
    unsound = soundness < 1.0
    if unsound.any():
        _blend(v, w, soundness, unsound, _win_in_tail(-x[unsound]))
    return v, np.clip(w, 0.0, _MOST)


def draw(t: Floats, margin: Floats) -> tuple[Floats, Floats]:
    """The v and w of |y| < margin."""
    size = np.abs(t)
    near, wide = np.minimum(size, margin + 6.0), np.maximum(margin, 0.0075)
    a, b = wide - near, -wide - near
    mass = cumulative(a) - cumulative(b)
    v = (density(b) - density(a)) / mass
    w = v * v + (a * density(a) - b * density(b)) / mass
    soundness = np.clip(margin + 5.0 - size, 0.0, 1.0) * np.clip((margin - 0.0075) / 0.0035, 0.0, 1.0)
    unsound = soundness < 1.0
    if unsound.any():
        _blend(v, w, soundness, unsound, _draw_by_quadrature(size[unsound], margin[unsound]))
    return np.where(t < 0.0, -v, v), np.clip(w, 0.0, _MOST)


def _blend(v: Floats, w: Floats, soundness: Floats, where: Bools, exact: tuple[Floats, Floats]) -> None:
    """Replace the unsound part of v and w by the exact numbers, in place."""
    share = soundness[where]
    for values, better in zip((v, w), exact):
        values[where] = share * values[where] + (1.0 - share) * better


def _win_in_tail(y: Floats) -> tuple[Floats, Floats]:
    """The v = y + rest and w = v * rest for y = margin - t > 0, where rest = 1/(y + 2/(y + 3/(y + ...)))."""
    rest = np.zeros_like(y)
    for level in range(_LEVELS, 0, -1):
        rest = level / (y + rest)
    v = y + rest
    return v, v * rest


def _draw_by_quadrature(t: Floats, margin: Floats) -> tuple[Floats, Floats]:
    """The moments of exp(t y - y^2 / 2) over the part of the strip that counts, for t >= 0."""
    width = np.minimum(2.0 * margin, _REACH / np.maximum(t - margin, 1e-9))
    # Distances from the upper edge of the strip: near it lies nearly all of the mass when t is large.
    nodes, weights = _quadrature()
    below = 0.5 * width * (1.0 + nodes[:, None])
    mass = weights[:, None] * np.exp(below * (margin - t) - 0.5 * below * below)
    mass /= mass.sum(axis=0)
    mean = (mass * below).sum(axis=0)
    variance = (mass * (below - mean) ** 2).sum(axis=0)
    return margin - mean - t, 1.0 - variance


@cache
def _quadrature() -> tuple[Floats, Floats]:
    """Nodes and weights of Gauss-Legendre; few tables need them, and numpy loads them slowly."""
    nodes, weights = np.polynomial.legendre.leggauss(32)
    return nodes, weights

"""The fixed point of the model in long double, by a plain implementation in coordinates that many matches do not spoil.

Only differences of skills, and of advantages, are told by matches. Here they are coordinates of their own, apart from
the offsets that all share, so every matrix stays well conditioned however many matches there are.
"""

from itertools import pairwise

import numpy as np

from arena.ratings.truncated import draw, win

SWEEPS = 3_000
SETTLED = 1e-12


def contrasts(size):
    """Orthonormal rows that are orthogonal to the offset common to all."""
    rows = np.zeros((size - 1, size), dtype=np.longdouble)
    for number in range(1, size):
        rows[number - 1, :number] = 1
        rows[number - 1, number] = -number
        rows[number - 1] /= np.sqrt(np.longdouble(number * (number + 1)))
    return rows


def solve(matrix, right):
    """Gauss and Jordan with pivots, since numpy solves no long doubles."""
    size = len(matrix)
    work = np.concatenate([matrix, right], axis=1).astype(np.longdouble)
    for column in range(size):
        pivot = column + int(np.argmax(np.abs(work[column:, column])))
        work[[column, pivot]] = work[[pivot, column]]
        work[column] /= work[column, column]
        others = np.arange(size) != column
        work[others] -= np.outer(work[others, column], work[column])
    return work[:, size:]


def inverse(matrix):
    return solve(matrix, np.eye(len(matrix), dtype=np.longdouble))


def cut(tie, mean, variance, margin):
    """The site that gives N(mean, variance) the moments of its cut."""
    deviation = np.sqrt(variance)
    t = mean / deviation
    v, w = (draw if tie else win)(np.array([t], dtype=np.longdouble), np.array([margin / deviation]))
    return w[0] / (1 - w[0]) / variance, (w[0] * t + v[0]) / (1 - w[0]) / deviation


class Kind:
    """One kind of result, and how often it came up: its sites are those of a single match."""

    def __init__(self, bots, roles, ties, count, basis, env):
        strengths = basis[:, bots].T if roles is None else basis[:, bots].T + basis[:, roles].T
        self.rows = np.array([one - other for one, other in pairwise(strengths)])
        steps = np.array([one - other for one, other in pairwise(np.eye(len(bots), dtype=np.longdouble))])
        self.noise = np.longdouble(env.beta) ** 2 * steps @ steps.T
        self.ties, self.count = ties, int(count)
        self.pi, self.tau = np.full(len(ties), np.longdouble(1e-30)), np.zeros(len(ties), dtype=np.longdouble)

    def told(self):
        """Precision and shift of one such match about its differences."""
        precision = inverse(np.diag(1 / self.pi) + self.noise)
        return precision, precision @ (self.tau / self.pi)

    def renew(self, mean, covariance, margin, step):
        """Take one such match out, and find its sites anew, one after the other until they agree."""
        precision, shift = self.told()
        known, centre = self.rows @ covariance @ self.rows.T, self.rows @ mean
        prior = inverse(known) - precision
        spread = inverse(prior) + self.noise
        centre = inverse(prior) @ (solve(known, centre[:, None])[:, 0] - shift)
        before = self.pi.copy(), self.tau.copy()
        for link, tie in enumerate(self.ties):
            others = self.pi.copy(), self.tau.copy()
            others[0][link] = others[1][link] = 0
            rest = inverse(inverse(spread) + np.diag(others[0]))
            middle = rest @ (solve(spread, centre[:, None])[:, 0] + others[1])
            self.pi[link], self.tau[link] = cut(tie, middle[link], rest[link, link], margin)
        self.pi = before[0] + step * (self.pi - before[0])
        self.tau = before[1] + step * (self.tau - before[1])


def precise_fit(results, env, margin, role_sigma=0.0, step=0.7):
    """Means and deviations of skills against the field's mean, of advantages too if they are asked for."""
    bots, roles = len(results.bots), len(results.roles) if role_sigma else 0
    basis = np.zeros((bots - 1 + max(roles - 1, 0), bots + roles), dtype=np.longdouble)
    basis[: bots - 1, :bots] = contrasts(bots)
    if roles:
        basis[bots - 1 :, bots:] = contrasts(roles)
    prior = np.r_[np.full(bots - 1, env.sigma), np.full(max(roles - 1, 0), role_sigma)].astype(np.longdouble)
    kinds = [
        Kind(part.bots[:, n], bots + part.roles[:, n] if roles else None, part.ties[:, n], part.counts[n], basis, env)
        for part in results.blocks
        for n in range(len(part.counts))
    ]
    mean = np.zeros(len(prior), dtype=np.longdouble)
    covariance = np.diag(prior**2)
    for _ in range(SWEEPS):
        for kind in kinds:
            kind.renew(mean, covariance, np.longdouble(margin), step)
        precision, shift = np.diag(prior**-2), np.zeros(len(prior), dtype=np.longdouble)
        for kind in kinds:
            told = kind.told()
            precision += kind.count * kind.rows.T @ told[0] @ kind.rows
            shift += kind.count * kind.rows.T @ told[1]
        before, covariance = np.r_[mean, np.diag(covariance)], inverse(precision)
        mean = covariance @ shift
        if np.abs(np.r_[mean, np.diag(covariance)] - before).max() < SETTLED:
            break
    else:
        raise AssertionError("the reference did not settle")
    return basis.T @ mean, np.sqrt(np.diag(basis.T @ covariance @ basis))

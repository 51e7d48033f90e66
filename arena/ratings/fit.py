"""TrueSkill over all results at once: the fixed point of its message passing, whatever the order of the results.

The model. Bot i has a skill s_i ~ N(mu, sigma^2). In every match a seat performs p = s + a + e, with e ~ N(0, beta^2)
new in each match and a ~ N(0, role_sigma^2) the advantage of the seat's role (left out when role_sigma is 0).
Of two seats that follow each other in the ranking, best first, p - p' is above the draw margin, or within it when they
share a rank. This is the model of `trueskill.rate` with tau = 0.

The method. Every such cut is replaced by a Gaussian, its site, chosen so that putting the exact cut in its place
changes neither mean nor variance of the difference (expectation propagation). TrueSkill sends these messages along
the chain of one match. Here skills and advantages are kept as one joint Gaussian. So what runs round the loops of a
tournament is not counted twice (sigma would be too small), and the offset common to all bots, which no match tells
anything about, costs no iterations. For one match, whose graph is a tree, both ways are the same. Equal results have
equal sites, so n of them enter as one site taken n times. An iteration solves one linear system over bots and roles,
and then renews all sites at once (see `sites`).
"""

from dataclasses import dataclass

import numpy as np
import trueskill

from arena.errors import UsageError
from arena.ratings.results import BotKey, Results, without_roles
from arena.ratings.sites import Sites
from arena.ratings.truncated import Floats

_ITERATIONS = 2000
_SHORTEST_STEP = 0.02
_SMALL = 24
_TOLERANCE = 1e-11
"""The step of mean and deviation, in units of sigma, at which the fixed point is reached."""
_ROUNDING = 4.0 * float(np.finfo(np.float64).eps)
"""What rounding leaves of a number in a solved linear system, times the condition of its matrix."""


@dataclass(frozen=True, slots=True)
class Posterior:
    """What the results tell: one joint Gaussian over the skills of all bots and the advantages of all roles."""

    bots: tuple[BotKey, ...]
    roles: tuple[str, ...]
    """Empty when no advantages were asked for."""
    mean: Floats
    """Skills first, then advantages."""
    covariance: Floats
    iterations: int

    @property
    def mu(self) -> Floats:
        """The mean skill of every bot."""
        return self.mean[: len(self.bots)]

    @property
    def skills(self) -> Floats:
        return self.covariance[: len(self.bots), : len(self.bots)]

    @property
    def sigma(self) -> Floats:
        """The standard deviation of every bot's skill."""
        return np.sqrt(np.diag(self.skills))


def fit(results: Results, env: trueskill.TrueSkill, *, role_sigma: float = 0.0) -> Posterior:
    """Rate all bots of the results; `role_sigma` above 0 estimates the advantages of the roles along."""
    margin = _margin(results, env)
    roles = results.roles if role_sigma > 0.0 else ()
    blocks = results.blocks if roles else tuple(without_roles(part) for part in results.blocks)
    roles_from = len(results.bots) if roles else None
    sites = [Sites(part, roles_from=roles_from, beta=env.beta, margin=margin) for part in blocks]
    prior = np.r_[np.full(len(results.bots), float(env.sigma)), np.full(len(roles), role_sigma)]
    shift, covariance, iterations = _fixed_point(sites, prior)
    mean = np.r_[np.full(len(results.bots), float(env.mu)), np.zeros(len(roles))] + shift
    return Posterior(results.bots, roles, mean, covariance, iterations)


def _margin(results: Results, env: trueskill.TrueSkill) -> float:
    """The draw margin of the environment for two seats, as the package computes it."""
    chance = env.draw_probability
    if callable(chance) or env.tau != 0.0:
        raise UsageError("ratings need an environment with tau=0 and one draw probability for all matches")
    if not chance and any(part.ties.any() for part in results.blocks):
        raise UsageError("there are ties among the results: the draw probability must be above 0")
    return float(trueskill.calc_draw_margin(chance, 2, env))


def _fixed_point(sites: list[Sites], prior: Floats) -> tuple[Floats, Floats, int]:
    """Mean and covariance at which the sites no longer change, and after how many iterations."""
    mean, covariance = np.zeros(len(prior)), np.diag(prior**2)
    scale = prior.max(initial=0.0)
    state, step, last = np.r_[mean, prior, -2.0 * scale * np.log(prior)], 1.0, np.zeros(2 * len(prior))
    iteration = 0
    while iteration < _ITERATIONS:
        iteration += 1
        for site in sites:
            site.update(mean, covariance, step)
        mean, covariance, precision, floor = _joint(sites, prior)
        # The deviation is mostly that of the offset common to all; what matches tell shows in the precision.
        before, state = state, np.r_[mean, np.sqrt(np.diag(covariance)), scale * np.log(precision)]
        change = state - before
        if np.abs(change).max(initial=0.0) <= _TOLERANCE * step * scale + floor:
            break
        move = (change / step)[: 2 * len(prior)]
        step, last = _next_step(step, move, last), move
    return mean, covariance, iteration


def _next_step(step: float, move: Floats, last: Floats) -> float:
    """A shorter step when all sites together went too far, a longer one while they keep their direction."""
    lengths = float(np.linalg.norm(move)), float(np.linalg.norm(last))
    if not all(lengths):
        return step
    cosine = float(move @ last) / (lengths[0] * lengths[1])
    if cosine < -0.2 or lengths[0] > 1.5 * lengths[1]:
        return max(0.6 * step, _SHORTEST_STEP)
    return min(1.3 * step, 1.0) if cosine > 0.2 else step


def _joint(sites: list[Sites], prior: Floats) -> tuple[Floats, Floats, Floats, float]:
    """The joint Gaussian of prior and sites, relative to the prior's mean, and how much of it may be rounding.

    The offset common to all bots has the prior's precision, however many matches there are, and they tell everything
    else: the matrix is ever worse conditioned, and no iteration can settle to less than this.
    """
    precision, shift = np.diag(prior**-2.0), np.zeros(len(prior))
    for site in sites:
        site.add_to(precision, shift)
    root, covariance = _inverse(precision)
    mean = root.T @ (root @ shift)
    own = np.diag(precision)
    condition = own.max(initial=0.0) * np.diag(covariance).max(initial=0.0)
    size = max(np.abs(mean).max(initial=0.0), prior.max(initial=0.0))
    return mean, covariance, own, float(_ROUNDING * condition * size)


def _inverse(matrix: Floats) -> tuple[Floats, Floats]:
    """The inverse of the Cholesky factor of a positive definite matrix, and of the matrix itself, by halves.

    Unlike an inverse taken column by column they have one error for all columns, and so what many matches tell of near
    rivals is not lost beside what few tell of the distance between them and the rest.
    """
    # The library behind numpy starts threads for larger matrices. On a machine that is busy with matches it waits for
    # them a hundred times longer than the work takes.
    half = len(matrix) // 2
    if half < _SMALL:
        root = np.linalg.inv(np.linalg.cholesky(matrix))
        return root, root.T @ root
    corner, inverse = _inverse(matrix[:half, :half])
    side = matrix[half:, :half] @ corner.T
    rest, below = _inverse(matrix[half:, half:] - side @ side.T)
    side = -(rest @ side) @ corner
    across = rest.T @ side
    root = np.block([[corner, np.zeros((half, len(rest)))], [side, rest]])
    return root, np.block([[inverse + side.T @ side, across.T], [across, below]])

"""How certain the order of the first places is, when nobody knows how far apart the bots of a field are.

Ratings have a wide prior, so that a table shows what was played and nothing else. But it is a wrong prior for near
rivals: it takes every early lead for a real one, and who looks after each few matches and stops at the first 95 %
stops too soon. So the spread of the field's skills is estimated along. All spreads down to a tiny one are equally
likely before a match is seen, on a logarithmic scale, and each is weighed by how well it foretells the results. What
is certain in this mixture stays so however often one looks, since that is a property of every prior that is right.

The results enter as the Gaussian that is left of the posterior without its prior, with precision A and shift h. With
A = U diag(a) U', g = U' h and a spread of s, the evidence is the product of (1 + a s^2)^(-1/2) exp(g^2 / 2 (a + s^-2)).
"""

import numpy as np

from arena.ratings.model import ENVIRONMENT
from arena.ratings.table import noise
from arena.ratings.truncated import Floats

DIGITS = 9
"""Of means and gains; what differs less is a tie, so that another machine's last bits lead to the same choice."""

_SPREADS = 2.0 ** (-0.5 * np.arange(14))
"""In units of the prior's; the smallest is far below what a tournament can tell from none."""


def certainty(mean: Floats, covariance: Floats, top: int) -> float:
    """The probability that the first `top` places, by mean, are the true ones in the true order."""
    return float(_certainties(mean, covariance)[min(top, len(mean)) - 1])


def settled(mean: Floats, covariance: Floats, confidence: float) -> int:
    """How many places from the first on are certain, all together, to this confidence."""
    return int((_certainties(mean, covariance) >= confidence).sum())


def _certainties(mean: Floats, covariance: Floats) -> Floats:
    """For 1, 2, ... places: the probability that they are the true ones in the true order."""
    order = np.argsort(-mean.round(DIGITS), kind="stable")
    skills = _sample(mean - ENVIRONMENT.mu, covariance, float(ENVIRONMENT.sigma))[:, order]
    # Place k is right when its bot beats the best of all after it.
    best_after = np.maximum.accumulate(skills[:, :0:-1], axis=1)[:, ::-1]
    right = np.logical_and.accumulate(skills[:, :-1] > best_after, axis=1).mean(axis=0)
    # Once all but the last are in place, so is the last.
    return np.append(right, right[-1:] if len(right) else 1.0)


def _sample(mean: Floats, covariance: Floats, sigma: float) -> Floats:
    """Skills drawn from the mixture over all spreads, as many of each as its weight says."""
    told, directions = np.linalg.eigh(np.linalg.inv(covariance))
    pulls = (directions.T @ mean) * told
    told = np.maximum(told - sigma**-2.0, 0.0)
    variances = 1.0 / (told + (_SPREADS[:, None] * sigma) ** -2.0)
    weights = _weights(told, pulls, variances, sigma)
    drawn = noise(len(mean))
    # Each draw with its mirror image, of the same spread.
    chosen = np.searchsorted(np.cumsum(weights)[:-1], (np.arange(len(drawn) // 2) + 0.5) / (len(drawn) // 2))
    chosen = np.concatenate([chosen, chosen])
    # Directions have no sign, and equal bots have none of their own: turned into them and back, the draws are the same
    # whichever of them a machine finds.
    spread = np.sqrt(variances)[chosen] * (drawn @ directions)
    skills: Floats = ((variances * pulls)[chosen] + spread) @ directions.T
    return skills


def _weights(told: Floats, pulls: Floats, variances: Floats, sigma: float) -> Floats:
    evidence = 0.5 * (variances * pulls**2 - np.log1p(told * (_SPREADS[:, None] * sigma) ** 2)).sum(axis=1)
    weights = np.exp(evidence - evidence.max())
    share: Floats = weights / weights.sum()
    return share

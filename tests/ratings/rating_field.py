"""Simulated matches: true skills from the prior, results from the model."""

import numpy as np
import trueskill

from arena.ratings import Results, block

ENV = trueskill.TrueSkill(tau=0.0)
MARGIN = trueskill.calc_draw_margin(ENV.draw_probability, 2, ENV)


def results_of(bots, *blocks):
    """Results over bots named by their numbers, with roles named by seats."""
    seats = max(part.seats for part in blocks)
    return Results(tuple(f"{n:03}" for n in range(bots)), tuple(f"seat {n}" for n in range(seats)), tuple(blocks))


def play(rng, skills, matches, seats, advantages=None):
    """Who sat where and with which rank, in `matches` random matches."""
    chosen = np.argsort(rng.random((matches, len(skills))), axis=1)[:, :seats]
    shown = skills[chosen] + rng.normal(0.0, ENV.beta, chosen.shape)
    if advantages is not None:
        shown = shown + advantages
    order = np.argsort(-shown, axis=1)
    steps = -np.diff(np.take_along_axis(shown, order, axis=1), axis=1) > MARGIN
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.cumsum(np.c_[np.ones(matches, dtype=int), steps], axis=1), axis=1)
    return chosen, ranks


def simulate(seed, bots, matches, seats=2, spread=ENV.sigma, advantages=None):
    """True skills and the results of random matches."""
    rng = np.random.default_rng(seed)
    skills = rng.normal(ENV.mu, spread, bots)
    return skills, results_of(bots, block(*play(rng, skills, matches, seats, advantages)))

"""Ratings: TrueSkill over all results of a field at once, whatever their order.

`collect` counts results (`block` and `Results` do it from arrays), `rate` gives the table, `rate_by_role` one table
per role. The model's parameters are those of a `trueskill.TrueSkill` with tau = 0.
"""

from arena.ratings.fit import Posterior, fit
from arena.ratings.results import Block, Result, Results, block, collect
from arena.ratings.table import Advantage, Rating, Ratings, advantages, rank, rate, rate_by_role

__all__ = [
    "Advantage",
    "Block",
    "Posterior",
    "Rating",
    "Ratings",
    "Result",
    "Results",
    "advantages",
    "block",
    "collect",
    "fit",
    "rank",
    "rate",
    "rate_by_role",
]

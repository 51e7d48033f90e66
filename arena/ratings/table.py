"""The rating table: skills, intervals of rank, the chance to be the best, and advantages of roles."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import trueskill

from arena.ratings.fit import Posterior, fit
from arena.ratings.results import Bools, BotKey, Ints, Results, split_by_role
from arena.ratings.truncated import Floats

_DRAWS = 5_000
"""Pairs of mirrored samples: the standard error of a chance of one half is 0.5 %."""
_SEED = 20_230
_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Rating:
    """A row of the table."""

    bot: BotKey
    mu: float
    sigma: float
    field_sigma: float
    """Its uncertainty against the mean of the field; the rest of sigma is an offset that all bots share."""
    games: int
    wins: int
    """Games in which it alone was first."""
    draws: int
    """Games in which it shared the first place."""
    losses: int
    places: tuple[int, ...]
    """How often it was first, second, and so on; who shares a place has the better one."""
    ranks: tuple[int, int]
    """The 95 % interval of its place in the order of true skills, 1 being the best."""
    best: float
    """The probability that its skill is the highest of all."""
    group: int = 1
    """Bots of different groups have never met, not even by way of others, so their ratings cannot be compared."""


@dataclass(frozen=True, slots=True)
class Advantage:
    """What sitting in a role is worth, in units of skill, against the mean of all roles."""

    role: str
    value: float
    sigma: float


@dataclass(frozen=True, slots=True)
class Ratings:
    """The table of a set of results, best bot first."""

    rows: tuple[Rating, ...]
    advantages: tuple[Advantage, ...]
    """In the order of the roles' names; empty when they were not asked for."""
    posterior: Posterior


Groups = Sequence[Sequence[BotKey]]
"""Bots that are ranked among each other, group by group; bots that are in none are rated, but not shown."""


def rate(
    results: Results, env: trueskill.TrueSkill, *, role_sigma: float = 0.0, groups: Groups | None = None
) -> Ratings:
    """The table; `role_sigma` above 0, the spread that advantages may have, estimates these along."""
    posterior = fit(results, env, role_sigma=role_sigma)
    return Ratings(rank(results, posterior, groups), advantages(posterior), posterior)


def rank(results: Results, posterior: Posterior, groups: Groups | None = None) -> tuple[Rating, ...]:
    """The rows of a table; without groups everybody is ranked in one."""
    return _grouped(results.bots, posterior, _tallies(results), groups)


def rate_by_role(
    results: Results, env: trueskill.TrueSkill, *, role_sigma: float, groups: Groups | None = None
) -> dict[str, tuple[Rating, ...]]:
    """A table for each role, in which every bot has a skill of its own; the roles' advantages are taken out."""
    split, pairs = split_by_role(results)
    posterior, tallies = fit(split, env, role_sigma=role_sigma), _tallies(split)
    tables = {}
    for role in results.roles:
        names = [bot if own == role else None for bot, own in pairs]
        everybody = [[bot for bot in names if bot is not None]]
        tables[role] = _grouped(names, posterior, tallies, everybody if groups is None else groups)
    return tables


def _grouped(
    names: Sequence[BotKey | None], posterior: Posterior, tallies: Ints, groups: Groups | None
) -> tuple[Rating, ...]:
    """The rows of every group, one after the other; the names belong to the bots of the posterior."""
    number_of = {name: number for number, name in enumerate(names) if name is not None}
    rows = list[Rating]()
    for group, members in enumerate([list(number_of)] if groups is None else groups, 1):
        chosen = [number_of[name] for name in members if name in number_of]
        bots = tuple(name for name in members if name in number_of)
        skills = posterior.skills[np.ix_(chosen, chosen)]
        rows += _rows(bots, posterior.mu[chosen], skills, tallies[:, chosen], group)
    return tuple(rows)


def advantages(posterior: Posterior) -> tuple[Advantage, ...]:
    """The roles' advantages, shifted so that they sum to zero: only their differences can be known."""
    count, first = len(posterior.roles), len(posterior.bots)
    if not count:
        return ()
    centring = np.eye(count) - 1.0 / count
    values = centring @ posterior.mean[first:]
    spread = np.diag(centring @ posterior.covariance[first:, first:] @ centring)
    return tuple(
        Advantage(role, float(value), float(np.sqrt(variance)))
        for role, value, variance in zip(posterior.roles, values, spread)
    )


def noise(size: int) -> Floats:
    """Draws of so many independent normal numbers, one row each: always the same, the second half mirrors the first."""
    # Of numpy's generators only this one promises never to change its numbers.
    drawn = np.random.RandomState(_SEED).standard_normal((_DRAWS, size))
    return np.concatenate([drawn, -drawn])


def _sample(mean: Floats, covariance: Floats) -> Floats:
    """Skills drawn from the joint Gaussian, one row per draw."""
    drawn = noise(len(mean)) @ np.linalg.cholesky(covariance).T
    drawn += mean
    return drawn


def field_sigmas(skills: Floats) -> Floats:
    """How uncertain each of these skills is against the mean of all of them."""
    centring = np.eye(len(skills)) - 1.0 / len(skills)
    sigmas: Floats = np.sqrt(np.diag(centring @ skills @ centring))
    return sigmas


def _rows(bots: tuple[BotKey, ...], mu: Floats, skills: Floats, tallies: Ints, group: int) -> tuple[Rating, ...]:
    if not bots:
        return ()
    in_field = field_sigmas(skills)
    order = _orders(mu, skills)
    # One more draw is shared evenly: what none of them showed is rare, but neither impossible nor certain.
    best = (np.bincount(order[:, 0], minlength=len(bots)) + 1.0 / len(bots)) / (len(order) + 1)
    tail = (1.0 - _CONFIDENCE) / 2.0
    low, high = _rank_quantiles(order, [tail, 1.0 - tail])
    rows = (
        Rating(
            bot=bot,
            mu=float(mu[number]),
            sigma=float(np.sqrt(skills[number, number])),
            field_sigma=float(in_field[number]),
            games=int(tallies[0, number]),
            wins=int(tallies[1, number]),
            draws=int(tallies[2, number]),
            losses=int(tallies[0, number] - tallies[1, number] - tallies[2, number]),
            places=tuple(map(int, tallies[3:, number])),
            ranks=(int(low[number]), int(high[number])),
            best=float(best[number]),
            group=group,
        )
        for number, bot in enumerate(bots)
    )
    return tuple(sorted(rows, key=lambda row: -row.mu))  # equal ones stay in the order that they came in


def _orders(mean: Floats, covariance: Floats) -> Ints:
    """The bots of each draw, best first."""
    drawn = _sample(mean, covariance)
    return np.argsort(np.negative(drawn, out=drawn), axis=1)  # in place: there are a million numbers for 100 bots


def _rank_quantiles(order: Ints, levels: Sequence[float]) -> list[Ints]:
    """The rank of each bot, from 1 on, at each level among the draws; `order` lists the bots of a draw, best first."""
    draws, bots = order.shape
    cells = order * bots
    cells += np.arange(bots)
    # For each bot how many draws gave it this rank or a better one: ranks are few, so nothing has to be sorted.
    within = np.bincount(cells.ravel(), minlength=bots * bots).reshape(bots, bots).cumsum(axis=1)
    needed = np.quantile(np.arange(draws), levels, method="inverted_cdf") + 1
    return [1 + (within < number).sum(axis=1) for number in needed]


def _tallies(results: Results) -> Ints:
    """Games, wins and draws of every bot, and how often it had each place."""
    seats = max((part.seats for part in results.blocks), default=0)
    tallies = np.zeros((3 + seats, len(results.bots)))
    for part in results.blocks:
        first, shared = _places(part.ties) == 0, part.ties[0]
        places = [_shared_places(part.ties) == place for place in range(part.seats)]
        for kind, counted in enumerate((np.ones_like(first), first & ~shared, first & shared, *places)):
            tallies[kind] += np.bincount(
                part.bots.ravel(), weights=(counted * part.counts).ravel(), minlength=len(results.bots)
            )
    return tallies.astype(np.int64)


def _places(ties: Bools) -> Ints:
    """The place of every seat, 0 for the first, from who shares a rank with the next."""
    return np.concatenate([np.zeros((1, ties.shape[1]), dtype=np.int64), np.cumsum(~ties, axis=0)])


def _shared_places(ties: Bools) -> Ints:
    """The same, but a place that several share is followed by as many that nobody has."""
    starts = np.concatenate([np.ones((1, ties.shape[1]), dtype=bool), ~ties])
    numbers = np.arange(len(starts))[:, None]
    places: Ints = np.maximum.accumulate(np.where(starts, numbers, 0), axis=0)
    return places

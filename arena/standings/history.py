"""How the ratings of a game came about: one curve for each bot, the same wherever it is drawn."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from arena.ratings import fit
from arena.ratings.model import ENVIRONMENT, ROLE_SIGMA
from arena.ratings.table import field_sigmas
from arena.standings.ladder import ladder_of
from arena.standings.results import results_of
from arena.store.base import BotEntry, Tally
from arena.store.scope import Scope
from arena.store.sql import Store

STEPS = 16
"""Points of a rating history at most."""
COUNTABLE = 50_000
"""In a game with more matches the history has a point for a tournament, because nobody waits for all its matches."""


class HistoryPoint(NamedTuple):
    """A rating at some moment."""

    matches: int
    """So many of the game were played."""
    mu: float
    sigma: float
    """Its standard deviation in the field."""


History = Mapping[int, Sequence[HistoryPoint]]
"""The course of every rating of a game, by the id of the bot."""
Throttle = Callable[[float], None]
Counted = Counter[tuple[tuple[int, ...], tuple[int, ...]]]


def read_history(
    store: Store, game: str, roles: tuple[str, ...], bots: Sequence[BotEntry], *,
    guest: BotEntry | None = None, rest: Throttle | None = None,
) -> History:  # fmt: skip
    """How the rating of every bot of the ladder of a game came about, and of the guest, who need not be on it.

    `rest` is called after each fit, with the seconds it took.
    """
    courses: dict[int, list[HistoryPoint]] = {}
    for counted in _stages(store, game):
        began = time.monotonic()
        tallies = [Tally(*key, times) for key, times in counted.items()]
        playing = ladder_of(tallies, bots, guest).counted
        if not playing:
            continue
        results = results_of(tallies, playing, roles)
        posterior = fit(results, ENVIRONMENT, role_sigma=ROLE_SIGMA)
        at = {bot: place for place, bot in enumerate(results.bots)}
        sigmas = field_sigmas(posterior.skills)
        for bot in playing:
            place = at[bot.id]
            point = HistoryPoint(counted.total(), float(posterior.mu[place]), float(sigmas[place]))
            courses.setdefault(bot.id, []).append(point)
        if rest is not None:
            rest(time.monotonic() - began)
    return {bot_id: tuple(points) for bot_id, points in courses.items()}


def _stages(store: Store, game: str) -> Iterator[Counted]:
    """What was counted after each part of the matches, the last one after all of them."""
    total = sum(tally.matches for tally in store.tallies(Scope(game)))
    yield from _cumulated(_singly(store, game) if total <= COUNTABLE else _by_tournament(store, game), total)


def _cumulated(pieces: Iterable[Counted], total: int) -> Iterator[Counted]:
    """The sum of the pieces so far, whenever another part of the total is reached."""
    counted, played, part = Counter[tuple[tuple[int, ...], tuple[int, ...]]](), 0, 0
    total = max(total, 1)  # the first match may be kept after they were counted
    for piece in pieces:
        counted.update(piece)
        played += piece.total()
        if played * STEPS // total > part:
            part = played * STEPS // total
            yield counted


def _singly(store: Store, game: str) -> Iterator[Counted]:
    for result in store.results(Scope(game)):
        yield Counter({(result.bot_ids, result.ranks): 1})


def _by_tournament(store: Store, game: str) -> Iterator[Counted]:
    for summary in reversed(store.tournament_summaries(game=game, rated=True)):
        found = store.tallies(Scope(tournament_id=summary.entry.id))
        yield Counter({(tally.bot_ids, tally.ranks): tally.matches for tally in found})

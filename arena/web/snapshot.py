"""What pages take from memory: rating tables of every game and their histories, for one state of the store."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from arena.game import GameInfo
from arena.ratings import fit
from arena.ratings.ladder import Selection, ladder_of, playing_in
from arena.ratings.standings import ENVIRONMENT, ROLE_SIGMA, results_of
from arena.store.base import BotEntry, Store, Tally
from arena.web.tables import Table, make_table

STEPS = 16
"""Points of a rating history at most."""
COUNTABLE = 50_000
"""In a game with more matches the history has a point for a tournament, because nobody waits for all its matches."""

Course = Sequence[tuple[int, float, float]]
"""After so many matches of the game: the rating, and its standard deviation in the field."""
Histories = Mapping[str, Mapping[int, Course]]
Throttle = Callable[[float], None]
Counted = Counter[tuple[tuple[int, ...], tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One state of the store."""

    version: str
    bots: Mapping[int, BotEntry]
    tables: Mapping[str, Table]
    """By the name of the game."""
    counted: Mapping[str, int]
    """How many rated matches of every game there are."""
    histories: Histories = field(default_factory=dict)
    """By the name of the game and the number of the bot."""


def take_snapshot(store: Store, games: Mapping[str, GameInfo], before: Snapshot | None = None) -> Snapshot:
    """The tables of this moment, without histories; what has not changed since the one before is taken from there."""
    # Version and numbers come first: what is kept meanwhile makes the next snapshot.
    version = store.data_version()
    counted = {name: _counted(store, name) for name in games}
    bots = {bot.id: bot for bot in store.all_bots()}
    same = before is not None and before.bots == bots
    tables = {
        name: before.tables[name]
        if before is not None and same and before.counted[name] == counted[name]
        else game_table(store, bots, info)
        for name, info in games.items()
    }
    return Snapshot(version, bots, tables, counted, before.histories if before else {})


def with_histories(
    store: Store, games: Mapping[str, GameInfo], snapshot: Snapshot, rest: Throttle | None = None
) -> Snapshot:
    """The snapshot with the histories of this moment; `rest` is called after each fit, with the seconds it took."""
    histories = {name: history(store, snapshot.bots, info, rest) for name, info in games.items()}
    return replace(snapshot, histories=histories)


def _counted(store: Store, game: str) -> int:
    # Not the newest number: PostgreSQL may keep a match with a lower one after it. Every match has one bot in seat 0.
    return sum(tally.matches for tally in store.seat_tallies(game=game) if tally.seat == 0)


def game_table(store: Store, bots: Mapping[int, BotEntry], info: GameInfo) -> Table:
    """The ladder of a game, by the same code as `arena ratings`."""
    tallies, seats = store.tallies(game=info.name), store.seat_tallies(game=info.name)
    selection = ladder_of(tallies, list(bots.values()))
    table = make_table(tallies, seats, selection, info.roles, store.weak_limits(game=info.name))
    # Many pages need these; they are worked out here, so that no reader waits for them.
    _ = table.duels, table.tallies_of
    return table


def tournament_table(store: Store, bots: Mapping[int, BotEntry], tournament_id: int, roles: tuple[str, ...]) -> Table:
    """The table of the matches of a tournament."""
    tallies, seats = store.tallies(tournament_id=tournament_id), store.seat_tallies(tournament_id=tournament_id)
    playing = playing_in(tallies, bots.values())
    weak_limits = store.weak_limits(tournament_id=tournament_id)
    return make_table(tallies, seats, Selection(playing, playing), roles, weak_limits)


def history(
    store: Store, bots: Mapping[int, BotEntry], info: GameInfo, rest: Throttle | None = None
) -> dict[int, Course]:
    """How the rating of every bot of a game came about."""
    courses: dict[int, list[tuple[int, float, float]]] = {}
    for counted in _stages(store, info.name):
        began = time.monotonic()
        tallies = [Tally(*key, times) for key, times in counted.items()]
        playing = ladder_of(tallies, list(bots.values())).counted
        if not playing:
            continue
        posterior = fit(results_of(tallies, playing, info.roles), ENVIRONMENT, role_sigma=ROLE_SIGMA)
        centring = np.eye(len(posterior.bots)) - 1.0 / len(posterior.bots)
        sigmas = np.sqrt(np.diag(centring @ posterior.skills @ centring))
        id_of = {bot.label: bot.id for bot in playing}
        for label, mu, sigma in zip(posterior.bots, posterior.mu, sigmas):
            courses.setdefault(id_of[label], []).append((counted.total(), float(mu), float(sigma)))
        if rest is not None:
            rest(time.monotonic() - began)
    return {bot_id: tuple(points) for bot_id, points in courses.items()}


def _stages(store: Store, game: str) -> Iterator[Counted]:
    """What was counted after each part of the matches, the last one after all of them."""
    total = sum(tally.matches for tally in store.tallies(game=game))
    if total <= COUNTABLE:
        yield from _cumulated(_singly(store, game), total)
    else:
        yield from _cumulated(_by_tournament(store, game), total)


def _cumulated(pieces: Iterable[Counted], total: int) -> Iterator[Counted]:
    """The sum of the pieces so far, whenever another part of the total is reached."""
    counted, goal, step = Counter[tuple[tuple[int, ...], tuple[int, ...]]](), 0.0, total / STEPS
    for piece in pieces:
        counted.update(piece)
        if counted.total() >= goal + step - 1e-9:
            goal = counted.total()
            yield counted


def _singly(store: Store, game: str) -> Iterator[Counted]:
    for result in store.results(game=game):
        yield Counter({(result.bot_ids, result.ranks): 1})


def _by_tournament(store: Store, game: str) -> Iterator[Counted]:
    for summary in reversed(store.tournament_summaries(game=game, rated=True)):
        found = store.tallies(tournament_id=summary.entry.id)
        yield Counter({(tally.bot_ids, tally.ranks): tally.matches for tally in found})

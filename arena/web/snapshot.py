"""What pages take from memory: rating tables of every game and their histories, for one state of the store."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from arena.game import GameInfo
from arena.standings.history import History, Throttle, read_history
from arena.standings.table import Standings, read_standings
from arena.store.base import BotEntry
from arena.store.scope import Scope
from arena.store.sql import Store

Histories = Mapping[str, History]
"""By the name of the game."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One state of the store."""

    version: str
    bots: Mapping[int, BotEntry]
    tables: Mapping[str, Standings]
    """By the name of the game."""
    counted: Mapping[str, int]
    """How many rated matches of every game there are."""
    histories: Histories = field(default_factory=dict)


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
        else _ladder(store, bots, info)
        for name, info in games.items()
    }
    return Snapshot(version, bots, tables, counted, before.histories if before else {})


def with_histories(
    store: Store, games: Mapping[str, GameInfo], snapshot: Snapshot, rest: Throttle | None = None
) -> Snapshot:
    """The snapshot with the histories of this moment; `rest` is called after each fit, with the seconds it took."""
    bots = list(snapshot.bots.values())
    histories = {name: read_history(store, name, info.roles, bots, rest=rest) for name, info in games.items()}
    return replace(snapshot, histories=histories)


def _counted(store: Store, game: str) -> int:
    # Not the newest number: PostgreSQL may keep a match with a lower one after it. Every match has one bot in seat 0.
    return sum(tally.matches for tally in store.seat_tallies(Scope(game)) if tally.seat == 0)


def _ladder(store: Store, bots: Mapping[int, BotEntry], info: GameInfo) -> Standings:
    table = read_standings(store, Scope(info.name), info.roles, bots.values())
    # Many pages need these; they are worked out here, so that no reader waits for them.
    _ = table.row_of, table.points, table.tallies_of
    return table

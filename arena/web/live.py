"""The state behind a served site: a snapshot that a thread renews when the store has changed."""

import threading
import time
from collections.abc import Mapping
from functools import cached_property, lru_cache
from types import TracebackType
from typing import Self

from arena.errors import ArenaError
from arena.game import AnyGame, GameInfo
from arena.store.base import Store, TournamentEntry
from arena.web.site import Planned, Site
from arena.web.snapshot import Snapshot, history, take_snapshot, tournament_table
from arena.web.tables import Table

PAUSE = 2.0
"""Seconds between two looks at the store, and so between two fits."""
HISTORY_PAUSE = 60.0
"""Seconds between two times that the histories are worked out, which take longer."""
TABLES = 64
"""Tables of tournaments that are kept in memory."""


class Live:
    """Hands out the site of the latest snapshot, and renews it in the background while it is entered."""

    def __init__(self, store: Store, games: Mapping[str, AnyGame], *, title: str, planned: Planned) -> None:
        self.store, self.games, self.title = store, games, title
        self._planned = planned
        self._snapshot = take_snapshot(store, self.infos, {})
        self._site = self._make_site(self._snapshot)
        self._published = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="ratings", daemon=True)

    @cached_property
    def infos(self) -> dict[str, GameInfo]:
        """The facts of every game."""
        return {name: game.info for name, game in self.games.items()}

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join(timeout=PAUSE)

    def site(self) -> Site:
        """The site of the latest snapshot."""
        return self._site

    def version(self) -> str:
        """Changes whenever any page may have changed: with the store, and with what was worked out from it."""
        return f"{self.store.data_version()} {self._published}"

    def _watch(self) -> None:
        """Renew the snapshot when the store has changed, the histories less often."""
        due = 0.0
        known = ""
        while not self._stop.wait(PAUSE if due else 0.0):
            try:
                if self.store.data_version() != self._snapshot.version:
                    self._publish(take_snapshot(self.store, self.infos, self._snapshot.histories))
                if time.monotonic() >= due and known != self._snapshot.version:
                    due, known = time.monotonic() + HISTORY_PAUSE, self._snapshot.version
                    self._publish(self._with_histories(self._snapshot))
            except ArenaError:
                continue  # the database is away for a moment; pages say so themselves, and the next look may find it

    def _with_histories(self, snapshot: Snapshot) -> Snapshot:
        histories = {name: history(self.store, snapshot.bots, info) for name, info in self.infos.items()}
        return Snapshot(snapshot.version, snapshot.bots, snapshot.tables, histories)

    def _publish(self, snapshot: Snapshot) -> None:
        self._snapshot, self._site = snapshot, self._make_site(snapshot)
        self._published += 1

    def _make_site(self, snapshot: Snapshot) -> Site:
        @lru_cache(TABLES)
        def table(tournament_id: int, game: str) -> Table:
            roles = self.infos[game].roles if game in self.infos else ()
            return tournament_table(self.store, snapshot.bots, tournament_id, roles)

        def table_of(entry: TournamentEntry) -> Table:
            return table(entry.id, entry.game)

        return Site(self.store, self.games, snapshot, self.title, self._planned, table_of)

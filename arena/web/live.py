"""The state behind a served site: a snapshot that threads renew when the store has changed."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from types import TracebackType
from typing import Self

from arena.errors import ArenaError
from arena.game import AnyGame, GameInfo
from arena.standings.table import Standings, read_standings
from arena.store.base import TournamentEntry
from arena.store.scope import Scope
from arena.store.sql import Store
from arena.web.running import Running
from arena.web.site import Planned, Site
from arena.web.snapshot import Histories, Snapshot, take_snapshot

PAUSE = 2.0
"""Seconds between two looks at the store, and so between two fits."""
RUNNING_PAUSE = 0.25
"""Seconds between two looks at the running matches; streams are told at once what such a look finds."""
HISTORY_PAUSE = 60.0
"""Seconds between two times that the histories are worked out, which take longer."""
SHARE = 5
"""The pause is so many times as long as the work was."""
TABLES = 64
"""Tables of tournaments that are kept in memory."""


class Live:
    """Hands out the site of the latest snapshot, and renews it in the background while it is entered."""

    def __init__(
        self, store: Store, games: Mapping[str, AnyGame], *, title: str, planned: Planned,
        histories: Callable[[], Histories], delay: float = 0.0, with_output: bool = False,
    ) -> None:  # fmt: skip
        self.store, self.games, self.title = store, games, title
        self._histories = histories
        self.running = Running(store, games, delay=delay)
        self._with_output = with_output
        self._planned = planned
        self._snapshot = take_snapshot(store, self.infos)
        self._finished: dict[int, Standings] = {}
        self._site = self._make_site(self._snapshot)
        self._published = 0
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._last_version = ""
        """The version whose histories are there."""
        self._threads = [
            threading.Thread(target=self._renew, args=work, daemon=True)
            for work in (
                (self._renew_tables, PAUSE),
                (self._renew_histories, HISTORY_PAUSE),
                (self.running.look, RUNNING_PAUSE),
            )
        ]

    @cached_property
    def infos(self) -> dict[str, GameInfo]:
        return {name: game.info for name, game in self.games.items()}

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout=PAUSE)

    def site(self) -> Site:
        """The site of the latest snapshot."""
        return self._site

    def version(self) -> str:
        """Changes whenever any page may have changed: with the store, and with what was worked out from it."""
        return f"{self.store.data_version()} {self._published}"

    def _renew(self, work: Callable[[], None], pause: float) -> None:
        """Do this work again and again, with pauses; readers come first, so much work has long pauses."""
        wait = 0.0
        while not self._stop.wait(wait):
            began = time.monotonic()
            try:
                work()
            except ArenaError:
                pass  # the database is away for a moment: pages say so themselves, and the next look may find it
            except Exception:  # a fault of ours must not end the thread, and must not go unnoticed
                logging.getLogger("uvicorn.error").exception("the tables could not be renewed")
            wait = max(pause, SHARE * (time.monotonic() - began))

    def _renew_tables(self) -> None:
        if self.store.data_version() != self._snapshot.version:
            self._publish(snapshot=take_snapshot(self.store, self.infos, self._snapshot))

    def _renew_histories(self) -> None:
        snapshot = self._snapshot
        if snapshot.version != self._last_version:
            self._publish(histories=self._histories())
            self._last_version = snapshot.version

    def _publish(self, *, snapshot: Snapshot | None = None, histories: Histories | None = None) -> None:
        """Show new tables or new histories from now on, and the other as it was."""
        with self._lock:
            known = self._snapshot
            shown = replace(snapshot or known, histories=known.histories if histories is None else histories)
            if shown.bots != known.bots:
                self._finished = {}
            self._snapshot, self._site = shown, self._make_site(shown)
            self._published += 1

    def _make_site(self, snapshot: Snapshot) -> Site:
        running, finished = lru_cache(TABLES)(self._table), self._finished

        def table_of(entry: TournamentEntry) -> Standings:
            # A finished tournament keeps its table, whatever else is played, until there is another bot.
            if not entry.finished:
                return running(entry.id, entry.game)
            kept = finished.get(entry.id)
            if kept is None:
                kept = finished[entry.id] = self._table(entry.id, entry.game)
                while len(finished) > TABLES:
                    finished.pop(next(iter(finished)), None)
            return kept

        return Site(
            self.store, self.games, snapshot, self.title, self._planned, table_of, self.running, self._with_output
        )

    def _table(self, tournament_id: int, game: str) -> Standings:
        roles = self.infos[game].roles if game in self.infos else ()
        # Its bots may have been registered after the snapshot was taken.
        return read_standings(self.store, Scope(game, tournament_id), roles, self.store.all_bots())

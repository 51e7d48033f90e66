"""Shows the running matches of a tournament to whoever reads the store, and costs the tournament nothing."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from types import TracebackType

from arena.errors import ArenaError
from arena.game import AnyGame
from arena.match import Fault
from arena.referee import record
from arena.store.base import RunningMatch
from arena.store.sql import Store
from arena.workers.base import Assignment, PlainMove, played_move

PAUSE_S = 0.5
"""Seconds between two writes at least; the first news after a while is written at once."""
FAILED_S = 10.0
"""Seconds without a write after one that failed."""
MOST = 64
"""Matches that are shown at once."""
MAX_RECORD_BYTES = record.MAX_RECORD_BYTES


class LiveFeed:
    """A spectator of the executor that writes what it sees, in a thread, for as long as it is entered."""

    def __init__(self, game: AnyGame, store: Store, tournament_id: int) -> None:
        self._game, self._store, self._id = game, store, tournament_id
        self._matches: dict[str, RunningMatch] = {}
        self._changed: set[str] = set()
        self._ended: set[str] = set()
        self._news = asyncio.Event()
        """Set while something has changed that is not written."""
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "LiveFeed":
        await self._try_to_clear()  # of a run that was killed
        self._task = asyncio.create_task(self._write_again_and_again())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._try_to_clear()

    def begun(self, bots: tuple[int, ...], assignment: Assignment) -> None:  # noqa: ARG002
        spec = assignment.spec
        if len(self._matches) < MOST:
            match = RunningMatch(self._id, spec.match_id, 0, 0, record.dump_begun(spec, self._game))
            self._note(match)

    def watches(self, match_id: str) -> bool:
        return match_id in self._matches

    def played(
        self, match_id: str, attempt: int, moves: int, played: Sequence[PlainMove], faults: Sequence[Fault] = ()
    ) -> None:
        """More moves were played; a new attempt begins with the first one again."""
        match = self._matches.get(match_id)
        if match is None:
            return
        if match.moves and attempt != match.attempt:
            match = replace(match, record=_without_moves(match.record, self._game))
        packed = record.dump_moves(map(played_move, played), self._game, faults)
        if len(match.record) + len(packed) <= MAX_RECORD_BYTES:
            self._note(replace(match, attempt=attempt, moves=moves, record=match.record + packed))

    def ended(self, match_id: str) -> None:
        """The match was kept, or does not count."""
        if self._matches.pop(match_id, None) is not None:
            self._changed.discard(match_id)
            self._ended.add(match_id)
            self._news.set()

    def _note(self, match: RunningMatch) -> None:
        self._matches[match.match_id] = match
        self._changed.add(match.match_id)
        self._ended.discard(match.match_id)
        self._news.set()

    async def _write_again_and_again(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            await asyncio.sleep(PAUSE_S if await self._write() else FAILED_S)

    async def _write(self) -> bool:
        """Write what has changed; whether that was possible."""
        changed = [self._matches[match_id] for match_id in self._changed]
        ended, self._ended = self._ended, set()
        self._changed = set()
        try:
            await asyncio.to_thread(self._store.show_running, self._id, changed, ended)
        except ArenaError:
            # Who watches sees an older state for a while; all that counts is kept elsewhere.
            self._changed.update(match.match_id for match in changed if match.match_id in self._matches)
            self._ended |= ended
            self._news.set()
            return False
        return True

    async def _try_to_clear(self) -> None:
        with suppress(ArenaError):
            await asyncio.to_thread(self._store.clear_running, self._id)


def _without_moves(packed: bytes, game: AnyGame) -> bytes:
    return record.dump_begun(record.load_begun(packed, lambda _: game).spec, game)

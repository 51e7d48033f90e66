"""Plays matches one after the other at one table: the only work of a process that measures the time of bots."""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from arena.bots.running import RunningBot
from arena.bots.table import NO_EXTRA, Table
from arena.errors import InfraError
from arena.game import AnyGame
from arena.match import AnyRecord
from arena.monitoring.figures import figures_of
from arena.referee import record
from arena.referee.enforcement import weak_limits
from arena.referee.faults import FaultPolicy, needs_restart
from arena.referee.heartbeat import Heartbeat
from arena.referee.outputs import with_outputs, without_outputs
from arena.referee.progress import Watch
from arena.referee.referee import void
from arena.referee.retries import RETRIES
from arena.workers.base import Assignment, FinishedMatch, VoidMatch, WorkerCleanupFailed
from arena.workers.match_rows import match_entry, output_rows

_log = logging.getLogger(__name__)

MakeBot = Callable[[int], RunningBot]
"""Makes the bot with this number in the field, not started yet."""


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match that is over, with the last output of every bot in it, in seat order."""

    record: AnyRecord
    logs: tuple[str, ...]
    seconds: float
    """What the match took, without the start of its bots."""
    outputs: tuple[tuple[str, ...], ...] = ()
    """What every bot printed by turn, in seat order; before its first turn at 0, and empty where it is not known."""
    replays: int = 0
    """How often it was void before, and played again."""


class Worker:
    """Starts bots and plays matches between them; they stay warm for one leg, unless one of them was at fault.

    Whatever it is asked to play, it never shows a deal to processes that have seen it: then it starts others.
    """

    def __init__(
        self,
        game: AnyGame,
        make_bot: MakeBot,
        *,
        policy: FaultPolicy,
        heartbeat: Heartbeat,
        fresh: bool = False,
        extra_enforcement: Mapping[str, str] = NO_EXTRA,
        watch: Watch | None = None,
    ) -> None:
        self._game = game
        self._make_bot = make_bot
        self._policy = policy
        self._heartbeat = heartbeat
        self._fresh = fresh
        self._extra_enforcement = extra_enforcement
        self._watch = watch
        self._bots: tuple[int, ...] = ()
        self._table: Table | None = None
        self._is_done = False
        """Whether the bots at the table shall play no further match."""
        self._cleanup_error: Exception | None = None
        """Why earlier bots could not be cleared away, if they could not."""

    async def play(self, bots: tuple[int, ...], assignment: Assignment, *, new_leg: bool) -> PlayedMatch:
        """Play a match between these bots of the field; what our own failure spoiled is played again with new bots.

        Bots that are done with are left for `tidy`, so that nothing stands between a match and who keeps it.
        WorkerCleanupFailed if earlier bots cannot be cleared away: then another worker must play.
        """
        if self._is_done or new_leg or bots != self._bots:
            await self.clear()
        if self._cleanup_error is not None:
            raise WorkerCleanupFailed(
                f"earlier bots cannot be cleared away: {self._cleanup_error}"
            ) from self._cleanup_error
        for replays in RETRIES.attempts():
            played = replace(await self._play_once(bots, assignment), replays=replays)
            self._is_done = self._are_done(played.record, assignment)
            if not played.record.void:
                break
            await self.clear()
        return played

    async def tidy(self) -> None:
        """End the bots that shall play no further match, if there are any."""
        if self._is_done:
            await self.clear()

    async def clear(self) -> None:
        """End the bots that are warm; if that fails, no match suffers for it, but this worker plays none any more."""
        table, self._table, self._is_done = self._table, None, False
        try:
            if table is not None:
                await table.__aexit__()
        except Exception as error:  # whatever it is, what was played is decided
            self._cleanup_error = error
            _log.warning("bots cannot be cleared away: %s", error)

    def _are_done(self, record: AnyRecord, assignment: Assignment) -> bool:
        if self._table is None or self._fresh or self._table.cleanup_error is not None:
            return True
        not_running = [seat for seat, place in enumerate(assignment.seating) if place in self._table.not_started]
        return needs_restart(record.verdicts, not_running)

    async def _play_once(self, bots: tuple[int, ...], assignment: Assignment) -> PlayedMatch:
        started = time.monotonic()
        try:
            if self._table is not None and assignment.spec.seed in self._table.seeds:
                await self.clear()
            table = self._table or await self._start(bots)
            started = time.monotonic()
            kept = await table.play(self._game, assignment.spec, assignment.seating, self._watch)
            took = time.monotonic() - started
        except InfraError as error:
            kept, took = void(self._game, assignment.spec, error), time.monotonic() - started
            return PlayedMatch(kept, ("",) * len(assignment.seating), took, ((),) * len(assignment.seating))
        logs, outputs = await table.read_printed(assignment.seating)
        return PlayedMatch(with_outputs(kept, outputs), tuple(logs), took, tuple(map(tuple, outputs)))

    async def _start(self, bots: tuple[int, ...]) -> Table:
        made = [self._make_bot(number) for number in bots]
        table = Table(made, heartbeat=self._heartbeat, policy=self._policy, extra_enforcement=self._extra_enforcement)
        self._bots, self._table = bots, table  # also if it cannot be opened: what is left of it is to be cleared away
        await table.__aenter__()
        return table


def finish(
    game: AnyGame, played: PlayedMatch, assignment: Assignment, *, tournament: int, places: tuple[int, ...],
    bot_ids: tuple[int, ...],
) -> FinishedMatch | VoidMatch:  # fmt: skip
    """What the store keeps of a match; places in the field and ids of the bots are in seat order."""
    figures = figures_of(played.record, replays=played.replays)
    if played.record.void:
        return VoidMatch(played.record.verdicts[0].sentence, played.seconds, figures)
    entry = match_entry(
        game,
        played.record,
        tournament_id=tournament,
        ordinal=assignment.ordinal,
        places=places,
        bot_ids=bot_ids,
    )
    weak = weak_limits(played.record.sandboxes)
    outputs = output_rows(played.record, played.logs)
    kept = record.dump(without_outputs(played.record), game)
    return FinishedMatch(entry, kept, played.seconds, figures, weak, outputs)

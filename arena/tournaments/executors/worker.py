"""Plays matches one after the other at one table: the only work of a process that measures the time of bots."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from arena.bots.running import RunningBot
from arena.bots.table import Table
from arena.errors import InfraError
from arena.game import AnyGame
from arena.match import AnyRecord
from arena.play import record
from arena.play.faults import REPLAYS, Policy, needs_restart
from arena.play.heartbeat import Heartbeat
from arena.play.outputs import with_outputs
from arena.play.referee import Watch, void
from arena.sandboxes.base import weak_limits
from arena.tournaments.executors.base import Assignment, FinishedMatch, VoidMatch
from arena.tournaments.match_rows import match_entry
from arena.tournaments.monitoring.figures import figures_of

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
    """Starts bots and plays matches between them; they stay warm until others play, or one of them was at fault."""

    def __init__(
        self,
        game: AnyGame,
        make_bot: MakeBot,
        *,
        policy: Policy,
        heartbeat: Heartbeat,
        fresh: bool = False,
        watch: Watch | None = None,
    ) -> None:
        self._game = game
        self._make_bot = make_bot
        self._policy = policy
        self._heartbeat = heartbeat
        self._fresh = fresh
        self._watch = watch
        self._bots: tuple[int, ...] = ()
        self._table: Table | None = None

    async def play(self, bots: tuple[int, ...], assignment: Assignment, *, new_job: bool) -> PlayedMatch:
        """Play a match between these bots of the field; what our own failure spoiled is played again with new bots."""
        if self._table is not None and (bots != self._bots or (new_job and self._table.not_started)):
            await self.clear()
        for replays in range(1 + REPLAYS):
            played = replace(await self._play_once(bots, assignment), replays=replays)
            not_running = [seat for seat, place in enumerate(assignment.seating) if place in self._not_started()]
            if self._fresh or needs_restart(played.record.verdicts, not_running):
                await self.clear()
            if not played.record.void:
                break
        return played

    async def clear(self) -> None:
        """End the bots that are warm."""
        table, self._table = self._table, None
        if table is not None:
            await table.__aexit__()

    def _not_started(self) -> frozenset[int]:
        return frozenset(self._table.not_started) if self._table else frozenset()

    async def _play_once(self, bots: tuple[int, ...], assignment: Assignment) -> PlayedMatch:
        started = time.monotonic()
        try:
            table = self._table or await self._start(bots)
            started = time.monotonic()
            kept = await table.play(self._game, assignment.spec, assignment.seating, self._watch)
            took = time.monotonic() - started
            logs = [await table.bots[place].read_log() for place in assignment.seating]
            outputs = [await table.bots[place].read_outputs() for place in assignment.seating]
            kept = with_outputs(kept, outputs)
        except InfraError as error:
            kept, took = void(self._game, assignment.spec, error), time.monotonic() - started
            logs, outputs = [""] * len(assignment.seating), [[] for _ in assignment.seating]
        return PlayedMatch(kept, tuple(logs), took, tuple(map(tuple, outputs)))

    async def _start(self, bots: tuple[int, ...]) -> Table:
        table = Table([self._make_bot(number) for number in bots], heartbeat=self._heartbeat, policy=self._policy)
        await table.__aenter__()
        self._bots, self._table = bots, table
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
        logs=played.logs,
    )
    weak = weak_limits(played.record.sandboxes)
    return FinishedMatch(entry, record.dump(played.record, game), played.seconds, figures, weak)

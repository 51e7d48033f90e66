"""Plays matches one after the other at one table: the only work of a process that measures the time of bots."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from arena.bots.running import RunningBot
from arena.bots.table import Table
from arena.errors import InfraError
from arena.game import AnyGame
from arena.match import AnyRecord
from arena.play import record
from arena.play.faults import REPLAYS, Policy, needs_restart
from arena.play.heartbeat import Heartbeat
from arena.play.referee import void
from arena.tournaments.executors.base import Assignment, FinishedMatch, VoidMatch
from arena.tournaments.match_rows import match_entry

MakeBot = Callable[[int], RunningBot]
"""Makes the bot with this number in the field, not started yet."""


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match that is over, with the last output of every bot in it, in seat order."""

    record: AnyRecord
    logs: tuple[str, ...]
    seconds: float
    """What the match took, without the start of its bots."""


class Worker:
    """Starts bots and plays matches between them; they stay warm until others play, or one of them was at fault."""

    def __init__(
        self, game: AnyGame, make_bot: MakeBot, *, policy: Policy, heartbeat: Heartbeat, fresh: bool = False
    ) -> None:
        self._game = game
        self._make_bot = make_bot
        self._policy = policy
        self._heartbeat = heartbeat
        self._fresh = fresh
        self._bots: tuple[int, ...] = ()
        self._table: Table | None = None

    async def play(self, bots: tuple[int, ...], assignment: Assignment, *, new_job: bool) -> PlayedMatch:
        """Play a match between these bots of the field; what our own failure spoiled is played again with new bots."""
        if self._table is not None and (bots != self._bots or (new_job and self._table.not_started)):
            await self.clear()
        for _ in range(1 + REPLAYS):
            played = await self._play_once(bots, assignment)
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
            kept = await table.play(self._game, assignment.spec, assignment.seating)
            took = time.monotonic() - started
            logs = [await table.bots[place].read_log() for place in assignment.seating]
        except InfraError as error:
            kept, took = void(self._game, assignment.spec, error), time.monotonic() - started
            logs = [""] * len(assignment.seating)
        return PlayedMatch(kept, tuple(logs), took)

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
    if played.record.void:
        return VoidMatch(played.record.verdicts[0].sentence, played.seconds)
    entry = match_entry(
        game,
        played.record,
        tournament_id=tournament,
        ordinal=assignment.ordinal,
        places=places,
        bot_ids=bot_ids,
        logs=played.logs,
    )
    return FinishedMatch(entry, record.dump(played.record, game), played.seconds)

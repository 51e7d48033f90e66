"""Reports of a worker about the match that it plays: sent a few times a second, or held until somebody asks."""

import asyncio
from collections.abc import Sequence

from arena.match import Fault
from arena.referee.progress import Progress
from arena.workers.base import NullSpectator, PlainMove, plain_move
from arena.workers.messages import MovesReport, pack

INTERVAL_S = 0.25
"""Seconds between two reports; a match that is over before the first one is not reported."""
MOST_WAITING = 64 * 1024
"""Bytes that the tournament may leave unread before reports wait."""


class Reporter:
    """Looks at the progress of a match now and then: the referee itself does nothing for it, and waits for nothing.

    It sends them as they are: whatever has to be made of them is made by processes that take no bot's time.
    """

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._progress: Progress | None = None
        self._reported = self._faults = self._attempt = 0
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, progress: Progress) -> None:
        """Report these moves and faults from now on, as they become more."""
        self.stop()
        self._progress, self._reported, self._faults = progress, 0, 0
        self._attempt += 1
        self._schedule()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _schedule(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(INTERVAL_S, self._report)

    def _report(self) -> None:
        self._schedule()
        if self._progress is None or self._writer.transport.get_write_buffer_size() >= MOST_WAITING:
            return
        new, faults = self._progress.played[self._reported :], self._progress.faults[self._faults :]
        # A fault is told with the move after it: until then there is nothing to be seen of it.
        if new:
            self._reported += len(new)
            self._faults += len(faults)
            report = MovesReport(self._attempt, self._reported, tuple(map(plain_move, new)), tuple(faults))
            self._writer.write(pack(report))


class LatestMoves(NullSpectator):
    """A spectator that holds what was played until somebody takes it: never more than the moves of one match."""

    def __init__(self) -> None:
        self._held: MovesReport | None = None

    def played(
        self, _: str, attempt: int, moves: int, played: Sequence[PlainMove], faults: Sequence[Fault] = ()
    ) -> None:
        """Hold these moves too; those of an earlier attempt are worth nothing any more."""
        held = self._held
        before = held if held is not None and held.attempt == attempt else MovesReport(attempt, 0, ())
        self._held = MovesReport(attempt, moves, (*before.played, *played), (*before.faults, *faults))

    def take(self) -> MovesReport | None:
        """What is held, once."""
        held, self._held = self._held, None
        return held

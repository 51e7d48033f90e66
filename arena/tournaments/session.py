"""Plays a tournament to its end, its budget or an interrupt, and reports to a display."""

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from functools import partial
from types import TracebackType
from typing import Protocol, Self

from arena.monitoring.events import Listener, MatchKept, RunBegun
from arena.sandboxes.sweeping import sweep
from arena.schedules.budget import Budget
from arena.store.base import MatchEntry
from arena.tournaments.monitor import Monitor
from arena.tournaments.tournament import Tournament
from arena.workers.base import Executor, Spectator

Say = Callable[[str], None]
MakeExecutor = Callable[[Listener, Spectator, Say], Executor]
"""Makes what plays the matches, once the loop runs and there is somebody to tell of them."""


class Display(Protocol):
    """Shows a tournament while it is played."""

    async def __aenter__(self) -> Self: ...
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def note(self, entry: MatchEntry) -> None:
        """One more match is over."""

    def say(self, sentence: str) -> None:
        """Show a sentence beside what is live."""


class Halt(Enum):
    """Why a tournament is not complete."""

    BUDGET = "the budget is used up"
    INTERRUPTED = "stopped"
    VOID = "some matches are void"
    FAULTS = "a bot fails in one match after the other"


def play_tournament(
    tournament: Tournament, display: Display, make_executor: MakeExecutor, *, place: str, concurrency: int,
    budget: Budget, monitor: Monitor,
) -> Halt | None:  # fmt: skip
    """Play the matches that are missing; None when the tournament is complete."""
    game, done, total = tournament.settings.game, tournament.played, tournament.total()
    run = RunBegun(monitor.id, tournament.id, game, place, concurrency, done, total)

    def note(entry: MatchEntry) -> None:
        monitor(MatchKept(entry.match_id))
        display.note(entry)

    async def play() -> Halt | None:
        await sweep()
        tournament.store_calls.say = display.say
        async with tournament.live_feed() as feed, display, monitor.watching(run):
            executor = make_executor(monitor, feed, display.say)
            interrupts = Interrupts(executor, display.say)
            tournament.lease.on_loss(partial(_abort, executor, asyncio.get_running_loop()))
            complete = await tournament.run(executor, note, budget)
            tournament.lease.check()
            halt = None if complete else interrupts.halt or _why_incomplete(tournament)
            monitor.outcome = halt.value if halt else "complete"
        return halt

    return asyncio.run(play())


def _abort(executor: Executor, loop: asyncio.AbstractEventLoop) -> None:
    """Drop the running matches, from another thread."""
    with suppress(RuntimeError):  # all was over already
        loop.call_soon_threadsafe(executor.abort)


def _why_incomplete(tournament: Tournament) -> Halt:
    if tournament.failing is not None:
        return Halt.FAULTS
    return Halt.VOID if tournament.void else Halt.BUDGET


class Interrupts:
    """What Ctrl-C does: the first lets the running matches end, the second drops them."""

    def __init__(self, executor: Executor, say: Say) -> None:
        self._executor = executor
        self._say = say
        self.halt: Halt | None = None
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, self._react)

    def _react(self) -> None:
        if self.halt is not None:
            self._say("stopping at once; every match that was over is kept")
            self._executor.abort()
            return
        self.halt = Halt.INTERRUPTED
        running = self._executor.running
        matches = "1 running match" if running == 1 else f"{running} running matches"
        what = f"finishing {matches}" if running else "stopping, no match is running"
        self._say(f"{what}; press Ctrl-C again to stop at once")
        self._executor.stop()

"""Plays a tournament to its end, its budget or an interrupt, and reports to a display."""

import asyncio
import os
import signal
from collections.abc import Callable
from enum import Enum
from types import TracebackType
from typing import Protocol, Self

from arena.monitoring.events import MatchKept, RunBegun
from arena.sandboxes import sweep
from arena.schedules.budget import Budget
from arena.store.base import MatchEntry
from arena.tournaments.live_feed import LiveFeed
from arena.tournaments.monitor import Monitor
from arena.tournaments.tournament import Tournament
from arena.workers.base import Executor
from arena.workers.local import LocalExecutor
from arena.workers.messages import WorkerPlan
from arena.workers.placement import LOCAL, Cluster, cluster_executor


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


SHARED = (
    "another tournament is played on this machine: tables here have no processors of their own and share them with it, "
    "which costs all bots time; `arena status` shows it if it has the same store"
)


class Halt(Enum):
    """Why a tournament is not complete."""

    BUDGET = "the budget is used up"
    INTERRUPTED = "stopped"
    VOID = "some matches are void"


def play_tournament(
    tournament: Tournament, display: Display, *, plan: WorkerPlan, concurrency: int, budget: Budget,
    monitor: Monitor, cluster: Cluster | None = None, place: str = LOCAL,
) -> Halt | None:  # fmt: skip
    """Play the matches that are missing, on this machine or a cluster; None when the tournament is complete."""
    run = RunBegun(monitor.id, tournament.id, plan.game, place, concurrency, tournament.played, tournament.total())

    def note(entry: MatchEntry) -> None:
        monitor(MatchKept(entry.match_id))
        display.note(entry)

    def make_executor(feed: LiveFeed) -> Executor:
        if cluster is None:
            executor = LocalExecutor(plan, concurrency=concurrency, on_event=monitor, spectator=feed)
            if executor.neighbours:
                display.say(SHARED)
            return executor
        cluster.say = display.say
        return cluster_executor(cluster, plan, on_event=monitor, spectator=feed)

    async def play() -> Halt | None:
        await sweep()
        tournament.store_calls.say = display.say
        async with tournament.live_feed() as feed, display, monitor.watching(run):
            executor = make_executor(feed)
            interrupts = Interrupts(executor, display.say)
            monitor.on_rival = interrupts.give_way
            complete = await tournament.run(executor, note, budget)
            halt = None if complete else interrupts.halt or (Halt.VOID if tournament.void else Halt.BUDGET)
            monitor.outcome = halt.value if halt else "complete"
        return halt

    try:
        monitor.claim(tournament.id)
        return asyncio.run(play())
    finally:
        monitor.release()
        if cluster is not None:
            cluster.close()


class Interrupts:
    """What Ctrl-C does: the first lets the running matches end, the second drops them."""

    def __init__(self, executor: Executor, say: Callable[[str], None]) -> None:
        self._executor = executor
        self._say = say
        self.halt: Halt | None = None
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, self._react)

    def give_way(self, sentence: str) -> None:
        """Stop as by the first Ctrl-C, because of what this sentence says."""
        self._say(sentence)
        if self.halt is None:
            self._react()

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


def default_concurrency(cpus: float) -> int:
    """One bot of a match runs at a time, and the referee wants a processor for itself."""
    return max(1, int(((os.cpu_count() or 1) - 1) / max(cpus, 1.0)))

"""Plays a tournament from a command: on the screen, until it is over or somebody stops it."""

import asyncio
import os
import signal
from collections.abc import Callable
from enum import Enum

from arena.budget import Budget
from arena.cli.progress import Report, View
from arena.executors.base import Executor
from arena.executors.local import LocalExecutor
from arena.executors.messages import WorkerPlan
from arena.sandboxes import sweep
from arena.tournament import Tournament


class Halt(Enum):
    """Why a tournament is not complete."""

    BUDGET = "the budget is used up"
    INTERRUPTED = "stopped"
    VOID = "some matches are void"


def conduct(running: Tournament, view: View, *, plan: WorkerPlan, concurrency: int, budget: Budget) -> Halt | None:
    """Play what is missing; None when the tournament is complete."""

    async def play() -> Halt | None:
        await sweep()
        async with Report(view) as report:
            executor = LocalExecutor(plan, concurrency=concurrency)
            interrupts = Interrupts(executor, report.say)
            complete = await running.run(executor, report.note, budget)
        return None if complete else interrupts.halt or (Halt.VOID if running.void else Halt.BUDGET)

    return asyncio.run(play())


class Interrupts:
    """What Ctrl-C does: the first lets the running matches end, the second drops them."""

    def __init__(self, executor: Executor, say: Callable[[str], None]) -> None:
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
        self._say(f"finishing {matches}; press Ctrl-C again to stop at once")
        self._executor.stop()


def default_concurrency(cpus: float) -> int:
    """One bot of a match runs at a time, and the referee wants a processor for itself."""
    return max(1, int(((os.cpu_count() or 1) - 1) / max(cpus, 1.0)))

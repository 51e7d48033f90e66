"""Keeps the processes of a contest running: one that ends is started again, and all end together."""

import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from arena.errors import InfraError, UsageError
from arena.runner.log import Log
from arena.runner.tied import tied
from arena.untrusted.python_process import python_environment

LOOK_S = 0.2
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
"""Seconds before a process is started again, doubled each time."""
STEADY_S = 60.0
"""Seconds after which a process is taken to run well, so that the next pause is short again."""
END_S = 90.0
"""Seconds that a process has to end in order; the runner ends what it has in work."""
REFUSED = 2
"""The exit code of a command that the user can mend."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A process that is to run."""

    name: str
    command: Sequence[str]


class Kept:
    """One process that is started again whenever it ends."""

    def __init__(self, plan: Plan, log: Log, first_pause_s: float) -> None:
        self._plan, self._log, self._first_pause_s = plan, log, first_pause_s
        self._child: subprocess.Popen[bytes] | None = None
        self._starts, self._pause_s = 0, first_pause_s
        self._started = self._due = 0.0

    def look(self) -> None:
        """Start it if that is due; UsageError if it refuses to run at all."""
        if self._child is None:
            if time.monotonic() >= self._due:
                self._start()
        elif (code := self._child.poll()) is not None:
            self._child = None
            if code == REFUSED and self._starts == 1:
                raise UsageError(f"the {self._plan.name} cannot run; what it said is above")
            if time.monotonic() - self._started > STEADY_S:
                self._pause_s = self._first_pause_s
            self._log("child_ended", child=self._plan.name, code=code, again_in_s=self._pause_s)
            self._due = time.monotonic() + self._pause_s
            self._pause_s = min(LONGEST_PAUSE_S, 2 * self._pause_s)

    def ask_to_end(self) -> None:
        if self._child is not None:
            self._child.terminate()

    def end(self, seconds: float) -> None:
        """Wait for its end, and kill it if that does not come."""
        if self._child is None:
            return
        try:
            self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            self._log("child_killed", child=self._plan.name)
            self._child.kill()
            self._child.wait()

    def _start(self) -> None:
        try:
            self._child = subprocess.Popen(  # noqa: S603  (our own programs)
                # If we are killed, it gets the signal that we would send.
                tied(self._plan.command, signal.SIGTERM), stdin=subprocess.DEVNULL, env=python_environment(),
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise InfraError(f"the {self._plan.name} cannot be started: {error}") from error
        self._starts += 1
        self._started = time.monotonic()
        self._log("child_started", child=self._plan.name, pid=self._child.pid)


def keep_running(
    plans: Sequence[Plan], log: Log, asked_to_end: Callable[[], bool], first_pause_s: float = FIRST_PAUSE_S
) -> None:
    """Run these until that is asked for; none is left. They end one after the other, the last of them first."""
    kept = [Kept(plan, log, first_pause_s) for plan in plans]
    try:
        while not asked_to_end():
            for process in kept:
                process.look()
            time.sleep(LOOK_S)
    finally:
        deadline = time.monotonic() + END_S
        for process in reversed(kept):
            with suppress(ProcessLookupError):
                process.ask_to_end()
            process.end(max(0.1, deadline - time.monotonic()))

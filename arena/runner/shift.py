"""The time in which a process is the active runner: one submission after the other, each checked by its own process.

All that it writes bears the epoch of its lease. Between two looks it says that it lives, and does what it is asked for.
"""

import asyncio
import os
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import Engine

from arena.contest import runners
from arena.contest.people import People
from arena.contest.requests import PAUSED, Requests
from arena.contest.runners import Runners
from arena.contest.settings import Contest
from arena.contest.submissions import DECIDED, FAILED, WORKING, Submission, Submissions
from arena.errors import ArenaError
from arena.intake.folder_storage import FolderStorage
from arena.runner import check_process
from arena.runner.asked import Asked
from arena.runner.log import Log
from arena.runner.tied import tied
from arena.sandboxes.sweeping import sweep
from arena.store.leases import LeaseLost
from arena.tournaments.lease import Lease, this_process
from arena.untrusted.python_process import python_environment

BEAT_S = 5.0
"""Seconds between two signs of life."""
TIDY_S = 60.0
"""Seconds between two looks for what nobody works at any more."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How long the runner waits for what, in seconds."""

    look_s: float = 0.5
    """Between two looks at what there is to do."""
    longest_s: float = 900.0
    """For one submission: its build and its matches have limits of their own, far below this."""
    drain_s: float = 60.0
    """For the submission in work, when the runner shall end."""
    failed_s: float = 5.0
    """After a failure of ours, doubled with each one in a row, so that its cause may pass before the next attempt."""
    most_s: float = 60.0
    """The longest such pause."""


class Stop:
    """Whether the runner shall end: soon, or at once."""

    def __init__(self) -> None:
        self.asked_at: float | None = None
        self.at_once = False

    @property
    def asked(self) -> bool:
        """Whether nothing new may be begun."""
        return self.asked_at is not None

    def ask(self) -> None:
        """End soon; asked for the second time, at once."""
        self.at_once = self.asked
        self.asked_at = self.asked_at or time.monotonic()


class Shift:
    """Works off a contest for as long as its lease lasts."""

    def __init__(self, contest: Contest, database: Engine, lease: Lease, log: Log, stop: Stop, pace: Pace) -> None:
        self._contest, self._lease, self._log, self._stop, self._pace = contest, lease, log, stop, pace
        self._epoch = lease.epoch
        self._queue, self._requests, self._runners = Submissions(database), Requests(database), Runners(database)
        self._asked = Asked(People(database), self._requests, lease.store, self._epoch, log)
        self._unsettled: tuple[Submission, str] | None = None
        """What was in work and is not known to be decided, and why it would not be."""
        self._failures = 0
        self._beaten = self._tidied = float("-inf")

    def work(self) -> None:
        """Work until it is to stop; LeaseLost if another runner has taken over."""
        self._runners.enter(self._epoch, this_process().place)
        self._log("begun", epoch=self._epoch, contest=str(self._contest.folder))
        self._sweep()
        while not self._stop.asked:
            try:
                self._look()
            except LeaseLost:
                raise
            except ArenaError as error:
                self._pause(str(error))
        self._end()

    def _look(self) -> None:
        """One look at what there is to do."""
        self._settle()
        self._tidy()
        self._asked.work_off()
        if self._requests.is_on(PAUSED):
            self._beat(runners.PAUSED)
            time.sleep(self._pace.look_s)
        elif (submission := self._queue.claim(self._epoch)) is None:
            self._beat(runners.IDLE)
            time.sleep(self._pace.look_s)
        else:
            self._check(submission)

    def _check(self, submission: Submission) -> None:
        """Let a process check it, and see that it is decided or waits again afterwards."""
        self._log("claimed", submission=submission.id, attempt=submission.attempt, team=submission.team_id)
        self._unsettled = (submission, "the process that checked it could not be started")
        command = tied(check_process.command(self._contest.folder, submission.id, self._epoch), signal.SIGKILL)
        with subprocess.Popen(  # noqa: S603  (our own program, with numbers as its words)
            command, stdin=subprocess.DEVNULL, env=python_environment(), cwd=self._contest.folder,
            start_new_session=True,  # Ctrl-C is for the runner, which lets it end
        ) as child:  # fmt: skip
            try:
                reason = self._watch(child)
            finally:
                if child.poll() is None:
                    with suppress(ProcessLookupError):
                        os.killpg(child.pid, signal.SIGKILL)
                    child.wait()
                    self._sweep()
        self._unsettled = (submission, reason)
        self._settle()

    def _watch(self, child: subprocess.Popen[bytes]) -> str:
        """Wait for the process, but not for ever: why it has decided nothing, if it has not."""
        began = time.monotonic()
        while True:
            with suppress(subprocess.TimeoutExpired):
                if (code := child.wait(self._pace.look_s)) == check_process.LOST:
                    raise LeaseLost("another runner has taken over: the submission in work is left to it")
                return f"the process that checked it ended with code {code}"
            self._lease.check()
            if time.monotonic() - began > self._pace.longest_s:
                return _TOO_LONG
            if self._stop.at_once or (
                self._stop.asked_at is not None and time.monotonic() - self._stop.asked_at > self._pace.drain_s
            ):
                return "the runner was stopped"
            self._meanwhile()

    def _meanwhile(self) -> None:
        """What is not to wait for the end of a check; a failure of it costs the check nothing."""
        try:
            self._beat(runners.WORKING)
            self._asked.work_off()
        except LeaseLost:
            raise
        except ArenaError as error:
            self._log("failure", reason=str(error))

    def _settle(self) -> None:
        """See that what was in work is decided or waits again."""
        if self._unsettled is None:
            return
        submission, reason = self._unsettled
        if self._queue.find(submission.id).state in WORKING:
            if reason == _TOO_LONG:  # not again, since it would hold up all others for as long once more
                told = f"{_TOO_LONG} than {self._pace.longest_s / 60:g} minutes; an organiser can put it back"
                self._queue.decide(submission.id, self._epoch, FAILED, told)
            else:
                self._queue.give_back(submission.id, self._epoch, reason)
        self._unsettled = None
        after = self._queue.find(submission.id)
        if after.state in DECIDED and after.state != FAILED:
            self._failures = 0
        else:
            self._pause(after.reason or reason, submission=submission.id)

    def _pause(self, reason: str, **facts: object) -> None:
        """Wait after a failure of ours."""
        self._failures += 1
        seconds = min(self._pace.most_s, self._pace.failed_s * 2 ** min(self._failures - 1, 10))
        self._log("failure", reason=reason, again_in_s=seconds, **facts)
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self._stop.asked:
            self._meanwhile()
            time.sleep(min(self._pace.look_s, seconds))

    def _beat(self, state: str) -> None:
        self._lease.check()
        if time.monotonic() - self._beaten >= BEAT_S:
            self._runners.beat(self._epoch, state)
            self._beaten = time.monotonic()

    def _tidy(self) -> None:
        """Give back what others left; at the beginning and then now and again."""
        if time.monotonic() - self._tidied >= TIDY_S:
            self._queue.recover(self._epoch)
            self._tidied = time.monotonic()

    def _sweep(self) -> None:
        """Take away what killed processes left on this machine."""
        asyncio.run(sweep())
        FolderStorage(self._contest.bots).remove_orphans()

    def _end(self) -> None:
        """Say that it ends, so that nobody waits for its silence."""
        self._settle()
        with suppress(ArenaError):
            self._runners.beat(self._epoch, runners.ENDED)


_TOO_LONG = "the check took longer"

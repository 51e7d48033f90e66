"""One submission, from its upload to its fate, by the one way that a stranger's bot is registered.

A contestant's fault refuses it; whatever else fails is ours, and gives it back.
"""

import os
import time
import traceback

from arena.bots.launch import BotPlan, SandboxOptions
from arena.bots.register import RegistrationRequest
from arena.clock import TimeControl
from arena.contest.people import People, Team
from arena.contest.settings import Contest, bytes_of
from arena.contest.submissions import REFUSED, REGISTERED, Submission, Submissions
from arena.errors import ArenaError, UsageError
from arena.game import AnyGame
from arena.intake.folder_storage import FolderStorage
from arena.runner.log import Log
from arena.runner.steps import Steps
from arena.runner.uploads import fetch
from arena.sandboxes.base import Limits
from arena.store.base import BotEntry
from arena.store.failures import StoreUnusable
from arena.store.leases import LeaseLost
from arena.store.sql import Store
from arena.submit.pipeline import register_submission
from arena.submit.trial import RunTrial, TrialConfig, TrialReport


class Checker:
    """Decides submissions of a contest with the epoch of a runner, behind whose lease the store is."""

    def __init__(self, contest: Contest, people: People, queue: Submissions, store: Store, epoch: int) -> None:
        self._contest, self._people, self._queue = contest, people, queue
        self._store, self._epoch = store, epoch

    def check(self, submission: Submission, try_out: RunTrial, log: Log) -> None:
        """Decide it or give it back; LeaseLost if another runner has it."""
        steps, started = Steps(self._queue, submission.id, self._epoch, log), time.monotonic()
        try:
            entry = self._register(submission, steps, try_out)
        except LeaseLost:
            raise
        except Exception as error:
            if isinstance(error, UsageError) and not isinstance(error, StoreUnusable):
                self._queue.decide(submission.id, self._epoch, REFUSED, str(error), output=steps.said)
            else:
                self._queue.give_back(submission.id, self._epoch, _ours(error, submission, log))
        else:
            told = f"{entry.label} is on the ladder"
            self._queue.decide(submission.id, self._epoch, REGISTERED, told, bot_id=entry.id)
        state = self._queue.find(submission.id).state
        log("checked", submission=submission.id, state=state, seconds=round(time.monotonic() - started, 3))

    def _register(self, submission: Submission, steps: Steps, try_out: RunTrial) -> BotEntry:
        wish, team = submission.wish, self._people.teams()[submission.team_id]
        request = RegistrationRequest(
            owner=team.owner, name=wish.name or None, version=wish.version or None, games=wish.games,
            among=self._contest.settings.games,
        )  # fmt: skip
        storage = FolderStorage(self._contest.bots)
        with storage.working_folder() as folder:
            thing = fetch(self._contest, submission, folder)
            os.chdir(folder)  # so that messages name the file and not where we keep it
            try:
                return register_submission(
                    thing, request, trial_terms(self._contest), storage, lambda: self._store, steps,
                    self._announced(try_out, team, steps),
                )  # fmt: skip
            finally:
                os.chdir(self._contest.folder)

    def _announced(self, try_out: RunTrial, team: Team, steps: Steps) -> RunTrial:
        """The trial, told to the team; a bot that passes it has its name for its team alone."""

        def play(game: AnyGame, bot: BotPlan, terms: TrialConfig) -> TrialReport:
            steps.playing(game.info.name)
            report = try_out(game, bot, terms)
            if report.fault is None:
                self._people.own_bot_name(team, bot.contestant.name, epoch=self._epoch)
            return report

        return play


def trial_terms(contest: Contest) -> TrialConfig:
    """What bots are tried with: as they will play."""
    limits = Limits(memory_bytes=bytes_of(contest.settings.limits.memory), cpus=contest.settings.limits.cpus)
    return TrialConfig(SandboxOptions("auto", limits, ponder=False), TimeControl.parse(contest.settings.clock))


def _ours(error: Exception, submission: Submission, log: Log) -> str:
    """What the team is told of a failure of ours; what is needed to find its cause goes to the log alone."""
    known = isinstance(error, ArenaError)
    details = {} if known else {"trace": "".join(traceback.format_exception(error))}
    log("failure", submission=submission.id, reason=str(error), kind=type(error).__name__, **details)
    return str(error) if known else "a fault in Arena, which its log has"

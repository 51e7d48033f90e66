"""The one way by which a stranger's bot is registered: taken in, built, tried in the sandbox, stored."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from arena import registry
from arena.bots import register
from arena.bots.launch import BotPlan
from arena.bots.manifest import Image
from arena.bots.register import Registration, RegistrationRequest
from arena.contestant.check.advice import advice
from arena.errors import InfraError, UsageError
from arena.game import AnyGame
from arena.intake.bot_files import files_of
from arena.intake.folder_storage import FolderStorage
from arena.intake.receiving import Intake, Submission
from arena.match import Contestant
from arena.store.base import BotEntry
from arena.store.sql import Store
from arena.submit.trial import RunTrial, TrialConfig


class Reporter(Protocol):
    """Shows how far a submission has come."""

    def progress(self, sentence: str) -> None:
        """One step is done."""

    def warn(self, sentence: str) -> None:
        """Something that the submitter should know."""

    def during(self, work: str) -> AbstractContextManager[object]:
        """A step that may take minutes goes on within this context."""

    def output(self, log: str) -> None:
        """What the refused bot printed last."""


def register_submission(
    thing: str,
    request: RegistrationRequest,
    terms: TrialConfig,
    storage: FolderStorage,
    open_store: Callable[[], Store],
    reporter: Reporter,
    try_out: RunTrial,
) -> BotEntry:
    """Register what was handed in, or find the entry that it has already; UsageError says why it is refused.

    The store is opened only after the submission could be read at all: until then it is in the storage, the folder
    from which the bots of that store are run on this machine.
    """
    if terms.sandbox.sandbox == "process":
        raise UsageError("a submitted bot is never run without a sandbox: leave out --sandbox process")
    try:
        with Intake(storage, terms.sandbox) as intake:
            submission = intake.receive(thing)
            store = open_store()
            registration = register.plan_registration(store, submission.manifest, request, registry.games())
            submission = _build(intake, submission, thing, reporter)
            trial = Trial(terms, reporter, try_out)
            return _try_and_register(store, intake, submission, registration, trial)
    except OSError as error:  # whatever reading it raises is a UsageError by now, so this is ours
        raise InfraError(f"{thing} cannot be taken in, through no fault of its own: {error}") from error


def _build(intake: Intake, submission: Submission, thing: str, reporter: Reporter) -> Submission:
    if isinstance(submission.source, Image) and not submission.loaded:
        with reporter.during(f"looking through the image {thing} and copying it"):
            return intake.build(submission, thing)
    if submission.manifest is None or not submission.manifest.build:
        return intake.build(submission, thing)
    started = time.monotonic()
    with reporter.during(f"building {thing} in the sandbox with `{' '.join(submission.manifest.build)}`"):
        built = intake.build(submission, thing)
    reporter.progress(f"built in the sandbox in {time.monotonic() - started:.1f} s")
    return built


@dataclass(frozen=True, slots=True)
class Trial:
    """The trial matches of a submission, and who is told about them."""

    terms: TrialConfig
    reporter: Reporter
    try_out: RunTrial

    def run(self, game: AnyGame, bot: BotPlan) -> None:
        """Play the matches of one game; UsageError after the bot's own words if it is at fault."""
        report = self.try_out(game, bot, self.terms)
        if report.fault is not None:
            if report.log:
                self.reporter.output(report.log)
            place = f"at {game.info.name}, " + (f"{report.where}: " if report.where else "")
            hint = advice(report.fault, game, report.log)
            raise UsageError(f"{bot.contestant.name} is refused: {place}{report.fault.sentence} (to fix it: {hint})")
        for weak in report.weak_limits:
            self.reporter.warn(f"not fully enforced: {weak}; see `arena doctor`")
        matches = f"played {report.played} matches of {game.info.name} against random, from every seat"
        self.reporter.progress(f"{matches}, without a fault")


def _try_and_register(
    store: Store, intake: Intake, submission: Submission, registration: Registration, trial: Trial
) -> BotEntry:
    if (known := register.find_submitted(store, registration, submission.digest)) is not None:
        if known.on_ladder and known.kind != "absent":
            entry, healed = _register(store, intake, submission, registration)
            what = "its files, which were missing or changed, are kept again" if healed else "nothing is new"
            trial.reporter.progress(f"exactly this is registered already; {what}")
            return entry
        if not known.on_ladder:
            trial.reporter.progress(f"exactly this was tried out before, and keeps the version {known.version}")
    version = register.version_of(store, registration, submission.digest)
    contestant = Contestant(registration.name, version, submission.digest)
    for game in map(registry.find, registration.games):
        trial.run(game, BotPlan(contestant, submission.source, trial.terms.sandbox))
    return _register(store, intake, submission, registration)[0]


def _register(
    store: Store, intake: Intake, submission: Submission, registration: Registration
) -> tuple[BotEntry, bool]:
    """Keep the files and the entry, both or neither; the entry, and whether the files were not here."""
    files = files_of(store)
    with files.locked():
        new = intake.keep(submission, files)
        try:
            return register.submitted(store, registration, submission.digest, intake.origin(submission, files)), new
        except BaseException:
            if new:
                intake.discard(submission, files)
            raise

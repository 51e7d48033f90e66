"""The one way by which a stranger's bot is registered: taken in, built, tried in the sandbox, stored."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from arena import registry
from arena.bots.launch import BotPlan, SandboxOptions, make_bot, plan_bot, sandboxed_bot
from arena.bots.manifest import Builtin, Image
from arena.bots.registration import (
    Registration,
    RegistrationRequest,
    check_resubmission,
    find_same,
    free_version,
    plan_registration,
)
from arena.bots.running import RunningBot
from arena.clock import TimeControl
from arena.contestant.check import CheckSettings
from arena.contestant.check.advice import advice
from arena.contestant.check.report import CheckFailed
from arena.contestant.check.trials import Trials
from arena.errors import InfraError, UsageError
from arena.game import AnyGame
from arena.intake.folder_storage import FolderStorage
from arena.intake.receiving import Intake, Submission
from arena.match import Contestant, Verdict
from arena.referee import looptime
from arena.referee.heartbeat import ThreadHeartbeat
from arena.referee.holding import weak_limits
from arena.rng import draw_seed
from arena.sandboxes import sweep
from arena.sandboxes.logs import TAIL_BYTES
from arena.store.base import BotEntry, Store
from arena.submit.validation import validate


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


@dataclass(frozen=True, slots=True)
class TrialConfig:
    """The sandbox and the clock with which a submission is tried."""

    sandbox: SandboxOptions
    clock: TimeControl


@dataclass(frozen=True, slots=True)
class TrialReport:
    """How a bot did in the trial matches of one game."""

    played: int = 0
    fault: Verdict | None = None
    """What the bot did wrong, if it did."""
    where: str = ""
    """In which match that was."""
    log: str = ""
    """What the bot printed last, if it was at fault."""
    weak_limits: tuple[str, ...] = ()
    """What was not fully held."""


RunTrial = Callable[[AnyGame, BotPlan, TrialConfig], TrialReport]
"""Plays the trial matches of one game."""


def register_submission(
    thing: str,
    request: RegistrationRequest,
    terms: TrialConfig,
    storage: FolderStorage,
    open_store: Callable[[], Store],
    reporter: Reporter,
    try_out: RunTrial | None = None,
) -> BotEntry:
    """Register what was handed in, or find the entry that it has already; UsageError says why it is refused.

    Trial matches are played on this machine, if `try_out` says nothing else.

    The store is opened only after the submission could be read at all.
    """
    if terms.sandbox.sandbox == "process":
        raise UsageError("a submitted bot is never run without a sandbox: leave out --sandbox process")
    try:
        with Intake(storage, terms.sandbox) as intake:
            submission = intake.receive(thing)
            store = open_store()
            registration = plan_registration(store, submission.manifest, request, registry.games())
            submission = _build(intake, submission, thing, reporter)
            trial = Trial(terms, reporter, try_out or try_here)
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
            raise UsageError(f"{bot.contestant.name} is refused: {place}{report.fault.sentence} (to mend it: {hint})")
        for weak in report.weak_limits:
            self.reporter.warn(f"not fully held: {weak}; see `arena doctor`")
        matches = f"played {report.played} matches of {game.info.name} against random, from every seat"
        self.reporter.progress(f"{matches}, without a fault")


def _try_and_register(
    store: Store, intake: Intake, submission: Submission, registration: Registration, trial: Trial
) -> BotEntry:
    versions = store.bot_versions(registration.name)
    if (known := find_same(versions, submission.digest)) is not None:
        check_resubmission(known, registration)
        if known.on_ladder and known.kind != "absent":
            trial.reporter.progress("exactly this is registered already; nothing is new")
            return known
        if not known.on_ladder:
            trial.reporter.progress(f"exactly this was tried out before, and keeps the version {known.version}")
    version = _version(versions, submission, registration)
    contestant = Contestant(registration.name, version, submission.digest)
    for game in map(registry.find, registration.games):
        trial.run(game, BotPlan(contestant, submission.source, trial.terms.sandbox))
    return _register(store, intake, submission, registration)


def _version(versions: Sequence[BotEntry], submission: Submission, registration: Registration) -> str:
    """The version that the store has given to this content, or else a free one."""
    if (known := find_same(versions, submission.digest)) is not None:
        return known.version
    return free_version(versions, registration.version, submission.digest, fixed=registration.fixed)


def try_here(game: AnyGame, plan: BotPlan, terms: TrialConfig) -> TrialReport:
    """Play the trial matches of one game on this machine."""
    bot, limits = sandboxed_bot(plan.contestant, plan.source, terms.sandbox), terms.sandbox.limits
    settings = CheckSettings(terms.clock, draw_seed(), 0, limits.start_s, limits.memory_bytes)
    try:
        opponent = make_bot(game, plan_bot(game, "random", Builtin("random"), terms.sandbox), settings.seed)
        played = looptime.run(_play(game, bot, opponent, settings))
        return TrialReport(played, weak_limits=weak_limits([bot.sandbox_report()]))
    except CheckFailed as failure:
        return TrialReport(0, failure.verdict, failure.where, bot.log().strip()[-TAIL_BYTES:])


async def _play(game: AnyGame, bot: RunningBot, opponent: RunningBot, settings: CheckSettings) -> int:
    await sweep()
    with ThreadHeartbeat() as heartbeat:
        return await validate(game, bot, Trials(game, opponent, settings=settings, heartbeat=heartbeat))


def _register(store: Store, intake: Intake, submission: Submission, registration: Registration) -> BotEntry:
    """Keep the files and the entry, both or neither."""
    digest, origin = submission.digest, intake.origin(submission)
    with intake.storage.locked():
        versions = store.bot_versions(registration.name)
        known, version = find_same(versions, digest), _version(versions, submission, registration)
        new = intake.keep(submission)
        try:
            if known is not None and known.on_ladder:
                return store.move_bot(known.id, origin)
            if known is not None:
                return store.promote_bot(known.id, owner=registration.owner, origin=origin, games=registration.games)
            return store.add_bot(
                name=registration.name,
                version=version,
                owner=registration.owner,
                digest=digest,
                origin=origin,
                games=registration.games,
            )
        except BaseException:
            if new:
                intake.discard(submission)
            raise

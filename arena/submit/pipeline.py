"""The one way by which a stranger's bot is registered: taken in, built, tried in the sandbox, stored."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from arena import registry
from arena.bots.making import SandboxOptions, make_bot, plan_bot, sandboxed_bot
from arena.bots.manifest import Builtin
from arena.bots.running import RunningBot
from arena.clock import TimeControl
from arena.contestant.check import CheckSettings
from arena.contestant.check.advice import advice
from arena.contestant.check.report import CheckFailed
from arena.contestant.check.trials import Trials
from arena.errors import InfraError, UsageError
from arena.game import AnyGame
from arena.match import Contestant
from arena.play import looptime
from arena.play.heartbeat import ThreadHeartbeat
from arena.rng import draw_seed
from arena.sandboxes import sweep
from arena.sandboxes.logs import TAIL_BYTES
from arena.store.base import BotEntry, Store
from arena.submit.folder_storage import FolderStorage
from arena.submit.intake import Intake, Submission
from arena.submit.registration import Registration, RegistrationRequest, find_same, free_version, plan_registration
from arena.submit.validation import validate


class Reporter(Protocol):
    """Shows how far a submission has come."""

    def progress(self, sentence: str) -> None:
        """One step is done."""

    def output(self, log: str) -> None:
        """What the refused bot printed last."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The sandbox and the clock with which a submission is tried."""

    sandbox: SandboxOptions
    clock: TimeControl


def register_submission(
    thing: str,
    request: RegistrationRequest,
    terms: Terms,
    storage: FolderStorage,
    open_store: Callable[[], Store],
    reporter: Reporter,
) -> BotEntry:
    """Register what was handed in, or find the entry that it has already; UsageError says why it is refused.

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
            return _try_and_register(store, intake, submission, registration, terms, reporter)
    except OSError as error:  # whatever reading it raises is a UsageError by now, so this is ours
        raise InfraError(f"{thing} cannot be taken in, through no fault of its own: {error}") from error


def _build(intake: Intake, submission: Submission, thing: str, reporter: Reporter) -> Submission:
    started = time.monotonic()
    built = intake.build(submission, thing)
    if built is not submission:
        reporter.progress(f"built in the sandbox in {time.monotonic() - started:.1f} s")
    return built


def _try_and_register(
    store: Store, intake: Intake, submission: Submission, registration: Registration, terms: Terms, reporter: Reporter
) -> BotEntry:
    versions = store.bot_versions(registration.name)
    if (known := find_same(versions, submission.digest, intake.origin(submission))) is not None:
        reporter.progress("exactly this is registered already; nothing is new")
        return known
    version = free_version(versions, registration.version, submission.digest, fixed=registration.fixed)
    contestant = Contestant(registration.name, version, submission.digest)
    for game in map(registry.find, registration.games):
        _try_out(game, sandboxed_bot(contestant, submission.source, terms.sandbox), terms, reporter)
    return _register(store, intake, submission, registration)


def _try_out(game: AnyGame, bot: RunningBot, terms: Terms, reporter: Reporter) -> None:
    """Play the validation matches of one game; UsageError after the bot's own words if it is at fault."""
    limits = terms.sandbox.limits
    settings = CheckSettings(terms.clock, draw_seed(), 0, limits.start_s, limits.memory_bytes)
    try:
        opponent = make_bot(game, plan_bot(game, "random", Builtin("random"), terms.sandbox), settings.seed)
        played = looptime.run(_play(game, bot, opponent, settings))
    except CheckFailed as failure:
        if log := bot.log().strip()[-TAIL_BYTES:]:
            reporter.output(log)
        hint = advice(failure.verdict, game)
        raise UsageError(
            f"{bot.contestant.name} is refused: at {game.info.name}, {failure} (to mend it: {hint})"
        ) from None
    reporter.progress(f"played {played} matches of {game.info.name} against random, from every seat, without a fault")


async def _play(game: AnyGame, bot: RunningBot, opponent: RunningBot, settings: CheckSettings) -> int:
    await sweep()
    with ThreadHeartbeat() as heartbeat:
        return await validate(game, bot, Trials(game, opponent, settings=settings, heartbeat=heartbeat))


def _register(store: Store, intake: Intake, submission: Submission, registration: Registration) -> BotEntry:
    """Keep the files and the entry, both or neither."""
    digest, origin = submission.digest, intake.origin(submission)
    with intake.storage.locked():
        version = free_version(
            store.bot_versions(registration.name), registration.version, digest, fixed=registration.fixed
        )
        new = intake.keep(submission)
        try:
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

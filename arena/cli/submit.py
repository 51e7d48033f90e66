"""`arena submit`: from what a contestant hands in to a new version in the store, or a refusal with the reason."""

import time
from collections.abc import Sequence
from typing import Any

import click

from arena import registry
from arena.bots.making import SandboxOptions, sandboxed_bot
from arena.bots.running import RunningBot
from arena.cli.output import echo
from arena.cli.params import clock_option
from arena.cli.sandbox_options import named_bot, read_sandbox_options, sandbox_options
from arena.cli.store import bots_folder, db_option, open_store
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

OWNER_HELP = "Who hands it in; the name of a bot belongs to its first owner."
NAME_HELP = "The name of the bot; the one in its bot.toml if not given."
VERSION_HELP = "Its version; if not given, the one in its bot.toml, made new if it is taken."
GAME_HELP = "A game that it plays, once for each; if not given, all that its bot.toml names."


@click.command()
@click.argument("thing", metavar="DIR|FILE|IMAGE")
@click.option("--owner", required=True, metavar="NAME", help=OWNER_HELP)
@click.option("--name", metavar="NAME", help=NAME_HELP)
@click.option("--version", metavar="VERSION", help=VERSION_HELP)
@click.option("--game", "games", multiple=True, metavar="GAME", help=GAME_HELP)
@clock_option
@sandbox_options
@db_option
def submit(
    thing: str,
    owner: str,
    name: str | None,
    version: str | None,
    games: Sequence[str],
    clock: TimeControl,
    db: str,
    **given: Any,
) -> None:
    """Check a bot, try it in the sandbox, and register it as a new version.

    Takes a folder with a bot.toml, an archive of one (.tar, .tar.gz, .tar.xz, .zip), an image of the docker daemon,
    or an archive that `docker save` wrote; an image needs --name and --game. Nothing of it runs outside of the
    sandbox: its build command runs there too, without network, and a Dockerfile is never built. It must play every
    game that it names, from every seat, without a fault. Then a copy is kept that never changes, and tournaments play
    that copy.

    \b
    arena submit my_bot --owner alice
    arena submit my_bot.tar.gz --owner alice --version 2
    arena submit arena-bot/my_bot:1 --owner alice --name my_bot --game claim
    """
    options, request = (
        read_sandbox_options(given),
        RegistrationRequest(owner=owner, name=name, version=version, games=tuple(games)),
    )
    if options.sandbox == "process":
        raise UsageError("a submitted bot is never run without a sandbox: leave out --sandbox process")
    try:
        with Intake(FolderStorage(bots_folder(db)), options) as intake:
            submission = intake.receive(thing)
            entry = _submit(thing, submission, request, open_store(db), intake, options, clock)
    except OSError as error:  # whatever reading it raises is a UsageError by now, so this is ours
        raise InfraError(f"{thing} cannot be taken in, through no fault of its own: {error}") from error
    echo(f"{entry.label} of {entry.owner}: {entry.digest}\n  arena tournament --game {entry.games[0]}")


def _submit(
    thing: str,
    submission: Submission,
    request: RegistrationRequest,
    store: Store,
    intake: Intake,
    options: SandboxOptions,
    clock: TimeControl,
) -> BotEntry:
    registration = plan_registration(store, submission.manifest, request, registry.games())
    submission = _build(intake, submission, thing)
    versions = store.bot_versions(registration.name)
    if (known := find_same(versions, submission.digest, intake.origin(submission))) is not None:
        click.echo("exactly this is registered already; nothing is new")
        return known
    version = free_version(versions, registration.version, submission.digest, fixed=registration.fixed)
    contestant = Contestant(registration.name, version, submission.digest)
    for game in map(registry.find, registration.games):
        _try_out(game, sandboxed_bot(contestant, submission.source, options), options, clock)
    return _register(store, intake, submission, registration)


def _build(intake: Intake, submission: Submission, thing: str) -> Submission:
    started = time.monotonic()
    built = intake.build(submission, thing)
    if built is not submission:
        click.echo(f"built in the sandbox in {time.monotonic() - started:.1f} s")
    return built


def _try_out(game: AnyGame, bot: RunningBot, options: SandboxOptions, clock: TimeControl) -> None:
    """Play the validation matches of one game; UsageError after the bot's own words if it is at fault."""
    terms = CheckSettings(clock, draw_seed(), 0, options.limits.start_s, options.limits.memory_bytes)
    try:
        played = looptime.run(_play(game, bot, named_bot(game, "random", terms.seed, options), terms))
    except CheckFailed as failure:
        if log := bot.log().strip()[-TAIL_BYTES:]:
            echo(f"--- the bot's last output ---\n{log}\n---", err=True)
        hint = advice(failure.verdict, game)
        raise UsageError(
            f"{bot.contestant.name} is refused: at {game.info.name}, {failure} (to mend it: {hint})"
        ) from None
    click.echo(f"played {played} matches of {game.info.name} against random, from every seat, without a fault")


async def _play(game: AnyGame, bot: RunningBot, opponent: RunningBot, terms: CheckSettings) -> int:
    await sweep()
    with ThreadHeartbeat() as heartbeat:
        return await validate(game, bot, Trials(game, opponent, terms=terms, heartbeat=heartbeat))


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

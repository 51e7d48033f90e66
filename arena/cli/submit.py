"""`arena submit`: from what a contestant hands in to a new version in the store, or a refusal with the reason."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import click

from arena.bots.register import RegistrationRequest
from arena.cli.bots import plain, short_digest
from arena.cli.build_progress import build_status
from arena.cli.options import json_option
from arena.cli.output import echo, print_json, warn
from arena.cli.params import clock_option
from arena.cli.placement import executor_option, priority_option
from arena.cli.sandbox_options import read_sandbox_options, sandbox_options
from arena.cli.store import bots_folder, db_option, open_store, say_if_new
from arena.clock import TimeControl
from arena.intake.folder_storage import FolderStorage
from arena.submit.pipeline import register_submission
from arena.submit.trial import TrialConfig, trial_place
from arena.workers.placement import Placement

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
@executor_option
@priority_option
@json_option
@db_option
def submit(
    thing: str,
    owner: str,
    name: str | None,
    version: str | None,
    games: Sequence[str],
    clock: TimeControl,
    place: str,
    priority: int | None,
    as_json: bool,
    db: str,
    **given: Any,
) -> None:
    """Check a bot, try it in the sandbox, and register it.

    Takes a folder with a bot.toml, an archive of one (.tar, .tar.gz, .tar.xz, .zip), an image of the docker daemon,
    or an archive that `docker save` wrote; an image needs --name and --game. Nothing of it runs outside of the
    sandbox: its build command runs there too, without network, and a Dockerfile is never built. It must play every
    game that it names, from every seat, without a fault. Then a copy is kept that never changes, and tournaments play
    that copy. --json prints it as `arena bots show` does.

    \b
    arena submit my_bot --owner alice
    arena submit my_bot.tar.gz --owner alice --version 2
    arena submit arena-bot/my_bot:1 --owner alice --name my_bot --game claim
    """
    request = RegistrationRequest(owner=owner, name=name, version=version, games=tuple(games))
    terms, screen = TrialConfig(read_sandbox_options(given), clock), Screen(to_stderr=as_json)
    try_out = trial_place(Placement(place, 1, priority), warn)
    entry = register_submission(
        thing, request, terms, FolderStorage(bots_folder(db)), lambda: open_store(db, make=True), screen, try_out
    )
    say_if_new()
    if as_json:
        print_json(plain(entry, [entry]))
        return
    digest = short_digest(entry.digest)
    echo(
        f"{entry.label} of {entry.owner} is on the ladder, digest {digest}\n  arena tournament --game {entry.games[0]}"
    )


class Screen:
    """Shows the way of a submission in the terminal; on stderr, where the result is for programs."""

    def __init__(self, *, to_stderr: bool = False) -> None:
        self._to_stderr = to_stderr

    def progress(self, sentence: str) -> None:
        echo(sentence, err=self._to_stderr)

    def warn(self, sentence: str) -> None:
        """Print what the submitter should know, beside the results."""
        warn(sentence)

    def during(self, work: str) -> AbstractContextManager[object]:
        """Show the work, and on a terminal the seconds that it takes."""
        return build_status(work)

    def output(self, log: str) -> None:
        """Print what the bot said, beside the results."""
        warn(f"--- the bot's last output ---\n{log}\n---")

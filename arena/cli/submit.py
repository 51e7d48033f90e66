"""`arena submit`: from what a contestant hands in to a new version in the store, or a refusal with the reason."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import click

from arena.bots.register import RegistrationRequest
from arena.cli.bots import plain, short_digest
from arena.cli.build_progress import build_status
from arena.cli.options import json_option, server_option
from arena.cli.output import echo, print_json, warn
from arena.cli.params import clock_option
from arena.cli.placement import executor_option, priority_option
from arena.cli.sandbox_options import read_sandbox_options, sandbox_options
from arena.cli.store import bots_folder, db_option, open_store, say_if_new
from arena.cli.submitted import show_fates, submit_for
from arena.clock import TimeControl
from arena.contest.people import NewPerson
from arena.contest.roster import read_roster
from arena.errors import UsageError
from arena.intake.folder_storage import FolderStorage
from arena.store.base import BotEntry
from arena.submit.pipeline import register_submission
from arena.submit.trial import TrialConfig, trial_place
from arena.workers.placement import Placement

OWNER_HELP = "Who hands it in; the name of a bot belongs to its first owner."
OWNERS_HELP = "Many at once: each one's owner is found in this CSV file by its name."
NAME_HELP = "The name of the bot; the one in its bot.toml if not given."
VERSION_HELP = "Its version; if not given, the one in its bot.toml, made new if it is taken."
GAME_HELP = "A game that it plays, once for each; if not given, all that its bot.toml names."


@click.command()
@click.argument("things", metavar="DIR|FILE|IMAGE…", nargs=-1, required=True)
@click.option("--owner", metavar="NAME", help=OWNER_HELP)
@click.option(
    "--owners", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path), help=OWNERS_HELP
)
@click.option("--name", metavar="NAME", help=NAME_HELP)
@click.option("--version", metavar="VERSION", help=VERSION_HELP)
@click.option("--game", "games", multiple=True, metavar="GAME", help=GAME_HELP)
@clock_option
@sandbox_options
@executor_option
@priority_option
@json_option
@server_option
@db_option
def submit(
    things: Sequence[str],
    owner: str | None,
    owners: Path | None,
    name: str | None,
    version: str | None,
    games: Sequence[str],
    clock: TimeControl,
    place: str,
    priority: int | None,
    as_json: bool,
    server: str | None,
    db: str,
    **given: Any,
) -> None:
    """Check bots, try them in the sandbox, and register them.

    Takes a folder with a bot.toml, an archive of one (.tar, .tar.gz, .tar.xz, .zip), an image of the docker daemon,
    or an archive that `docker save` wrote; an image needs --name and --game. Nothing of it runs outside of the
    sandbox: its build command runs there too, without network, and a Dockerfile is never built. It must play every
    game that it names, from every seat, without a fault. Then a copy is kept that never changes, and tournaments play
    that copy. --json prints it as `arena bots show` does.

    With --owners there may be many, and a table at the end says which were refused and why; the exit code is 1 if
    some were. The first line of the file names its columns: name, and if you like display, team and role. Whoever is
    called as the folder is, or the file without .zip or .tar.gz, is its owner; or as it begins, before a dash or an
    underscore: ann-bot.zip and ann_2 are ann's. Of several the longest name counts. Who is in a team hands in for the
    team. --json then prints a list with thing, owner, state (registered, refused or failed), reason and bot.

    \b
    arena submit my_bot --owner alice
    arena submit my_bot.tar.gz --owner alice --version 2
    arena submit arena-bot/my_bot:1 --owner alice --name my_bot --game claim
    arena submit handed-in/* --owners class.csv
    arena submit my_bot --server https://cup.example      after `arena login`
    """
    if server is not None:
        _submit_there(server, things, owner or owners, name, version, games, as_json=as_json)
        return
    _check_owners(things, owner, owners, name, version)
    terms, screen = TrialConfig(read_sandbox_options(given), clock), Screen(to_stderr=as_json)
    try_out = trial_place(Placement(place, 1, priority), warn)

    def register(thing: str, owner: str) -> BotEntry:
        request = RegistrationRequest(owner=owner, name=name, version=version, games=tuple(games))
        storage = FolderStorage(bots_folder(db))
        return register_submission(thing, request, terms, storage, lambda: open_store(db, make=True), screen, try_out)

    if owners is not None:
        _submit_many(things, read_roster(owners), register, screen, as_json=as_json)
        return
    entry = register(things[0], owner or "")
    say_if_new()
    if as_json:
        print_json(plain(entry, [entry]))
        return
    digest = short_digest(entry.digest)
    echo(
        f"{entry.label} of {entry.owner} is on the ladder, digest {digest}\n  arena tournament --game {entry.games[0]}"
    )


def _submit_there(
    server: str, things: Sequence[str], owner: object, name: str | None, version: str | None, games: Sequence[str], *,
    as_json: bool,
) -> None:  # fmt: skip
    """Hand one bot in to the contest there."""
    from arena.cli.server_submit import submit_there  # noqa: PLC0415  (most bots are handed in here)

    if owner or len(things) > 1:
        raise UsageError("--server takes one bot, and your token says whose it is: leave out --owner and --owners")
    wish = {"name": name, "version": version, "games": ",".join(games) or None}
    submit_there(server, things[0], wish=wish, as_json=as_json)


def _check_owners(
    things: Sequence[str], owner: str | None, owners: Path | None, name: str | None, version: str | None
) -> None:
    """UsageError unless it is clear whose each of the things is."""
    if (owner is None) == (owners is None):
        raise UsageError("say whose it is: --owner NAME for one bot, or --owners FILE for many")
    if owner is not None and len(things) > 1:
        raise UsageError("with --owner one bot is handed in; for many write --owners FILE")
    if owners is not None and (name is not None or version is not None):
        raise UsageError("--name and --version are for one bot, and --owners for many")


def _submit_many(
    things: Sequence[str],
    roster: Sequence[NewPerson],
    register: Callable[[str, str], BotEntry],
    screen: "Screen",
    *,
    as_json: bool,
) -> None:
    """Hand in one after the other, whatever becomes of each, and show what became of all."""
    fates = []
    for thing in things:
        screen.progress(f"{thing}:")
        fates.append(submit_for(thing, roster, register))
        screen.progress(f"  {fates[-1].sentence}")
    say_if_new()
    show_fates(fates, as_json=as_json)
    if any(fate.bot is None for fate in fates):
        click.get_current_context().exit(1)


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

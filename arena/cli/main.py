"""The `arena` command and how it speaks of errors."""

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

import click

from arena import distribution
from arena.cli.groups import LazyGroup
from arena.errors import ArenaError
from arena.untrusted.text import printable

COMMANDS = {
    "games": ("games:games", "List the games, with their seats, roles and options."),
    "rules": ("games:rules", "Print the rules of GAME."),
    "match": ("match:match", "Play one match and show how it ended."),
    "play": ("play:play", "Play GAME yourself, in the terminal."),
    "replay": ("replay:replay", "Watch the record of a match, or prove that it is true."),
    "tournament": ("tournament:tournament", "Play a tournament and show the rating table."),
    "test": ("test:test", "Find out whether the bot NEW is better than the bot OLD."),
    "status": ("status:status", "Show what is being played at present, and where."),
    "ratings": ("ratings:ratings", "Show the ladder of a game: its bots by their ratings."),
    "crosstable": ("ratings:show_crosstable", "Show how every bot fared against every other."),
    "history": ("history:history", "Show the matches of a bot, or one in full."),
    "verify": ("verify:verify", "Prove that the tables follow from the records."),
    "site": ("site:site", "Make a site of ladders, tournaments and replays."),
    "serve": ("site:serve", "Serve the site from the store, and running matches move by move."),
    "export": ("export:export", "Write a tournament to one file."),
    "import": ("export:import_", "Prove the tournament in FILE and add it."),
    "backup": ("backup:backup", "Write the whole store to FILE, even while tournaments run."),
    "restore": ("backup:restore", "Make a new store of the backup in FILE."),
    "contest": ("contest:contest", "Hold a contest: people, tokens, submissions, backups."),
    "keys": ("keys:keys", "See and choose whose signed tournaments count here."),
    "login": ("login:login", "Keep your token for the contest at URL."),
    "logout": ("login:logout", "Forget your token for the contest at URL."),
    "submit": ("submit:submit", "Check bots, try them in the sandbox, and register them."),
    "bots": ("bots:bots", "See, retire and restore the bots in the store."),
    "bot": ("bot:bot", "Write a bot: start one, check it, debug it, build its image."),
    "docs": ("docs:docs", "Print PAGE of the documentation, or list the pages."),
    "doctor": ("doctor:doctor", "Show what this machine can enforce, and how to fix what it cannot."),
    "completion": ("completion:completion", "Print the script by which SHELL completes commands and options."),
}
"""Where each command is, and its line on the help page: a command is imported only when it is run."""


HOLDING = {"match", "play", "tournament", "test", "submit", "bot", "doctor"}
"""The commands that put bots into sandboxes, or say how they would."""


MACHINE = {
    errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.ENOMEM,
    errno.EMFILE, errno.ENFILE,
}  # fmt: skip
"""What the system refuses any program: no fault of Arena's."""


class ArenaGroup(LazyGroup):
    """A group whose errors are one sentence: exit code 2 for what the user can fix, 1 for most else."""

    places = COMMANDS

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:
        """Run the command and turn every error into a sentence on stderr; this never returns."""
        extra["standalone_mode"] = False
        if args is None and HOLDING.intersection(sys.argv[1:2]):
            _enter_scope()
        # Ratings are worked out while bots are timed: numpy, which no command has loaded yet, keeps to one processor.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        try:
            result = super().main(args, *rest, **extra)
        except (click.Abort, KeyboardInterrupt):
            _fail("stopped", 130)
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message(), err=True)  # who names no command wants to know which there are
            sys.exit(error.exit_code)
        except Exception as error:
            _fail(*_explained(error))
        # With standalone_mode off click hands back the code of ctx.exit() instead of using it.
        sys.exit(result if isinstance(result, int) else 0)


def _enter_scope() -> None:
    from arena.sandboxes.systemd_scope import enter_scope  # noqa: PLC0415  (help need not wait for it)

    enter_scope()


def _explained(error: Exception) -> tuple[str, int]:
    """What to say of an error, and the exit code that goes with it."""
    while isinstance(error, ExceptionGroup) and error.split(ArenaError)[1] is None:
        error = error.exceptions[0]  # tasks that failed together, each with an error of ours
    match error:
        case click.UsageError():
            where = error.ctx.command_path if error.ctx else "arena"
            return f"{error.format_message()} (see `{where} --help`)", 2
        case click.ClickException():
            return error.format_message(), 2
        case ArenaError():
            return str(error), error.exit_code
        case MemoryError():
            return "the memory of this machine is used up", 1
        case OSError() if error.errno in MACHINE:
            return f"the system refused it: {error.strerror}{f': {error.filename}' if error.filename else ''}", 1
    from arena.cli.crash import crash_report  # noqa: PLC0415  (hardly anybody ever needs it)

    return f"this is a fault in Arena, not in what you did: {crash_report(error)}", 1


def _fail(sentence: str, code: int) -> NoReturn:
    with suppress(OSError):  # who does not read our errors still gets the exit code
        click.echo(f"Error: {printable(sentence, lines=True)}", err=True)
    sys.exit(code)


@click.group(cls=ArenaGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name=distribution.NAME, message="arena %(version)s")
def main() -> None:
    """Referee and tournament framework for game-playing bots.

    \b
    arena match --game claim           play one match
    arena play claim                   play yourself
    arena bot new my_bot --game claim  begin a bot of your own
    arena test my_bot greedy           is it better than another one?
    arena tournament --game claim      everybody against everybody
    arena ratings --game claim         who is best

    `arena COMMAND --help` says what a command takes, with examples; `arena docs first-bot` leads from nothing to a bot
    that wins, and `arena docs` lists the other pages.
    """

"""The `arena` command and how it speaks of errors."""

import sys
from collections.abc import Sequence
from typing import Any

import click

from arena.cli.games import games, rules
from arena.cli.match import match
from arena.cli.replay import replay
from arena.errors import ArenaError, UsageError


class ArenaGroup(click.Group):
    """A group whose errors are one sentence: exit code 2 for what the user can mend, 1 for all else."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:
        """Run the command and turn every expected error into a sentence on stderr."""
        extra["standalone_mode"] = False
        try:
            result = super().main(args, *rest, **extra)
        except click.UsageError as error:
            where = error.ctx.command_path if error.ctx else "arena"
            _fail(f"{error.format_message()} (see `{where} --help`)", 2)
        except click.ClickException as error:
            _fail(error.format_message(), 2)
        except click.Abort:
            _fail("stopped", 130)
        except ArenaError as error:
            _fail(str(error), 2 if isinstance(error, UsageError) else 1)
        except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
            sys.stderr.close()
            sys.exit(0)
        # With standalone_mode off click hands back the code of ctx.exit() instead of using it.
        sys.exit(result if isinstance(result, int) else 0)


def _fail(sentence: str, code: int) -> None:
    click.echo(f"Error: {sentence}", err=True)
    sys.exit(code)


@click.group(cls=ArenaGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="arena", message="arena %(version)s")
def main() -> None:
    r"""Referee and tournament framework for game-playing bots.

    \b
    arena games                      which games there are
    arena rules claim                how one is played
    arena match --game claim         play one match and keep its record
    arena replay show FILE           watch it, move by move
    """


for command in (games, rules, match, replay):
    main.add_command(command)

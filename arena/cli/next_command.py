"""The commands that messages name as the next ones: typed as they stand, they mean the same store."""

import shlex

import click
from click.core import ParameterSource

from arena.store.database import shown
from arena.tournaments.settings import Settings


def here(command: str) -> str:
    """The command, with the --db that was given to this one; what ARENA_DB names is found again without it."""
    context = click.get_current_context(silent=True)
    if context is None or context.get_parameter_source("db") is not ParameterSource.COMMANDLINE:
        return command
    return f"{command} --db {shlex.quote(shown(context.params['db']))}"


def resume_command(number: int, settings: Settings) -> str:
    """How the tournament of this number goes on; one without a last round is to be told for how long."""
    return here(f"arena tournament resume {number}{' --budget 45m' if settings.endless else ''}")

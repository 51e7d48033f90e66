"""`arena contest`: a contest with people who hand in bots."""

import click

from arena.cli.contest_serve import run, serve
from arena.cli.groups import CommandGroup


@click.group(cls=CommandGroup)
def contest() -> None:
    """Run a contest with people who hand in bots."""


contest.add_command(serve)
contest.add_command(run)

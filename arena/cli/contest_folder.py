"""The contest that a command is about: its folder, its people, and what is noted of what was done to it."""

from collections.abc import Callable
from pathlib import Path

import click
from sqlalchemy import Engine

from arena import registry
from arena.contest.audit import Audit
from arena.contest.people import Person
from arena.contest.settings import Contest, read_contest
from arena.errors import UsageError

TERMINAL = "terminal"
"""The address of whoever sits at the machine of the contest."""


def contest_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add the option that says which contest is meant."""
    return click.option(
        "--contest",
        "folder",
        metavar="FOLDER",
        type=click.Path(file_okay=False, path_type=Path),
        default=Path(),
        show_default="the current folder",
        help="The folder of the contest.",
    )(command)


def open_contest(folder: Path) -> Contest:
    """The contest in this folder; UsageError if there is none."""
    return read_contest(folder, registry.games())


def open_people(contest: Contest) -> Engine:
    """The people of a contest, closed when the command ends; they are never made anew where they are gone."""
    if "://" not in contest.people and not Path(contest.people).is_file():
        raise UsageError(f"the people of this contest are gone: there is no {contest.people}; restore a backup")
    database = contest.open_people()
    if (context := click.get_current_context(silent=True)) is not None:
        context.call_on_close(database.dispose)
    return database


def note(database: Engine, action: str, person: Person | None = None, more: str = "") -> None:
    """Note what was done at the terminal; a person by the number, which stays when the name is erased."""
    thing = f"person {person.id}" if person else more
    Audit(database).add(None, TERMINAL, action, thing)

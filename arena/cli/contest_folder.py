"""The contest that a command is about: its folder, its people, and what is noted of what was done to it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from arena import registry
from arena.contest.audit import Audit
from arena.contest.people import People, Person
from arena.contest.settings import Contest, read_contest
from arena.contest.submissions import Submissions
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


@dataclass(frozen=True, slots=True)
class Opened:
    """A contest with the rows that organisers work on."""

    contest: Contest
    people: People
    submissions: Submissions
    audit: Audit

    def note(self, action: str, person: Person | None = None, more: str = "") -> None:
        """Note what was done at the terminal; a person by the number, which stays when the name is erased."""
        self.audit.add(None, TERMINAL, action, f"person {person.id}" if person else more)


@contextmanager
def opened(contest: Contest, *, read_only: bool = False) -> Iterator[Opened]:
    """The rows of a contest within a context; they are never made anew where they are gone."""
    if "://" not in contest.people and not Path(contest.people).is_file():
        raise UsageError(f"the people of this contest are gone: there is no {contest.people}; restore a backup")
    database = contest.open_people(read_only=read_only)
    try:
        yield Opened(contest, People(database), Submissions(database), Audit(database))
    finally:
        database.dispose()


def open_people(folder: Path) -> Opened:
    """The contest in this folder with its rows, closed when the command ends."""
    return click.get_current_context().with_resource(opened(open_contest(folder)))

"""`arena contest people`: the accounts of a contest."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from arena.cli import table_formats
from arena.cli.contest_cards import issue_cards
from arena.cli.contest_erasing import remove_bots
from arena.cli.contest_folder import Opened, contest_option, open_people
from arena.cli.contest_new import ROSTER, ROSTER_HELP
from arena.cli.groups import CommandGroup
from arena.cli.output import cell, echo, narrow_table
from arena.cli.params import Whole
from arena.cli.table_formats import list_options, print_table
from arena.contest.people import ORGANISER, Issued, NewPerson, Person
from arena.contest.roster import read_roster
from arena.errors import UsageError
from arena.web.formats import counted

ACTIVE, DISABLED, ERASED = "active", "disabled", "erased"


@click.group(cls=CommandGroup)
def people() -> None:
    """See, add, lock, renew and erase the people of a contest.

    \b
    arena contest people list --contest my-cup
    arena contest people add carol --team reds --contest my-cup
    arena contest people renew carol --contest my-cup
    """


@people.command("list")
@list_options
@contest_option
def list_people(folder: Path, **form: Any) -> None:
    """List everybody who has an account.

    \b
    The columns of --json and --csv:
      id             the number, which stays when a name is erased
      name, display  of the account
      team, role     to which it belongs; organiser or contestant
      state          active, disabled or erased
      created        when, in UTC
    """
    everybody = open_people(folder).people.all()

    def show() -> None:
        table = narrow_table("name", "display", "team", "role", "state", "created")
        for row in map(_plain, everybody):
            shown = (row["name"], row["display"], row["team"], row["role"], row["state"], row["created"][:10])
            table.add_row(*map(cell, shown))
        Console().print(table)

    print_table(table_formats.Table([_plain(person) for person in everybody], None, show), **form)


def _plain(person: Person) -> dict[str, Any]:
    return {
        "id": person.id,
        "name": person.name,
        "display": person.display,
        "team": person.team.name,
        "role": person.role,
        "state": ERASED if person.erased else DISABLED if person.disabled else ACTIVE,
        "created": person.created.isoformat(),
    }


@people.command()
@click.argument("name", required=False)
@click.option("--display", default="", metavar="TEXT", help="The name that others read; NAME if not given.")
@click.option("--team", default="", metavar="NAME", help="The team, new or not; without it NAME is a team alone.")
@click.option("--organiser", is_flag=True, help="Who may see and do everything.")
@click.option("--roster", type=ROSTER, help=f"Many at once. {ROSTER_HELP}")
@contest_option
def add(name: str | None, display: str, team: str, organiser: bool, roster: Path | None, folder: Path) -> None:
    """Make an account for NAME, or for everybody in a roster, and a page with their cards.

    All of them are made or none: who has an account already may not stand in the roster.

    \b
    arena contest people add carol --contest my-cup
    arena contest people add --roster late.csv --contest my-cup
    """
    if (name is None) == (roster is None):
        raise UsageError("name either one person or a file with --roster")
    if roster and (display or team or organiser):
        raise UsageError("--display, --team and --organiser are for one person: in a roster they are columns")
    given = NewPerson(name or "", display, team, *([ORGANISER] if organiser else []))
    newcomers = read_roster(roster) if roster else [given]
    there = open_people(folder)
    _issue(there, "people add", lambda: there.people.add(newcomers))


@people.command()
@click.argument("name")
@contest_option
def disable(name: str, folder: Path) -> None:
    """Lock the account NAME at once; its bots play on, and its results stay."""
    _set_disabled(name, folder, disabled=True)


@people.command()
@click.argument("name")
@contest_option
def enable(name: str, folder: Path) -> None:
    """Let a locked account in again, with the token that it had."""
    _set_disabled(name, folder, disabled=False)


def _set_disabled(name: str, folder: Path, *, disabled: bool) -> None:
    there = open_people(folder)
    person = there.people.disable(name, disabled=disabled)
    there.note("people disable" if disabled else "people enable", person)
    echo(f"{person.name} is locked out, also where somebody was logged in" if disabled else f"{person.name} may log in")


@people.command()
@click.argument("name", required=False)
@click.option("--all", "everybody", is_flag=True, help="Everybody who is not locked, organisers too.")
@contest_option
def renew(name: str | None, everybody: bool, folder: Path) -> None:
    """Give NAME, or everybody, a new token in place of the old one, and write a page with the cards.

    Whoever is logged in with the old one is logged out.
    """
    if (name is None) != everybody:
        raise UsageError("name either one person or --all")
    there = open_people(folder)
    if name is None:
        names = [person.name for person in there.people.all() if not person.disabled]
    elif there.people.find(name).disabled:
        raise UsageError(f"{name} is locked or erased, and could not log in: `arena contest people enable` comes first")
    else:
        names = [name]
    _issue(there, "people renew", lambda: [there.people.renew(each) for each in names])


def _issue(there: Opened, action: str, issue: Callable[[], Sequence[Issued]]) -> None:
    """Issue tokens, note to whom, and say where the cards are."""
    path, issued = issue_cards(there.contest, issue)
    for each in issued:
        there.note(action, each.person)
    echo(f"wrote {path} with {counted(len(issued), 'card')}: print it, hand them out, and delete the file")


@people.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@contest_option
def erase(name: str, yes: bool, folder: Path) -> None:
    """Take the name and the files of NAME away for good; results stay under a number.

    With the last person of a team its uploads and the files of its bots are removed, too, and its bots play no more.
    The names of bots stay in the results. Cards and backups that you made before still have everything.
    """
    there = open_people(folder)
    person = there.people.find(name)
    if not yes:
        click.confirm(f"Erase {person.name} for good?", abort=True)
    gone = there.people.erase(name)
    there.note("people erase", gone)
    echo(f"{name} is now {gone.name}, in the team {gone.team.name}")
    if gone.team.erased:
        _erase_files(there, gone)


def _erase_files(there: Opened, gone: Person) -> None:
    """Take away what a team handed in and what became of it."""
    digests = there.submissions.forget(gone.team.id)
    for digest in digests:
        there.contest.upload(digest).unlink(missing_ok=True)
    left = remove_bots(there.contest.results, gone.team.owner)
    echo(f"removed {counted(len(digests), 'upload')} and the files of {counted(left.removed, 'bot')} of that team")
    for label in left.images:
        echo(f"{label} is an image, which stays in docker: remove it there")


@people.command()
@click.option("--days", type=Whole(1, 365), default=7, show_default=True, help="How long the code can be used.")
@click.option("--places", type=Whole(1, 10_000), default=30, show_default=True, help="By how many people.")
@contest_option
def invite(days: int, places: int, folder: Path) -> None:
    """Print a code with which people make accounts of their own, each as a team alone or a new one.

    The code is shown this once. Where people know each other, a roster is safer: anybody who has the code can join.
    """
    there = open_people(folder)
    code = there.people.invite(lasts=timedelta(days=days), places=places)
    there.note("people invite", more=f"{places} places, {days} days")
    address = there.contest.settings.join_address
    how = f"at {address}?code={code}, or " if address else ""
    echo(f"{counted(places, 'account')} can be made within {counted(days, 'day')}, {how}with this code:\n{code}")

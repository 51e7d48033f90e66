"""`arena contest new`: from a roster to a contest with cards to hand out."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import click

from arena import registry
from arena.cli.contest_cards import issue_cards
from arena.cli.contest_folder import opened
from arena.cli.options import json_option
from arena.cli.output import echo, print_json
from arena.contest.people import ORGANISER, Issued, NewPerson
from arena.contest.roster import read_roster
from arena.contest.settings import FILE, Contest, ContestSettings, Places, make_contest
from arena.errors import UsageError
from arena.web.cards import check_cards
from arena.web.formats import counted

ROSTER = click.Path(dir_okay=False, exists=True, path_type=Path)
ROSTER_HELP = "A CSV file: its first line is name,display,team,role, and only name must be there."


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--game", "games", multiple=True, required=True, metavar="GAME", help="A game of it, once for each.")
@click.option("--roster", type=ROSTER, help=ROSTER_HELP)
@click.option("--title", help="What it is called; the name of its folder if not given.")
@click.option("--organiser", default="organiser", show_default=True, metavar="NAME", help="Your own account.")
@click.option("--address", default="", metavar="URL", help="Where people reach it, for the cards: https://cup.example.")
@click.option("--pseudonyms", is_flag=True, help="Show teams to the public by number instead of by name.")
@click.option("--db", metavar="URL", help="Keep it in postgresql://user@host/name instead of files in FOLDER.")
@json_option
def new(
    folder: Path,
    games: Sequence[str],
    roster: Path | None,
    title: str | None,
    organiser: str,
    address: str,
    pseudonyms: bool,
    db: str | None,
    as_json: bool,
) -> None:
    """Make a contest in FOLDER, with its accounts and a page of cards.

    It writes contest.toml, which you may edit, an account for everybody in the roster and one for you, and
    cards.html: print it and cut it apart. The cards are the only place where tokens can be read; of these only
    hashes are kept. --json prints folder, cards, people and teams.

    \b
    arena contest new my-cup --game claim --roster class.csv
    arena contest new open-cup --game claim --game rrr --title "Open cup"
    """
    check_cards()
    if db is not None and "://" not in db:
        raise UsageError("--db takes a URL of PostgreSQL; without it everything is kept in files in the folder")
    newcomers = _newcomers(read_roster(roster) if roster else [], organiser)
    settings = ContestSettings(
        title or folder.resolve().name, tuple(dict.fromkeys(games)), address=address, pseudonyms=pseudonyms,
        keep=Places(results=db, people=db) if db else Places(),
    )  # fmt: skip
    is_new = not folder.exists()
    contest = make_contest(folder, settings, registry.games())
    try:
        cards, issued = issue_cards(contest, lambda: _add(contest, newcomers))
    except BaseException:  # nobody has a card, so there is no contest
        (folder / FILE).unlink()
        if is_new:
            shutil.rmtree(folder)
        raise
    teams = len({each.person.team.id for each in issued if not each.person.organises})
    if as_json:
        print_json({"folder": str(contest.folder), "cards": str(cards), "people": len(issued), "teams": teams})
    else:
        _say(contest, folder, cards, len(issued), teams)


def _newcomers(listed: list[NewPerson], organiser: str) -> list[NewPerson]:
    """Everybody in the roster, and the organiser, who may stand there, too."""
    known = {person.name: person for person in listed}
    if organiser not in known:
        return [NewPerson(organiser, role=ORGANISER), *listed]
    if known[organiser].role != ORGANISER:
        raise UsageError(f"the roster has {organiser} as a contestant: name your own account with --organiser NAME")
    return listed


def _add(contest: Contest, newcomers: Sequence[NewPerson]) -> Sequence[Issued]:
    with opened(contest) as there:
        issued = there.people.add(newcomers)
        there.note("contest new", more=counted(len(issued), "account"))
    return issued


def _say(contest: Contest, folder: Path, cards: Path, people: int, teams: int) -> None:
    """What is there now, and what comes next."""
    settings = contest.settings
    echo(f"made the contest {settings.title} in {folder}: {counted(people, 'account')}, {counted(teams, 'team')}")
    echo(f"1. Print {cards}, cut the cards apart, hand them out, and delete the file: nothing else has the tokens.")
    if not settings.address:
        echo(
            f"   The cards have no address yet: write it into {folder / FILE}, then make new ones with `arena contest "
            f"people renew --all --contest {folder}`."
        )
    echo(f"2. Look through {folder / FILE}: clock, dates, quotas, and who sees the standings.")
    echo(f"3. `arena contest check {folder}` says what is missing.")

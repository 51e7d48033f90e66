"""`arena contest`: a contest for many people, in a folder of its own."""

import click

from arena.cli.groups import LazyGroup


class ContestGroup(LazyGroup):
    """The commands about a contest."""

    places = {  # noqa: RUF012  (it is the table that the class is about)
        "new": ("contest_new:new", "Make a contest in FOLDER, with its accounts and a page of cards."),
        "people": ("contest_people:people", "See, add, lock, renew and erase the people of a contest."),
        "check": ("contest_check:check", "Read everything of the contest in FOLDER and say what is wrong."),
        "export": ("contest_export:export", "Write the sources of all teams to one archive."),
        "backup": ("contest_backup:backup", "Write a whole contest to FILE, even while it runs."),
        "restore": ("contest_backup:restore", "Make the contest FOLDER of the backup in FILE."),
    }


@click.group(cls=ContestGroup)
def contest() -> None:
    """Hold a contest: people, tokens, submissions, backups.

    A contest is a folder: contest.toml says what it is, and beside it lie its results, its people and what they
    handed in. `arena docs host-a-contest` leads through it.

    \b
    arena contest new my-cup --game claim --roster class.csv
    arena contest people list --contest my-cup
    arena contest check my-cup
    """

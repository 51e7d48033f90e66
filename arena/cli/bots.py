"""`arena bots`: what is registered."""

import click
from rich.console import Console
from rich.table import Table

from arena.cli.output import cell, echo
from arena.cli.store import db_option, open_store
from arena.errors import UsageError
from arena.untrusted.text import printable


@click.group()
def bots() -> None:
    """See and retire the bots in the store."""


@bots.command("list")
@click.option("--game", metavar="GAME", help="Only bots that play this game.")
@click.option("--retired", is_flag=True, help="Those that are retired too.")
@db_option
def list_bots(game: str | None, retired: bool, db: str) -> None:
    """List the newest version of every bot."""
    table = Table("bot", "version", "owner", "games", "from", "registered", "digest")
    for entry in open_store(db).bots(game, retired=retired):
        name = cell(entry.name).append(" (retired)" if entry.retired else "", "dim")
        facts = (entry.version, entry.owner, " ".join(entry.games), entry.kind, f"{entry.created:%Y-%m-%d}")
        table.add_row(name, *map(cell, facts), cell(entry.digest[:19]))
    Console().print(table)


@bots.command()
@click.argument("bot", metavar="NAME")
@db_option
def show(bot: str, db: str) -> None:
    """Show every version of the bot NAME."""
    versions = open_store(db).bot_versions(bot)
    if not versions:
        raise UsageError(f"there is no bot {bot!r}: `arena bots list` shows those that there are")
    for entry in versions:
        where = "its files are not on this machine" if entry.kind == "absent" else entry.origin
        facts = {
            "status": "retired" if entry.retired else "active",
            "owner": entry.owner,
            "games": " ".join(entry.games),
            "registered": f"{entry.created:%Y-%m-%d %H:%M} UTC",
            "digest": entry.digest,
            entry.kind: where,
        }
        click.echo(printable(entry.label))
        for name, fact in facts.items():
            click.echo(f"  {name:<10} {printable(fact)}")


@bots.command()
@click.argument("name")
@db_option
def retire(name: str, db: str) -> None:
    """Keep the bot NAME out of tournaments to come; its matches stay."""
    open_store(db).retire_bot(name)
    echo(f"{name} is retired")

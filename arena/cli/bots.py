"""`arena bots`: what is registered."""

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from arena.cli.store import db_option, open_store
from arena.errors import UsageError


@click.group()
def bots() -> None:
    """See and retire the bots in the store."""


@bots.command("list")
@click.option("--game", metavar="GAME", help="Only bots that play this game.")
@click.option("--retired", is_flag=True, help="Those that are retired too.")
@db_option
def list_bots(game: str | None, retired: bool, db: str) -> None:
    """List the newest version of every bot."""
    table = Table("bot", "version", "owner", "games", "digest")
    for entry in open_store(db).bots(game, retired=retired):
        name = escape(entry.name) + (" [dim](retired)[/dim]" if entry.retired else "")
        table.add_row(name, entry.version, escape(entry.owner), " ".join(entry.games), entry.digest[:19])
    Console().print(table)


@bots.command()
@click.argument("name")
@db_option
def show(name: str, db: str) -> None:
    """Show every version of the bot NAME."""
    versions = open_store(db).bot_versions(name)
    if not versions:
        raise UsageError(f"there is no bot {name!r}: `arena bots list` shows those that there are")
    for entry in versions:
        state = " (retired)" if entry.retired else ""
        click.echo(f"{entry.label}{state}\n  owner  {entry.owner}\n  games  {' '.join(entry.games)}")
        click.echo(f"  digest {entry.digest}\n  origin {entry.origin}")


@bots.command()
@click.argument("name")
@db_option
def retire(name: str, db: str) -> None:
    """Keep the bot NAME out of tournaments to come; its matches stay."""
    open_store(db).retire_bot(name)
    click.echo(f"{name} is retired")

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
    table = Table("bot", "version", "owner", "games", "from", "registered", "digest")
    for entry in open_store(db).bots(game, retired=retired):
        name = escape(entry.name) + (" [dim](retired)[/dim]" if entry.retired else "")
        facts = (entry.version, escape(entry.owner), " ".join(entry.games), entry.kind, f"{entry.created:%Y-%m-%d}")
        table.add_row(name, *facts, entry.digest[:19])
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
        click.echo(f"{entry.label}\n  status     {'retired' if entry.retired else 'active'}")
        click.echo(f"  owner      {entry.owner}\n  games      {' '.join(entry.games)}")
        click.echo(f"  registered {entry.created:%Y-%m-%d %H:%M} UTC\n  digest     {entry.digest}")
        click.echo(
            f"  {entry.kind:<10} {'its files are not on this machine' if entry.kind == 'absent' else entry.origin}"
        )


@bots.command()
@click.argument("name")
@db_option
def retire(name: str, db: str) -> None:
    """Keep the bot NAME out of tournaments to come; its matches stay."""
    open_store(db).retire_bot(name)
    click.echo(f"{name} is retired")

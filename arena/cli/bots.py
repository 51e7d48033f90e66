"""`arena bots`: what is registered."""

from collections.abc import Iterable
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from arena.cli import table_formats
from arena.cli.groups import CommandGroup
from arena.cli.options import json_option, server_option
from arena.cli.output import cell, echo, narrow_table, print_json
from arena.cli.store import db_option, open_store, read_store
from arena.cli.table_formats import list_options, print_table
from arena.errors import UsageError
from arena.standings.ladder import LADDER, OLDER, RETIRED, TRIED, newest_versions, status_of
from arena.store.base import BotEntry
from arena.store.sql import Store
from arena.untrusted.text import printable
from arena.web.formats import counted

DIGEST_DIGITS = 12
"""Of a digest; so many tell the versions of all bots apart."""


@click.group(cls=CommandGroup)
def bots() -> None:
    """See, retire and restore the bots in the store."""


@bots.command("list")
@click.option("--game", metavar="GAME", help="Only bots that play this game.")
@click.option("--retired", is_flag=True, help="Include retired bots.")
@click.option("--all", "everything", is_flag=True, help="Every version: older, retired, and only tried out.")
@list_options
@server_option
@db_option
def list_bots(
    game: str | None, retired: bool, everything: bool, server: str | None, db: str, **form: Any
) -> None:  # fmt: skip
    """List the newest version of every bot on the ladder.

    A folder that was only played by `arena test` or `arena tournament` is not on the ladder; `arena submit` puts
    it there.

    \b
    The columns of --json and --csv:
      name, version, owner  of the bot
      status                ladder, older, retired or tried out
      games                 those that it plays
      from, origin          folder, image or absent, and where it is here
      registered, digest    when, in UTC, and of which content
    """
    if server is not None:
        from arena.cli.server_tables import print_bots  # noqa: PLC0415  (see `ratings`)

        print_bots(server, game, **form)
        return
    store = read_store(db)
    bots = store.all_bots()
    entries = [bot for bot in bots if game in (None, *bot.games)]
    newest = newest_versions(bots, game, retired=retired)
    shown = entries if everything else newest

    def show() -> None:
        if shown:
            Console().print(bot_table(shown, newest))
        else:
            click.echo("no bot is on the ladder: `arena submit DIR --owner NAME` hands one in")
        notes()

    def notes() -> None:
        if not everything and (hidden := _left_out(entries, newest)):
            click.echo(f"not shown: {hidden}; --all shows every version")

    print_table(table_formats.Table([plain(bot, newest) for bot in shown], None, show, notes), **form)


def bot_table(entries: Iterable[BotEntry], newest: Iterable[BotEntry]) -> Table:
    table = narrow_table()
    for name in ("bot", "version", "owner", "games"):
        table.add_column(name, overflow="fold")
    for name in ("from", "registered", "digest"):
        table.add_column(name, no_wrap=True)
    known = {bot.id for bot in newest}
    for entry in entries:
        title = cell(entry.name)
        if (status := status_of(entry, known)) != LADDER:
            title.append(f" ({status})", "dim")
        facts = (entry.version, entry.owner, " ".join(entry.games), entry.kind, f"{entry.created:%Y-%m-%d}")
        table.add_row(title, *map(cell, facts), cell(short_digest(entry.digest)))
    return table


def short_digest(digest: str) -> str:
    """As much of a digest as tells versions apart, without the name of the algorithm."""
    return digest.removeprefix("sha256:")[:DIGEST_DIGITS]


def plain(entry: BotEntry, newest: Iterable[BotEntry]) -> dict[str, object]:
    return {
        "name": entry.name,
        "version": entry.version,
        "owner": entry.owner,
        "status": status_of(entry, {bot.id for bot in newest}),
        "games": list(entry.games),
        "from": entry.kind,
        "origin": entry.origin,
        "registered": entry.created.isoformat(),
        "digest": entry.digest,
    }


def _left_out(entries: Iterable[BotEntry], shown: Iterable[BotEntry]) -> str:
    """How many versions of every kind a list of the newest leaves out."""
    known = {bot.id for bot in shown}
    hidden = [status_of(bot, known) for bot in entries if bot.id not in known]
    words = {OLDER: ("older version", ""), RETIRED: ("retired version", ""), TRIED: ("version", " only tried out")}
    parts = (counted(count, noun) + rest for status, (noun, rest) in words.items() if (count := hidden.count(status)))
    return ", ".join(parts)


@bots.command()
@click.argument("bot", metavar="NAME")
@json_option
@db_option
def show(bot: str, as_json: bool, db: str) -> None:
    """Show every version of the bot NAME."""
    store = read_store(db)
    versions = store.bot_versions(bot)
    newest = newest_versions(versions)
    if not versions:
        raise UsageError(f"there is no bot {bot!r}: `arena bots list` shows those that there are")
    if as_json:
        print_json([plain(entry, newest) for entry in versions])
        return
    for entry in versions:
        where = "its files are not on this machine" if entry.kind == "absent" else entry.origin
        status = {LADDER: "on the ladder", OLDER: "an older version on the ladder", RETIRED: "retired"}
        facts = {
            "status": status.get(status_of(entry, {bot.id for bot in newest}), "only tried out, not on the ladder"),
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
@click.argument("bot", metavar="NAME[@VERSION]")
@db_option
def retire(bot: str, db: str) -> None:
    """Keep a bot, or one version of it, out of tournaments to come and off the ladder; its matches stay.

    \b
    arena bots retire my_bot        all of its versions
    arena bots retire my_bot@2      this one; the version before it plays again
    """
    _set_retired(open_store(db), bot, retired=True)


@bots.command()
@click.argument("bot", metavar="NAME[@VERSION]")
@db_option
def restore(bot: str, db: str) -> None:
    """Let a retired bot, or one version of it, play again."""
    _set_retired(open_store(db), bot, retired=False)


@bots.command()
@json_option
@db_option
def prune(as_json: bool, db: str) -> None:
    """Remove from a store in PostgreSQL the files that no bot refers to.

    A submission that was killed at its end leaves some, and so does an import that failed. Retired bots keep theirs.
    A store in SQLite has its files in a folder, which other stores may share, so nothing is removed there.

    --json prints removed: the digests of what is gone.
    """
    from arena.intake.bot_files import remove_unused  # noqa: PLC0415  (whoever only looks at bots needs no files)

    store = open_store(db)
    if not store.keeps_files:
        raise UsageError(f"the files of the bots of {db} lie in a folder that other stores may share: none is removed")
    removed = remove_unused(store)
    if as_json:
        print_json({"removed": removed})
    else:
        echo(f"removed the files of {counted(len(removed), 'bot')} that nothing refers to")


def _set_retired(store: Store, bot: str, *, retired: bool) -> None:
    name, _, version = bot.partition("@")
    store.retire_bot(name, version or None, retired=retired)
    playing = next((entry.label for entry in newest_versions(store.bot_versions(name))), None)
    state = "is retired" if retired else "is restored"
    then = f"{playing} is on the ladder" if playing else f"no version of {name} is on the ladder"
    echo(f"{bot} {state}: {then}")
    for entry in store.tournaments() if retired else ():
        known = [each for each in entry.field if each[0] == name and version in ("", each[1])]
        if not entry.finished and not entry.apart and set(known) - entry.excluded:
            echo(f"it still plays in tournament {entry.id}: `arena tournament exclude {entry.id} {bot}` ends that")

"""`arena status`: what is being played at present, on all nodes, as the processes that play it report."""

from collections.abc import Mapping
from typing import Any

import click
from rich.table import Table

from arena.cli.next_command import resume_command
from arena.cli.options import json_option, server_option
from arena.cli.output import cell, echo, narrow_table, plain_console, print_json
from arena.cli.store import db_option, read_store
from arena.cli.table_formats import duration
from arena.store.base import RunEntry, TournamentEntry
from arena.store.sql import Store
from arena.tournaments.settings import TEST, Settings
from arena.web.formats import counted

NODE_COLUMNS = ("tables", "running", "played", "void", "excused", "workers_ended")


@click.command()
@json_option
@server_option
@db_option
def status(as_json: bool, server: str | None, db: str) -> None:
    """Show what is being played at present, and where.

    Every process that plays a tournament with this store reports to it every two seconds: how far it is, how fast, the
    nodes and tables it plays on, and what went wrong. One that was killed is named with the time of its last report.

    \b
    arena status
    arena status --db postgresql://arena@HEAD/arena --json
    """
    if server is not None:
        from arena.cli.server_tables import print_status  # noqa: PLC0415  (see `ratings`)

        print_status(server, as_json=as_json)
        return
    store = read_store(db)
    runs = store.runs()
    if as_json:
        print_json([plain(store, run) for run in runs])
    elif runs:
        for run in runs:
            show(store, run)
    else:
        echo("nothing is being played with this store")


def plain(store: Store, run: RunEntry) -> dict[str, Any]:
    """A run as JSON has it."""
    return {
        "tournament": run.tournament_id,
        "game": store.tournament(run.tournament_id).game,
        "alive": run.alive,
        "started": run.started.isoformat(),
        "reported": run.reported.isoformat(),
        "silent_s": run.silent_s,
        **run.status,
    }


def show(store: Store, run: RunEntry) -> None:
    entry, now = store.tournament(run.tournament_id), run.status
    settings = Settings.of(entry)
    bots = counted(len(settings.field), "bot")
    echo(f"tournament {entry.id}: {entry.game}, {settings.format}, {bots}, {_progress(now)}")
    where = f"{now['executor']} with {counted(now['tables'], 'table')}, driven by process {now['pid']} on {now['host']}"
    if not run.alive:
        echo(f"  {where}, which has not reported for {duration(run.silent_s)}{_how_to_go_on(entry, settings)}")
        return
    echo(f"  {where} since {run.started:%Y-%m-%d %H:%M:%S} UTC")
    console = plain_console()
    console.print(_nodes(now))
    if now["running"]:
        console.print(_matches(now))
        if more := sum(node["running"] for node in now["nodes"]) - len(now["running"]):
            echo(f"  and {more} more that began later")
    for node in now["nodes"]:
        if node.get("cordoned"):  # a run of an earlier Arena may be left in the store
            echo(f"  the node {node['name']} is cordoned: {node['cordoned']}")


def _how_to_go_on(entry: TournamentEntry, settings: Settings) -> str:
    """What follows upon the end of a run that was killed."""
    if entry.finished:
        return ""
    return ": the same `arena test` goes on" if settings.format == TEST else f": {resume_command(entry.id, settings)}"


def _progress(now: Mapping[str, Any]) -> str:
    total = "" if now["total"] is None else f" of {now['total']}"
    faults = sum(now["faults"].values())
    return (
        f"{now['played']}{total} matches, {now['per_second']:.1f} per second, {now['void']} void, "
        f"{now['excused']} excused, {faults} lost by a fault"
    )


def _nodes(now: Mapping[str, Any]) -> Table:
    table = narrow_table("node", *(name.replace("_", " ") for name in NODE_COLUMNS))
    for node in now["nodes"]:
        table.add_row(cell(node["name"]), *(str(node[name]) for name in NODE_COLUMNS))
    return table


def _matches(now: Mapping[str, Any]) -> Table:
    table = narrow_table("table", "node", "match", "bots", "seconds")
    for match in now["running"]:
        bots = ", ".join(match["bots"])
        seconds = f"{match['seconds']:.1f}"
        table.add_row(str(match["table"]), cell(match["node"]), cell(match["match_id"]), cell(bots), seconds)
    return table

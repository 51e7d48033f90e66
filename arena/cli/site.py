"""`arena site build` and `arena serve`: the tables and replays for the browser."""

import json
import socket
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import click

from arena import registry
from arena.cli.groups import CommandGroup
from arena.cli.params import Duration, Whole
from arena.cli.store import db_option, open_store_to_read
from arena.distribution import install_hint
from arena.errors import UsageError
from arena.tournaments.formats import schedule_of
from arena.tournaments.settings import Settings
from arena.web.build import build_site
from arena.web.formats import counted
from arena.web.site import Site
from arena.web.snapshot import take_snapshot, with_histories

title_option = click.option("--title", default="Arena", show_default=True, help="What the site is called.")
OUTPUT_HELP = "With the last that bots at fault printed, which everybody can read there then."
output_option = click.option("--with-output", is_flag=True, help=OUTPUT_HELP)


@click.group(cls=CommandGroup)
def site() -> None:
    """Make a site of ladders, tournaments and replays."""


@site.command("build")
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--matches",
    type=Whole(0),
    default=1000,
    show_default=True,
    help="Build replays of this many latest matches.",
)
@title_option
@output_option
@db_option
def build(folder: Path, matches: int, title: str, with_output: bool, db: str) -> None:
    """Write the site as plain files, for any web server or none.

    All links are relative: put the folder under any path, or open its index.html in a browser. Nothing in the store
    is changed. The same command writes a newer site over an older one.

    \b
    arena site build public
    arena site build public --matches 200 --title "Spring cup"
    """
    games = registry.games()
    store = open_store_to_read(db)
    infos = {name: game.info for name, game in games.items()}
    snapshot = with_histories(store, infos, take_snapshot(store, infos))
    pages = Site(store, games, snapshot, title, planned_matches, with_output=with_output)
    made = build_site(pages, folder, matches=matches)
    more = "; older ones have no replay, see --matches" if made.left_out else ""
    click.echo(f"wrote {counted(made.files, 'page')} with {counted(made.matches, 'match')} into {folder}{more}")
    click.echo(f"open {folder / 'index.html'} in a browser, or put the folder on any web server")


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on; 0.0.0.0 is everywhere.")
@click.option("--port", type=Whole(0, 65535), default=8000, show_default=True, help="The port to listen on.")
@click.option(
    "--delay",
    type=Duration(),
    default=0.0,
    help="Delay live matches, e.g. 30s: a live page shows everything, hidden cards too.",
)
@title_option
@output_option
@db_option
def serve(host: str, port: int, delay: float, title: str, with_output: bool, db: str) -> None:
    """Serve the site from the store, and running matches move by move.

    The store is only read, so this may run beside tournaments, in a process that anybody may reach; see docs/site.md
    for how to put a proxy in front of it. Ctrl-C ends it.

    \b
    arena serve
    arena serve --port 8080 --title "Spring cup"
    """
    try:
        from arena.web.histories import histories_apart  # noqa: PLC0415  (see the message)
        from arena.web.live import Live  # noqa: PLC0415
        from arena.web.server import serve as run  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise UsageError(f"serving needs a web server ({error.name}): {install_hint('web')}") from error
    check_free(host, port)
    live = Live(
        open_store_to_read(db), registry.games(), title=title, planned=planned_matches,
        histories=lambda: histories_apart(db), delay=delay, with_output=with_output,
    )  # fmt: skip
    shown = f"[{host}]" if ":" in host else host
    run(live, host=host, port=port, started=lambda: click.echo(f"serving on http://{shown}:{port}/ (Ctrl-C ends it)"))


def check_free(host: str, port: int) -> None:
    """Refuse an address that cannot be listened on, before anything is worked out."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        raise UsageError(
            f"nothing can listen on {host} port {port}: {error.strerror or error}; choose others with --host and --port"
        ) from error


def planned_matches(settings: Mapping[str, Any]) -> int | None:
    """How many matches a tournament will have, if that is known before its end."""
    return _planned(json.dumps(settings, sort_keys=True))


@lru_cache(256)  # settings never change, and the groups of a large field take seconds
def _planned(settings: str) -> int | None:
    try:
        return schedule_of(Settings.from_json(json.loads(settings))).total()
    except (UsageError, KeyError, TypeError, ValueError):
        return None  # a format that this version does not know

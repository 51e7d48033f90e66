"""`arena ratings` and `arena crosstable`: the tables of a game."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from arena import registry
from arena.cli import table_formats
from arena.cli.options import option_group, server_option
from arena.cli.output import cell, narrow_table
from arena.cli.params import Moment, Whole
from arena.cli.store import db_option, read_store
from arena.cli.table_formats import form_options, print_table
from arena.cli.tables import print_notes, print_standings, rating_table
from arena.errors import UsageError
from arena.game import AnyGame
from arena.standings.ladder import left_out_words
from arena.standings.meetings import points_of_pairs
from arena.standings.table import Row, Standings, read_standings
from arena.store.scope import Scope
from arena.store.sql import Store
from arena.web.formats import counted

Cells = Sequence[Sequence[tuple[float, int]]]
CROSS_NAMES = 20
"""Characters for the names of bots beside a crosstable that has no room for all; a longer one is folded."""


matches_options = option_group(
    click.option("--game", "game_name", metavar="GAME", help="The game; not needed with --tournament."),
    click.option(
        "--tournament", "number", type=Whole(1), help="Only the matches of this tournament, and all of its bots."
    ),
    click.option("--latest", is_flag=True, help="Only the latest tournament, and all of its bots."),
    click.option("--tests", is_flag=True, help="Only the matches of `arena test`, which do not count otherwise."),
    click.option("--since", type=Moment(), help="Only tournaments begun since then: 2026-05-01, or 7d for a week."),
    click.option(
        "--all", "everybody", is_flag=True, help="Every version: older ones, retired ones, and those only tried out."
    ),
    form_options,
    db_option,
)
"""The options that choose which matches a table is made of, and its form."""


@click.command()
@click.option("--by", type=click.Choice(["role"]), help="A table for each role, in games that have roles.")
@server_option
@matches_options
def ratings(
    game_name: str | None, by: str | None, server: str | None, db: str, as_json: bool, as_csv: bool, html: str | None,
    columns: str | None, **given: Any,
) -> None:  # fmt: skip
    """Show the ladder of a game: its bots by their ratings.

    The newest version of every bot is there, and all rated matches count, those of older versions too.

    A rating is TrueSkill's, fitted to all matches at once, so that their order does not matter. The bar shows it with
    its 95 % interval. The rank is the 95 % interval of the bot's true place; `best` is the probability that it is the
    best of all. Below stands what a seat or a role is worth. Ratings compare only bots that have met, if only by way of
    others: until most have, the order is that of points, and later the few that have not are below, without a rating.

    \b
    The columns of --json and --csv:
      group               bots of different groups never met
      place               by rating
      name, version       of the bot; role with --by role
      owner               of the bot
      mu                  the rating
      sigma               its standard deviation
      field_sigma         the same, against the mean of the group, as in tables
      games               how many it played
      wins, draws, losses alone first, first with others, not first
      place_1, place_2 …  how often it had this place, alone or shared
      best                the probability that it is the best
      rank_low, rank_high the 95 % interval of its true place
      faults              games that it lost by a fault
    Place, rating, best and rank are empty for a bot that cannot be compared.

    \b
    arena ratings --game claim
    arena ratings --game assassins --by role
    arena ratings --game claim --columns place,name,version,mu,faults
    arena ratings --game claim --since 30d --html ratings.html
    """
    if server is not None:
        from arena.cli.server_tables import print_ratings  # noqa: PLC0415  (most tables come from the store here)

        if by or html or any(given.values()):
            raise UsageError("--server goes with --game, --json, --csv and --columns alone")
        print_ratings(server, game_name, as_json=as_json, as_csv=as_csv, columns=columns)
        return
    store = read_store(db)
    game = find_game(store, game_name, given["number"])
    scope = read_scope(store, game.info.name, given)
    table = read_standings(store, scope, game.info.roles)
    if by == "role" and not game.info.roles:
        raise UsageError(f"the seats of {game.info.name} have no roles")
    tables = dict(table.by_role) if by == "role" else {"": table.rows}
    rows = [row for role, ranked in tables.items() for row in plain_rows(ranked, role)]
    shown = table_formats.Table(
        rows,
        lambda: _page(table, tables, game),
        lambda: _print(table, tables, game) if table.rows else _say_empty(store, scope, table),
        lambda: _print_end(table),
    )
    print_table(shown, as_json=as_json, as_csv=as_csv, html=html, columns=columns)


@click.command("crosstable")
@matches_options
def show_crosstable(
    game_name: str | None, db: str, as_json: bool, as_csv: bool, html: str | None, columns: str | None, **given: Any
) -> None:
    """Show how every bot fared against every other.

    The cells are points from each pair of seats in a match: 1 for a win, a half for a draw. The bots are those
    of `arena ratings` with the same options, in the same order.

    \b
    The columns of --json and --csv:
      name, version                  of the bot
      against, against_version       of the other bot
      points, games                  of the bot against the other
    """
    store = read_store(db)
    game = find_game(store, game_name, given["number"])
    scope = read_scope(store, game.info.name, given)
    table = read_standings(store, scope, game.info.roles)
    order, cells = [row.bot for row in table.rows], table.crosstable()
    pairs = [(a, b, cells[i][j]) for i, a in enumerate(order) for j, b in enumerate(order) if i != j]
    rows = [
        {"name": a.name, "version": a.version, "against": b.name, "against_version": b.version,
         "points": points, "games": games}
        for a, b, (points, games) in pairs
    ]  # fmt: skip
    title = f"Who beat whom: {game.info.title}"
    unmet = {(a.id, b.id) for a, b, (_, games) in pairs if not games}

    def end() -> None:
        _print_end(table)
        _say_tested(store, scope, unmet)

    shown = table_formats.Table(
        rows,
        lambda: _cross_page(title, cells, table),
        lambda: _print_cross(cells, table, end) if rows else _say_empty(store, scope, table),
        end,
    )
    print_table(shown, as_json=as_json, as_csv=as_csv, html=html, columns=columns)


def find_game(store: Store, name: str | None, tournament: int | None) -> AnyGame:
    """The game of this name, or of this tournament; UsageError if neither is given."""
    if name is None and tournament is None:
        raise UsageError("which game? Give --game GAME, or --tournament ID")
    return registry.find(name or store.tournament(tournament or 0).game)


def read_scope(store: Store, game: str, given: Mapping[str, Any]) -> Scope:
    """Which matches were asked for; UsageError if the options do not go together."""
    number = given["number"]
    whole = [word for word, wanted in (("--tournament", number), ("--latest", given["latest"])) if wanted]
    parts = [word for word, wanted in (("--tests", given["tests"]), ("--since", given["since"])) if wanted]
    if len(whole) > 1 or (whole and parts):
        raise UsageError(f"choose one of {', '.join(whole + parts)}")
    if given["latest"]:
        found = store.tournament_summaries(game=game, limit=1, rated=True)
        number = found[0].entry.id if found else None
    if number is not None and (other := store.tournament(number).game) != game:
        raise UsageError(f"tournament {number} is one of {other}, not of {game}")
    return Scope(game, number, tests=given["tests"], since=given["since"], everybody=given["everybody"])


def _page(table: Standings, tables: Mapping[str, Sequence[Row]], game: AnyGame) -> str:
    from arena.web.reports import ratings_page  # noqa: PLC0415  (who reads in the terminal need not wait for templates)

    return ratings_page(f"Ratings: {game.info.title}", tables, table)


def _cross_page(title: str, cells: Cells, table: Standings) -> str:
    from arena.web.reports import crosstable_page  # noqa: PLC0415  (see `_page`)

    return crosstable_page(title, [row.bot.label for row in table.rows], cells, table.notes)


def _print(table: Standings, tables: Mapping[str, Sequence[Row]], game: AnyGame) -> None:
    console = Console()
    if tables.keys() == {""}:
        print_standings(table, game.info.title, console)
    else:
        for role, rows in tables.items():
            console.print(rating_table(rows, f"{game.info.title}, as {role}", console.width))
            console.print()
        print_notes(table, console)
    _say_left_out(table)


def _print_end(table: Standings) -> None:
    print_notes(table, Console())
    _say_left_out(table)


def _say_empty(store: Store, scope: Scope, table: Standings) -> None:
    name = scope.game
    if table.selection.left_out:
        click.echo(
            f"no bot is on the ladder of {name} ({left_out_words(table.selection)}): --all shows who played, "
            "`arena submit` hands a bot in"
        )
    elif scope.tests:
        click.echo(f"no tests of {name} yet: `arena test NEW OLD --game {name}` makes one")
    elif scope.since is not None:
        click.echo(f"no tournament of {name} has begun since then: without --since all count")
    elif store.tallies(Scope(name, tests=True)):
        click.echo(f"no rated matches of {name} yet, only tests: --tests shows them")
    elif found := store.tournament_summaries(game=name, limit=1, apart=True):
        click.echo(
            f"no rated matches of {name} yet, only what was imported: --tournament {found[0].entry.id} shows the latest"
        )
    else:
        click.echo(f"no matches of {name} yet: `arena tournament --game {name}` plays some")


def _say_tested(store: Store, scope: Scope, unmet: Collection[tuple[int, int]]) -> None:
    """Say of bots that have not met in the matches of the ladder that they have in tests."""
    if not unmet or scope.tests or scope.tournament_id is not None:
        return
    tested = points_of_pairs(store.tallies(Scope(scope.game, tests=True))).keys() & unmet
    if tested:
        click.echo(f"{counted(len(tested) // 2, 'pair')} met only in tests, which are not rated: --tests shows them")


def _say_left_out(table: Standings) -> None:
    if table.selection.left_out:
        click.echo(f"versions not shown: {left_out_words(table.selection)}; --all shows them")


def _print_cross(cells: Cells, table: Standings, end: Callable[[], None]) -> None:
    order = [row.bot.label for row in table.rows]
    console = Console()
    texts = [[f"{points:g}/{games}" if games else "·" for points, games in row] for row in cells]
    widest = max(len(text) for row in texts for text in row) + len("  ")
    room, longest = console.width - len(f"{len(order)}  "), max(map(len, order))
    names = longest if longest + widest * len(order) <= room else min(longest, CROSS_NAMES)
    at_once = max(1, (room - names) // widest)
    for first in range(0, len(order), at_once):
        console.print(end="\n" if first else "")
        console.print(_cross_part(order, texts, range(first, min(first + at_once, len(order))), names))
    end()


def _cross_part(order: Sequence[str], texts: Sequence[Sequence[str]], columns: range, names: int) -> Table:
    """The table against these bots alone: as many as there is room for."""
    table = narrow_table()
    table.add_column("#", justify="right")
    table.add_column("bot", overflow="fold", max_width=names)
    for column in columns:
        table.add_column(str(column + 1), justify="right", no_wrap=True)
    for number, (bot, row) in enumerate(zip(order, texts), 1):
        table.add_row(*map(cell, (str(number), bot, *(row[column] for column in columns))))
    return table


def plain_rows(rows: Sequence[Row], role: str = "") -> list[dict[str, Any]]:
    """A table as plain data; `arena ratings --help` explains it."""
    found = []
    for row in rows:
        known, skill = row.rating, ("mu", "sigma", "field_sigma")
        low, high = known.ranks
        found.append({
            "group": known.group if known.games else None, "place": row.place or None,
            "name": row.bot.name, "version": row.bot.version, "owner": row.bot.owner,
            **({"role": role} if role else {}),
            **{name: getattr(known, name) if row.comparable else None for name in skill},
            **{name: getattr(known, name) for name in ("games", "wins", "draws", "losses")},
            **{f"place_{number}": count for number, count in enumerate(known.places, 1)},
            **dict(zip(("best", "rank_low", "rank_high"), (known.best, low, high) if row.comparable else (None,) * 3)),
            "faults": row.faults,
        })  # fmt: skip
    return found

"""`arena ratings` and `arena crosstable`: the tables of a game."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from arena import registry
from arena.cli import table_formats
from arena.cli.options import option_group
from arena.cli.output import cell
from arena.cli.store import db_option, open_store
from arena.cli.table_formats import form_options, print_table
from arena.cli.tables import print_standings, rating_table
from arena.errors import UsageError
from arena.game import AnyGame
from arena.ratings import Rating, crosstable
from arena.ratings.standings import Standings, results_of, stored_standings
from arena.store.base import BotEntry, Store
from arena.store.lookup import bots_in
from arena.web.reports import crosstable_page, ratings_page

Cells = Sequence[Sequence[tuple[float, int]]]


matches_options = option_group(
    click.option("--game", "game_name", metavar="GAME", required=True, help="The game."),
    click.option("--tournament", "number", type=int, help="Only the matches of this tournament."),
    form_options,
    db_option,
)
"""The options that choose which matches a table is made of, and its form."""


@click.command()
@click.option("--by", type=click.Choice(["role"]), help="A table for each role, in games that have roles.")
@matches_options
def ratings(game_name: str, number: int | None, by: str | None, db: str, **form: Any) -> None:
    """Show the ratings of all bots of a game.

    A rating is TrueSkill's, fitted to all matches at once, so that their order does not matter. The bar shows it with
    its 95 % interval. The rank is the 95 % interval of the bot's true place; `best` is the probability that it is the
    best of all. Below stands what a seat or a role is worth.

    \b
    arena ratings --game claim
    arena ratings --game assassins --by role
    arena ratings --game claim --html ratings.html
    """
    game, store = registry.find(game_name), open_store(db)
    table = stored_standings(
        store, _bots(store, game_name, number), game.info.roles, tournament_id=number, game=game_name
    )
    if by == "role" and not game.info.roles:
        raise UsageError(f"the seats of {game_name} have no roles")
    tables = dict(table.by_role) if by == "role" else {"": table.rows}
    rows = [_row(row, role, table) for role, ratings in tables.items() for row in ratings]
    shown = table_formats.Table(
        rows, lambda: ratings_page(f"Ratings: {game.info.title}", tables, table), lambda: _print(table, tables, game)
    )
    print_table(shown, **form)


@click.command("crosstable")
@matches_options
def show_crosstable(game_name: str, number: int | None, db: str, **form: Any) -> None:
    """Show how every bot fared against every other.

    The cells are points of games, two seats of a match at a time: 1 for a win, a half for a draw.
    """
    game, store = registry.find(game_name), open_store(db)
    order, cells = _cross(store, game, number)
    pairs = [(a, b, cells[i][j]) for i, a in enumerate(order) for j, b in enumerate(order) if i != j]
    rows = [{"bot": a, "against": b, "points": points, "games": games} for a, b, (points, games) in pairs]
    title = f"Who beat whom: {game.info.title}"
    print_table(
        table_formats.Table(
            rows, lambda: crosstable_page(title, order, cells), lambda: _print_cross(order, cells, game)
        ),
        **form,
    )


def _bots(store: Store, game: str, number: int | None) -> list[BotEntry]:
    """Every bot that played this game, in this tournament if there is one."""
    if number is not None and (other := store.tournament(number).game) != game:
        raise UsageError(f"tournament {number} is one of {other}, not of {game}")
    return bots_in(store, tournament_id=number, game=game)


def _cross(store: Store, game: AnyGame, number: int | None) -> tuple[list[str], Cells]:
    """The bots from the best down, and points and games of each against each."""
    name, roles = game.info.name, game.info.roles
    field = _bots(store, name, number)
    order = [row.bot for row in stored_standings(store, field, roles, tournament_id=number, game=name).rows]
    results = results_of(store.tallies(tournament_id=number, game=name), field, roles)
    points, games = crosstable(results)
    place = {bot: results.bots.index(bot) for bot in order}
    return order, [[(float(points[place[a], place[b]]), int(games[place[a], place[b]])) for b in order] for a in order]


def _print(table: Standings, tables: Mapping[str, Sequence[Rating]], game: AnyGame) -> None:
    console = Console()
    if not table.rows:
        _say_empty(game)
        return
    if tables.keys() == {""}:
        print_standings(table, game.info.title, console)
        return
    for role, rows in tables.items():
        console.print(rating_table(rows, {}, f"{game.info.title}, as {role}"))


def _say_empty(game: AnyGame) -> None:
    click.echo(f"no matches of {game.info.name} yet: `arena tournament --game {game.info.name}` plays some")


def _print_cross(order: Sequence[str], cells: Cells, game: AnyGame) -> None:
    if not order:
        _say_empty(game)
        return
    table = Table("#", "bot", box=SIMPLE_HEAD)
    for number in range(1, len(order) + 1):
        table.add_column(str(number), justify="right", no_wrap=True)
    for number, (bot, row) in enumerate(zip(order, cells), 1):
        table.add_row(str(number), cell(bot), *(f"{points:g}/{games}" if games else "·" for points, games in row))
    Console().print(table)


def _row(row: Rating, role: str, table: Standings) -> dict[str, Any]:
    plain = asdict(row)
    low, high = plain.pop("ranks")
    named = {"role": role} if role else {}
    faults = {} if role else {"faults": table.faults.get(row.bot, 0)}
    return {**named, **plain, "rank_low": low, "rank_high": high, **faults}

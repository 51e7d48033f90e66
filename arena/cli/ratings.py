"""`arena ratings`, `arena crosstable` and `arena history`: the tables."""

import csv
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from arena import registry
from arena.cli.store import db_option, find_bot, open_store
from arena.cli.tables import print_standings, rating_table
from arena.errors import UsageError
from arena.game import AnyGame
from arena.ratings import Rating, crosstable
from arena.standings import Standings, results_of, standings
from arena.store.base import BotEntry, MatchEntry, Store


def matches_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that choose which matches a table is made of, and its form."""
    options = (
        click.option("--game", "game_name", metavar="GAME", required=True, help="The game."),
        click.option("--tournament", "number", type=int, help="Only the matches of this tournament."),
        click.option("--json", "form", flag_value="json", help="Print JSON."),
        click.option("--csv", "form", flag_value="csv", help="Print CSV."),
        db_option,
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command()
@click.option("--by", type=click.Choice(["role"]), help="A table for each role, in games that have roles.")
@matches_options
def ratings(game_name: str, number: int | None, form: str | None, by: str | None, db: str) -> None:
    """Show the ratings of all bots of a game.

    A rating is TrueSkill's, fitted to all matches at once, so that their order does not matter. The rank is the 95 %
    interval of the bot's true place; `best` is the probability that it is the best of all.
    """
    game = registry.find(game_name)
    store = open_store(db)
    kept = store.matches(tournament_id=number, game=game_name)
    table = standings(kept, bots_in(store, kept), game.info.roles)
    if by == "role" and not game.info.roles:
        raise UsageError(f"the seats of {game_name} have no roles")
    tables = dict(table.by_role) if by == "role" else {"": table.rows}
    if form is None:
        _print(table, tables, game)
    else:
        print_rows([_row(row, role, table) for role, rows in tables.items() for row in rows], form)


@click.command("crosstable")
@matches_options
def show_crosstable(game_name: str, number: int | None, form: str | None, db: str) -> None:
    """Show how every bot fared against every other: points of games, two seats of a match at a time."""
    game, store = registry.find(game_name), open_store(db)
    kept = store.matches(tournament_id=number, game=game_name)
    field = bots_in(store, kept)
    order = [row.bot for row in standings(kept, field, game.info.roles).rows]
    results = results_of(kept, field, game.info.roles)
    points, games = crosstable(results)
    place = {bot: results.bots.index(bot) for bot in order}
    cells = [[(points[place[a], place[b]], games[place[a], place[b]]) for b in order] for a in order]
    if form is not None:
        pairs = ((a, b, cells[i][j]) for i, a in enumerate(order) for j, b in enumerate(order) if i != j)
        print_rows([{"bot": a, "against": b, "points": float(c[0]), "games": int(c[1])} for a, b, c in pairs], form)
        return
    table = Table("#", "bot", *map(str, range(1, len(order) + 1)), box=SIMPLE_HEAD)
    for number_, (bot, row) in enumerate(zip(order, cells), 1):
        table.add_row(str(number_), escape(bot), *(f"{p:g}/{g}" if g else "·" for p, g in row))
    Console().print(table)


@click.command()
@click.argument("name", metavar="BOT")
@click.option("--last", type=click.IntRange(1), default=20, show_default=True, help="How many matches.")
@click.option("--json", "form", flag_value="json", help="Print JSON.")
@click.option("--csv", "form", flag_value="csv", help="Print CSV.")
@db_option
def history(name: str, last: int, form: str | None, db: str) -> None:
    """Show the latest matches of BOT (a name, or name@version)."""
    store = open_store(db)
    bot = find_bot(store, name)
    label = {entry.id: entry.label for entry in _everybody(store)}
    mine = [match for match in store.matches() if any(seat.bot_id == bot.id for seat in match.seats)]
    rows = [_history_row(match, bot.id, label) for match in mine[-last:]]
    if form is not None:
        print_rows(rows, form)
        return
    table = Table(*(rows[0] if rows else ("match",)), box=SIMPLE_HEAD)
    for row in rows:
        table.add_row(*(escape(str(value)) for value in row.values()))
    Console().print(table)


def bots_in(store: Store, matches: Sequence[MatchEntry]) -> list[BotEntry]:
    """Every bot that played in these matches."""
    playing = {seat.bot_id for match in matches for seat in match.seats}
    return [bot for bot in _everybody(store) if bot.id in playing]


def print_rows(rows: Sequence[dict[str, Any]], form: str) -> None:
    """Rows of plain data as JSON or CSV."""
    if form == "json":
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    elif rows:
        writer = csv.DictWriter(sys.stdout, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _everybody(store: Store) -> list[BotEntry]:
    return [entry for bot in store.bots(retired=True) for entry in store.bot_versions(bot.name)]


def _print(table: Standings, tables: Mapping[str, Sequence[Rating]], game: AnyGame) -> None:
    console = Console()
    if tables.keys() == {""}:
        print_standings(table, game.info.title, console)
        return
    for role, rows in tables.items():
        console.print(rating_table(rows, {}, f"{game.info.title}, as {role}"))


def _row(row: Rating, role: str, table: Standings) -> dict[str, Any]:
    plain = asdict(row)
    low, high = plain.pop("ranks")
    named = {"role": role} if role else {}
    return {**named, **plain, "rank_low": low, "rank_high": high, "faults": table.faults.get(row.bot, 0)}


def _history_row(match: MatchEntry, bot_id: int, label: dict[int, str]) -> dict[str, Any]:
    seat = next(seat for seat, result in enumerate(match.seats) if result.bot_id == bot_id)
    mine = match.seats[seat]
    others = [label[result.bot_id] for result in match.seats if result.bot_id != bot_id]
    return {
        "match": match.match_id,
        "tournament": match.tournament_id,
        "seat": seat,
        "against": ", ".join(others),
        "rank": mine.rank,
        "score": mine.score,
        "ending": mine.ending,
        "reason": match.reason,
    }

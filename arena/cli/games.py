"""`arena games` and `arena rules`."""

from collections.abc import Iterator
from typing import Any

import click
from rich.console import Console

from arena import registry
from arena.cli.options import json_option
from arena.cli.output import cell, plain_console, print_json
from arena.game import GameInfo

INDENT = " " * 11
"""Before the lines that say more about a game."""


@click.command()
@json_option
def games(as_json: bool) -> None:
    """List the games, with their seats, roles and options.

    \b
    arena games
    arena match --game rrr --option setup=draft --option rounds=1
    """
    found = [game.info for game in registry.games().values()]
    if as_json:
        print_json([_plain(info) for info in found])
        return
    console = plain_console()
    for info in found:
        console.print(f"{info.name:<{len(INDENT)}}", end="", style="bold", markup=False)
        console.print(cell(f"{info.title}, {_seats(info)}"))
        for line in (info.summary, *_options(info)):
            text = click.wrap_text(line, console.width, INDENT, f"{INDENT}  ")
            console.print(text, markup=False, soft_wrap=True)
    click.echo("\n--option NAME=VALUE chooses an option of a game; the first value is the default.")


@click.command()
@click.argument("game")
@click.option("--plain", is_flag=True, help="Print the Markdown as it is.")
def rules(game: str, plain: bool) -> None:
    """Print the rules of GAME."""
    text = registry.find(game).rules()
    if plain:
        click.echo(text)
    else:
        from rich.markdown import Markdown  # noqa: PLC0415  (nothing else needs it, and it takes a tenth of a second)

        Console().print(Markdown(text))


def _plain(info: GameInfo) -> dict[str, Any]:
    options = {
        option.name: {"choices": list(option.choices), "default": option.default, "help": option.help}
        for option in info.options
    }
    return {
        "name": info.name,
        "title": info.title,
        "summary": info.summary,
        "min_seats": info.min_seats,
        "max_seats": info.max_seats,
        "roles": list(info.roles),
        "options": options,
    }


def _seats(info: GameInfo) -> str:
    count = str(info.min_seats) if info.min_seats == info.max_seats else f"{info.min_seats} to {info.max_seats}"
    return f"{count} seats: {', '.join(info.roles)}" if info.roles else f"{count} seats"


def _options(info: GameInfo) -> Iterator[str]:
    for option in info.options:
        others = [choice for choice in option.choices if choice != option.default]
        yield f"{option.name}={'|'.join((option.default, *others))}  {option.help}"

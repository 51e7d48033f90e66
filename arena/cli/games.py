"""`arena games` and `arena rules`."""

import click
from rich.console import Console
from rich.table import Table

from arena import registry
from arena.game import GameInfo


@click.command()
def games() -> None:
    """List the games, with their seats, roles and options."""
    table = Table("game", "title", "seats", "options (the default first)", "what it is", show_lines=True)
    for game in registry.games().values():
        info = game.info
        table.add_row(info.name, info.title, _seats(info), _options(info), info.summary)
    Console().print(table)


@click.command()
@click.argument("game")
@click.option("--plain", is_flag=True, help="Print the Markdown as it is.")
def rules(game: str, plain: bool) -> None:
    """Print the rules of GAME, with what is the rulebook's and what is ours."""
    text = registry.find(game).rules()
    if plain:
        click.echo(text)
    else:
        from rich.markdown import Markdown  # noqa: PLC0415  (nothing else needs it, and it takes a tenth of a second)

        Console().print(Markdown(text))


def _seats(info: GameInfo) -> str:
    count = str(info.min_seats) if info.min_seats == info.max_seats else f"{info.min_seats}-{info.max_seats}"
    return f"{count}: {', '.join(info.roles)}" if info.roles else count


def _options(info: GameInfo) -> str:
    lines = []
    for option in info.options:
        others = [choice for choice in option.choices if choice != option.default]
        lines.append(f"{option.name}={'|'.join((option.default, *others))}\n  {option.help}")
    return "\n".join(lines)

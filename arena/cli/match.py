"""`arena match`: one match, now."""

import asyncio
import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from arena import record, registry
from arena.builtin import BUILTIN
from arena.clock import TimeControl
from arena.errors import UsageError
from arena.game import AnyGame
from arena.links.local import LocalLink
from arena.match import Contestant, MatchRecord, MatchSpec
from arena.player import Player
from arena.referee import play
from arena.sdk import Session

MAX_SEED = 2**64 - 1


class Setting(click.ParamType[tuple[str, str]]):
    """An option of a game, written NAME=VALUE."""

    name = "NAME=VALUE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """The name and the value."""
        name, equals, setting = str(value).partition("=")
        if not equals:
            self.fail(f"{value!r} is not of the form NAME=VALUE", param, ctx)
        return name, setting


class ClockType(click.ParamType[TimeControl]):
    """A time control such as 1s/move+10s."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> TimeControl:
        """The time control that the text means."""
        try:
            return value if isinstance(value, TimeControl) else TimeControl.parse(value)
        except UsageError as error:
            self.fail(str(error), param, ctx)


@click.command()
@click.option("--game", "game_name", required=True, metavar="GAME", help="The game to play; `arena games` lists them.")
@click.option(
    "--bot",
    "bots",
    multiple=True,
    metavar="BOT",
    help="Who plays, once per seat: random or first. One bot takes every seat.",
)
@click.option("--seats", type=int, help="How many seats, for games that can have more than two.")
@click.option("--option", "settings", type=Setting(), multiple=True, help="An option of the game, such as board=b.")
@click.option("--seed", type=click.IntRange(0, MAX_SEED), help="The seed of all chance; drawn at random if not given.")
@click.option(
    "--clock",
    type=ClockType(),
    default="1s/move+10s",
    show_default=True,
    help="Time per move + bank, or bank + increment (30s+0.5s).",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write the record of the match to this file.",
)
def match(
    game_name: str, bots: Sequence[str], seats: int | None, settings: Sequence[tuple[str, str]],
    seed: int | None, clock: TimeControl, out: Path | None,
) -> None:  # fmt: skip
    r"""Play one match and show how it ended.

    \b
    arena match --game claim --bot random --bot first --seed 7 --out game.arena
    arena replay show game.arena
    """
    if out and not out.absolute().parent.is_dir():
        raise UsageError(f"{out} cannot be written: there is no folder {out.parent}")
    game = registry.find(game_name)
    names = seat_bots(game, bots, seats)
    config = game.configure(len(names), dict(settings))
    seed = secrets.randbits(32) if seed is None else seed
    contestants = tuple(Contestant(name) for name in names)
    match_id = record.match_id(game, config, seed, contestants)
    spec = MatchSpec(match_id, game.info.name, config, seed, contestants, clock)
    players = [Player(game.codec, local_link(game, name, seed), clock) for name in names]
    result = asyncio.run(play(game, players, spec))
    show_result(game, result)
    if out:
        record.save(out, result, game)
        click.echo(f"record: {out}")
    if result.void:
        raise click.ClickException("the match is void, through no fault of a bot")


def seat_bots(game: AnyGame, bots: Sequence[str], seats: int | None) -> list[str]:
    """The bot of every seat; one bot takes all seats, none means random ones."""
    names = list(bots) or ["random"]
    wanted = seats or max(len(names), game.info.min_seats)
    game.info.check_seats(wanted)
    if len(names) == 1:
        names *= wanted
    if len(names) != wanted:
        raise UsageError(f"{wanted} seats need {wanted} bots, or one for all of them, but {len(names)} were named")
    for name in names:
        if name not in BUILTIN:
            raise UsageError(f"there is no bot {name!r}: choose {', '.join(BUILTIN)}")
    return names


def local_link(game: AnyGame, name: str, seed: int) -> LocalLink:
    """A link to a new built-in bot."""
    return LocalLink(Session(game, BUILTIN[name](seed)).handle, time.perf_counter)


def show_result(game: AnyGame, result: MatchRecord[Any, Any]) -> None:
    """Print who played, how it ended and how long it took."""
    spec, roles = result.spec, game.info.roles
    table = Table("seat", "bot", *(["role"] if roles else []), "rank", "score", "time", "moves", "verdict")
    for seat, bot in enumerate(spec.contestants):
        mine = [each for each in result.played if each.seat == seat]
        row = [str(seat), escape(bot.name), *([roles[seat]] if roles else [])]
        ranked = bool(result.outcome.ranks)
        row += [str(result.outcome.ranks[seat]), f"{result.outcome.scores[seat]:g}"] if ranked else ["-", "-"]
        row += [f"{sum(each.times.wall for each in mine) / 1e6:.3f} s", str(len(mine))]
        table.add_row(*row, escape(result.verdicts[seat].sentence))
    console = Console()
    console.print(
        f"{game.info.title}, seed {spec.seed}, clock {spec.control}: [bold]{escape(result.outcome.reason)}[/bold]"
    )
    console.print(table)

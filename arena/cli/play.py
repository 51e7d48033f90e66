"""`arena play`: a person against bots, in the terminal."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from arena import registry
from arena.cli.one_match import check_folder, finish, plan_match, play_now, show_result
from arena.cli.output import echo, marked, plain_console
from arena.cli.params import SEED_HELP, Seed, Setting, Whole, clock_option
from arena.cli.person import PERSON
from arena.cli.sandbox_options import sandbox_options
from arena.cli.store import default_path
from arena.clock import TimeControl
from arena.errors import UsageError
from arena.game import AnyGame
from arena.match import MatchSpec, Seat


@click.command()
@click.argument("game_name", metavar="GAME")
@click.option(
    "--against", "opponents", multiple=True, metavar="BOT",
    help="Who plays against you, as in `arena match`; random if not given, and one bot takes every other seat.",
)  # fmt: skip
@click.option("--seat", type=Whole(0), default=0, show_default=True, help="Where you sit.")
@click.option("--seats", type=Whole(1), help="How many seats, for games that can have more than two.")
@click.option("--option", "settings", type=Setting(), multiple=True, help="An option of the game, such as board=b.")
@click.option("--seed", type=Seed(), help=SEED_HELP)
@clock_option
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the record of the match here.")
@sandbox_options
def play(
    game_name: str,
    opponents: Sequence[str],
    seat: Seat,
    seats: int | None,
    settings: Sequence[tuple[str, str]],
    seed: int | None,
    clock: TimeControl,
    out: Path | None,
    **given: Any,
) -> None:
    """Play GAME yourself, in the terminal.

    You see what your seat may know and the legal moves in words. Type the number of a move, or some of its words to
    narrow the list; ? helps, rules shows the rules, q gives up. You have no clock; the bots have theirs, and are held
    in their sandboxes. Without a terminal, with TERM=dumb, or in a window that is too small for the position, it is
    all printed line by line, for screen readers and programs.

    \b
    arena play claim
    arena play assassins --seat 1 --against greedy --out game.arena
    arena play kingdoms --seats 4
    """
    check_folder(out)
    game = registry.find(game_name)
    spec, plans = plan_match(game, seat_all(game, opponents, seat, seats), settings, seed, clock, given)
    introduce(game, spec, seat)
    played = play_now(game, plans, spec, seed_given=seed is not None)
    show_result(game, played.record)
    finish(game, played.record, out or (last := _last_game()))
    if not out and last:
        echo(f"`arena replay show {last}` plays it again; your next game takes its place, and --out keeps one")


def _last_game() -> Path | None:
    """Where the record of a game is kept for which nobody named a file; nowhere if there can be no such folder."""
    path = default_path().with_name("last-game.arena")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
    return path if os.access(path.parent, os.W_OK) else None


def seat_all(game: AnyGame, opponents: Sequence[str], seat: Seat, seats: int | None) -> list[str]:
    """Who sits in every seat; UsageError if the opponents do not fit in."""
    others = list(opponents) or ["random"]
    total = seats or max(len(others) + 1, game.info.min_seats)
    game.info.check_seats(total)
    if len(others) == 1:
        others *= total - 1
    if len(others) != total - 1:
        raise UsageError(f"{total} seats leave room for {total - 1} opponents, but {len(others)} were named")
    if seat >= total:
        raise UsageError(f"there is no seat {seat}: seats are 0 to {total - 1}")
    return [*others[:seat], PERSON, *others[seat:]]


def introduce(game: AnyGame, spec: MatchSpec[Any], seat: Seat) -> None:
    """Say who sits where."""
    console = plain_console()
    console.print(f"[bold]{game.info.title}[/bold], seed {spec.seed}; `arena rules {game.info.name}` explains it")
    for number, bot in enumerate(spec.contestants):
        role = f", {game.info.roles[number]}" if game.info.roles else ""
        name = "[bold]you[/bold]" if number == seat else marked(f"{bot.name} {bot.version}".strip())
        console.print(f"  seat {number}{role}: {name}")

"""`arena match`: one match, now."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from arena.cli.options import json_option
from arena.cli.params import SEED_HELP, Seed, Setting, Whole, clock_option
from arena.cli.sandbox_options import sandbox_options
from arena.clock import TimeControl

STRIKES_HELP = (
    "Number of late, illegal or invalid replies per bot that are replaced by a random move; the next one forfeits."
)


@click.command()
@click.option("--game", "game_name", required=True, metavar="GAME", help="The game to play; `arena games` lists them.")
@click.option("--bot", "bots", multiple=True, metavar="BOT", help="Who plays, once per seat; one bot takes every seat.")
@click.option("--seats", type=Whole(1), help="How many seats, for games that can have more than two.")
@click.option("--option", "settings", type=Setting(), multiple=True, help="An option of the game, such as board=b.")
@click.option("--seed", type=Seed(), help=SEED_HELP)
@clock_option
@click.option("--strikes", type=Whole(0), default=0, show_default=True, help=STRIKES_HELP)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the record of the match here.")
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), help="Write its replay as one page here.")
@click.option("--log", "logs", is_flag=True, help="Print what every bot printed, by move, not only of those at fault.")
@json_option
@sandbox_options
def match(
    game_name: str,
    bots: Sequence[str],
    seats: int | None,
    settings: Sequence[tuple[str, str]],
    seed: int | None,
    clock: TimeControl,
    strikes: int,
    out: Path | None,
    html: Path | None,
    logs: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Play one match and show how it ended.

    A BOT is random or first (players inside the referee), greedy, policy or search (sample bots), a folder with a
    bot.toml, a container image, grpc://host:port of a bot that you started yourself, or human: you, in this terminal
    (see also `arena play`).

    \b
    arena match --game claim --bot greedy --bot random --seed 7 --out game.arena
    arena replay show game.arena
    arena match --game claim --bot greedy --html game.html
    """
    # The help page need not wait for the games and the sandboxes.
    from arena import registry  # noqa: PLC0415
    from arena.cli import one_match  # noqa: PLC0415
    from arena.cli.output import print_json  # noqa: PLC0415

    for path in (out, html):
        one_match.check_folder(path)
    game = registry.find(game_name)
    names = one_match.seat_bots(game, bots, seats)
    spec, plans = one_match.plan_match(game, names, settings, seed, clock, given)
    played = one_match.play_now(game, plans, spec, strikes, seed_given=seed is not None)
    if as_json:
        print_json(one_match.plain(game, played.record))
    else:
        one_match.show_result(game, played.record)
    one_match.show_logs(played, everybody=logs)
    one_match.finish(game, played.record, out, html, to_stderr=as_json)

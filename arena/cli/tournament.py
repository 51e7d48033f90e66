"""`arena tournament`: everybody against everybody, and the table."""

import asyncio
import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click
from rich.console import Console

from arena import registry
from arena.cli.boxes import BoxOptions, box_options, read_box_options
from arena.cli.field import choose_field, choose_sandbox, running_bot
from arena.cli.params import MAX_SEED, SEED_HELP, ClockType, Setting, draw_seed
from arena.cli.progress import Report
from arena.cli.store import db_option, find_bot, open_store
from arena.cli.tables import print_standings
from arena.errors import InfraError, UsageError
from arena.executors.local import LocalExecutor
from arena.game import AnyGame
from arena.heartbeat import ThreadHeartbeat
from arena.referee import Policy
from arena.sandboxes import sweep
from arena.sandboxes.base import Limits
from arena.standings import standings
from arena.store.base import BotEntry, Store, TournamentEntry
from arena.tournament import FORMATS, Settings, Tournament


@click.group(invoke_without_command=True)
@click.option("--game", "game_name", metavar="GAME", help="The game to play; `arena games` lists them.")
@click.option(
    "--bots", metavar="BOT,BOT…", help="Who takes part: names in the store, or folders. All of the game if not given."
)
@click.option(
    "--format", "kind", type=click.Choice(FORMATS), default="round-robin", show_default=True, help="Who meets whom."
)
@click.option(
    "--rounds",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Deals that every group plays, from every seat.",
)
@click.option("--seats", type=int, help="How many seats, for games that can have more than two.")
@click.option("--option", "options", type=Setting(), multiple=True, help="An option of the game, such as board=b.")
@click.option("--seed", type=click.IntRange(0, MAX_SEED), help=SEED_HELP)
@click.option("--clock", type=ClockType(), default="200ms/move+5s", show_default=True, help="As in `arena match`.")
@click.option("--strikes", type=click.IntRange(0), default=0, show_default=True, help="As in `arena match`.")
@click.option(
    "--fresh",
    type=click.Choice(["pairing", "match"]),
    default="pairing",
    show_default=True,
    help="Start the bots anew for each pairing, and keep them warm in between, or for each match.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1),
    default=None,
    help="Matches at once; what the processors allow if not given.",
)
@box_options
@db_option
@click.pass_context
def tournament(ctx: click.Context, /, **given: Any) -> None:
    r"""Play a tournament and show the rating table.

    Every group of bots plays the same deals with the seats rotated. Ctrl-C lets the running matches end; the same
    command, or `arena tournament resume ID`, goes on where it stopped.

    \b
    arena tournament --game assassins
    arena tournament --game kingdoms --seats 4 --rounds 2
    """
    if ctx.invoked_subcommand is not None:
        return
    if not given["game_name"]:
        raise UsageError("say which game is played: arena tournament --game assassins")
    game = registry.find(given["game_name"])
    store = open_store(given["db"])
    field = choose_field(store, game.info.name, [name for name in (given["bots"] or "").split(",") if name])
    settings = with_seed(read_settings(game, field, given), given["seed"], store)
    settings.schedule()  # refuses what cannot be played before anything is kept
    entry = store.begin_tournament(game.info.name, settings.to_json())
    play(entry, field, store, given["concurrency"])


@tournament.command()
@click.argument("number", metavar="ID", type=int)
@click.option("--concurrency", type=click.IntRange(1), default=None, help="Matches at once.")
@db_option
def resume(number: int, concurrency: int | None, db: str) -> None:
    """Go on with the tournament of this ID where it stopped."""
    store = open_store(db)
    entry = store.tournament(number)
    settings = Settings.from_json(entry.settings)
    field = [find_bot(store, f"{name}@{version}") for name, version, _ in settings.bots]
    play(entry, field, store, concurrency)


@tournament.command("list")
@db_option
def list_tournaments(db: str) -> None:
    """Show the tournaments in the store."""
    store = open_store(db)
    for entry in store.tournaments():
        settings = Settings.from_json(entry.settings)
        played, state = len(store.matches(tournament_id=entry.id)), "complete" if entry.finished else "to be resumed"
        click.echo(f"{entry.id}: {entry.game}, {settings.format}, {len(settings.bots)} bots, {played} matches, {state}")


def read_settings(game: AnyGame, field: Sequence[BotEntry], given: dict[str, Any]) -> Settings:
    """All that is decided before the first match."""
    seats = given["seats"] or game.info.min_seats
    game.info.check_seats(seats)
    boxes = choose_sandbox(field, read_box_options(given))
    return Settings(
        game=game.info.name,
        options=game.info.choose(dict(given["options"])),
        seats=seats,
        format=given["kind"],
        rounds=given["rounds"],
        seed=given["seed"] or 0,
        clock=str(given["clock"]),
        strikes=given["strikes"],
        sandbox=boxes.sandbox,
        memory_bytes=boxes.limits.memory_bytes,
        cpus=boxes.limits.cpus,
        ponder=boxes.ponder,
        fresh=given["fresh"] == "match",
        bots=tuple((bot.name, bot.version, bot.digest) for bot in field),
    )


def with_seed(settings: Settings, seed: int | None, store: Store) -> Settings:
    """The settings with the seed that was given, or that of the same tournament if it was stopped, or a new one."""
    if seed is not None:
        return settings
    for entry in store.tournaments(settings.game):
        earlier = Settings.from_json(entry.settings)
        if not entry.finished and replace(earlier, seed=settings.seed) == settings:
            return earlier
    return replace(settings, seed=draw_seed())


def play(entry: TournamentEntry, field: Sequence[BotEntry], store: Store, concurrency: int | None) -> None:
    """Play what is missing and print the table."""
    game, settings = registry.find(entry.game), Settings.from_json(entry.settings)
    running = Tournament(game, entry, field, store)
    complete = asyncio.run(_run(game, settings, field, running, concurrency or default_concurrency(settings.cpus)))
    table = standings(store.matches(tournament_id=running.id), field, game.info.roles)
    print_standings(table, f"{game.info.title}, tournament {running.id}", Console())
    if running.void:
        raise InfraError(f"{running.void} matches are void through no fault of a bot: resume to play them again")
    if not complete:
        click.echo(f"stopped; go on with: arena tournament resume {running.id}")


async def _run(
    game: AnyGame, settings: Settings, field: Sequence[BotEntry], running: Tournament, concurrency: int
) -> bool:
    boxes = BoxOptions(
        settings.sandbox, Limits(memory_bytes=settings.memory_bytes, cpus=settings.cpus), settings.ponder
    )
    await sweep()
    with ThreadHeartbeat() as heartbeat, Report(running.played, running.total()) as report:
        executor = LocalExecutor(
            game,
            lambda number: running_bot(field[number], boxes),
            concurrency=concurrency,
            policy=Policy(settings.strikes),
            heartbeat=heartbeat,
            fresh=settings.fresh,
        )
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, executor.stop)
        return await running.run(executor, report.note)


def default_concurrency(cpus: float) -> int:
    """One bot of a match runs at a time, and the referee wants a processor for itself."""
    return max(1, int(((os.cpu_count() or 1) - 1) / max(cpus, 1.0)))

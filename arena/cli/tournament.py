"""`arena tournament`: everybody against everybody, and the table."""

from collections.abc import Mapping, Sequence
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from arena import registry
from arena.bots.making import SandboxOptions
from arena.cli.groups import CommandGroup
from arena.cli.monitoring import Watch, monitored, monitoring_options, read_watch
from arena.cli.options import option_group
from arena.cli.output import cell, echo, narrow_table, warn
from arena.cli.params import SEED_HELP, Duration, Seed, Setting, Whole, clock_option
from arena.cli.placement import placement_options, read_placement
from arena.cli.progress import Report, TournamentView, duration
from arena.cli.sandbox_options import read_sandbox_options, sandbox_options
from arena.cli.store import db_option, open_store, say_if_new
from arena.cli.table_formats import counted
from arena.cli.tables import print_standings
from arena.cli.tournament_config import Seeds, config_option, config_text
from arena.errors import InfraError, UsageError
from arena.game import AnyGame
from arena.ratings.ladder import playing_in
from arena.ratings.standings import best_of, stored_standings
from arena.store.base import BotEntry, Store, TournamentEntry, TournamentSummary
from arena.store.lookup import find_bot
from arena.tournaments.budget import Budget
from arena.tournaments.executors.choosing import Placement, connect
from arena.tournaments.field import choose_field, choose_sandbox, worker_plan
from arena.tournaments.session import Halt, default_concurrency, play_tournament
from arena.tournaments.settings import FORMATS, TEST, Settings, with_seed
from arena.tournaments.tournament import Tournament
from arena.untrusted.text import json_text

ROUNDS = 2
TOP = 3
CONFIDENCE = 0.95
MOST_PER_BOT = 100
"""Matches per bot after which an adaptive tournament gives up, if nothing else is said."""


budget_option = click.option(
    "--budget",
    type=Duration(),
    help="Play for this long at most, such as 45m. A round is begun only if it seems to fit whole, so that everybody "
    "has played equally often at the end, and no match is cut off; if a round did not fit after all, such as the first "
    "one, that is said. The same command goes on later, for as long again.",
)
play_options = option_group(
    click.option("--option", "options", type=Setting(), multiple=True, help="An option of the game, like board=b."),
    click.option("--seed", type=Seed(), help=SEED_HELP),
    clock_option,
    click.option("--strikes", type=Whole(0), default=0, show_default=True, help="As in `arena match`."),
    click.option(
        "--fresh",
        type=click.Choice(["pairing", "match"]),
        default="pairing",
        show_default=True,
        help="Start the bots anew when others take their places, and keep them warm in between, or for each match.",
    ),
    budget_option,
    placement_options,
    monitoring_options,
    sandbox_options,
    db_option,
)
"""The options that say how matches are played, whoever meets whom."""


@click.group(cls=CommandGroup, invoke_without_command=True)
@config_option
@click.option("--game", "game_name", metavar="GAME", help="The game to play; `arena games` lists them.")
@click.option(
    "--bots",
    metavar="BOT,BOT…",
    help="Who takes part: names in the store (name or name@version), sample bots, folders, random or first. All of "
    "the ladder of the game if not given.",
)
@click.option(
    "--format", "kind", type=click.Choice(FORMATS), default="round-robin", show_default=True, help="Who meets whom."
)
@click.option(
    "--rounds",
    type=Whole(1),
    help="Deals that every group plays, from every seat; 2 if not given, or with --budget as many as fit.",
)
@click.option("--seats", type=Whole(1), help="How many seats, for games that can have more than two.")
@click.option("--top", type=Whole(1), help="adaptive: how many places are to be certain; 3 if not given.")
@click.option(
    "--confidence",
    metavar="NUMBER",
    type=click.FloatRange(0.5, 1.0, min_open=True, max_open=True),
    help="adaptive: how certain, all together; 0.95 if not given.",
)
@click.option(
    "--max-games",
    type=Whole(1),
    help="adaptive: stop after so many matches in any case; 100 for each bot if not given.",
)
@click.option(
    "--seeds",
    type=Seeds(),
    help="The deals to play: a file with a seed on every line, one for each round. Not for --format adaptive.",
)
@play_options
@click.pass_context
def tournament(ctx: click.Context, /, **given: Any) -> None:
    """Play a tournament and show the rating table.

    Every group of bots plays the same deals with the seats rotated. Ctrl-C lets the running matches end; the same
    command, or `arena tournament resume ID`, goes on where it stopped. A folder in --bots is only tried out: it stays
    off the ladder, and joins no other tournament by itself, until it is handed in with `arena submit`.

    \b
    round-robin  everybody against everybody
    gauntlet     the first bot of --bots against all others
    swiss        bots with equal scores meet, round by round; for two seats
    adaptive     who meets is decided by what is not known yet, until the order
                 of the first places is certain; needs about a third of the
                 matches of a round robin, in large fields less

    \b
    arena tournament --game assassins
    arena tournament --game kingdoms --seats 3 --rounds 1
    arena tournament --game claim --format adaptive --top 3 --confidence 0.95
    arena tournament --game claim --budget 45m
    arena tournament show-config 3 > cup.toml; arena tournament --config cup.toml
    """
    if ctx.invoked_subcommand is not None:
        return
    if not given["game_name"]:
        raise UsageError("say which game is played: arena tournament --game assassins")
    game = registry.find(given["game_name"])
    store = open_store(given["db"], make=True)
    names = [name for name in (given["bots"] or "").split(",") if name]
    field = choose_field(store, game.info.name, names, seats=given["seats"] or game.info.min_seats)
    settings = with_seed(read_settings(game, field, given), given["seed"], store)
    settings.schedule()  # refuses what cannot be played before anything is kept
    entry = store.begin_tournament(game.info.name, settings.to_json())
    say_if_new()
    play(entry, field, store, given["budget"], read_placement(given), read_watch(given))


@tournament.command()
@click.argument("number", metavar="ID", type=Whole(1))
@budget_option
@placement_options
@monitoring_options
@db_option
def resume(number: int, budget: float | None, db: str, **given: Any) -> None:
    """Go on with the tournament of this ID where it stopped."""
    store = open_store(db)
    entry = store.tournament(number)
    settings = Settings.from_json(entry.settings)
    if settings.format == TEST:
        raise UsageError(f"tournament {number} is a test: the same `arena test` goes on with it")
    if not (settings.rounds or settings.goal or budget):
        raise UsageError(f"tournament {number} has no last round: say how long to go on, such as --budget 45m")
    field = [find_bot(store, f"{name}@{version}") for name, version, _ in settings.bots]
    play(entry, field, store, budget, read_placement(given), read_watch(given))


@tournament.command("list")
@click.option("--last", type=Whole(1), default=20, show_default=True, help="How many, the newest at the end.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@db_option
def list_tournaments(last: int, as_json: bool, db: str) -> None:
    """Show the latest tournaments and tests in the store.

    `leader` is the first of the table; an `open` tournament goes on with `arena tournament resume ID`.
    """
    store = open_store(db)
    summaries = list(reversed(store.tournament_summaries(limit=last)))
    rows = [tournament_row(store, summary) for summary in summaries]
    if as_json:
        click.echo(json_text(rows, indent=2))
    elif not rows:
        click.echo("no tournaments yet: `arena tournament --game claim` plays one")
    else:
        Console().print(tournament_list(rows))


def tournament_row(store: Store, summary: TournamentSummary) -> dict[str, Any]:
    """A tournament of the list as plain data."""
    entry = summary.entry
    settings = Settings.from_json(entry.settings)
    leader = leading_bot(store, entry)
    return {
        "id": entry.id,
        "begun": summary.created.isoformat(timespec="seconds"),
        "game": entry.game,
        "format": settings.format,
        "bots": len(settings.bots),
        "matches": summary.matches,
        "clock": settings.clock,
        "state": "complete" if entry.finished else "open",
        "leader": leader.name if leader else None,
        "leader_version": leader.version if leader else None,
        "weak_limits": list(entry.weak_limits or ()),
    }


def leading_bot(store: Store, entry: TournamentEntry) -> BotEntry | None:
    """The first bot of the table of a tournament."""
    bots, tallies = {bot.label: bot for bot in store.all_bots()}, store.tallies(tournament_id=entry.id)
    best = best_of(tallies, playing_in(tallies, bots.values()))
    return bots[best] if best else None


def tournament_list(rows: Sequence[Mapping[str, Any]]) -> Table:
    """The list for people."""
    table = narrow_table()
    for name in ("id", "begun", "game", "format", "bots", "games", "clock", "state", "leader"):
        right = name in ("id", "bots", "games")
        table.add_column(name, justify="right" if right else "left", overflow="fold", no_wrap=name != "leader")
    for row in rows:
        leader = row["leader"] or ""  # without its version, for which there is no room; --json has it
        facts = (row["id"], row["begun"][:10], row["game"], row["format"], row["bots"], row["matches"], row["clock"])
        state = {"complete": "done"}.get(row["state"], row["state"]) + ("*" if row["weak_limits"] else "")
        table.add_row(*(cell(str(fact)) for fact in facts), state, cell(leader))
    if any(row["weak_limits"] for row in rows):
        table.caption = "* limits were not fully enforced: `arena ratings --tournament ID` says which"
        table.caption_justify = "left"
    return table


@tournament.command("show-config")
@click.argument("number", metavar="ID", type=Whole(1))
@db_option
def show_config(number: int, db: str) -> None:
    """Print the tournament of this ID as a file for --config.

    \b
    arena tournament show-config 3 > cup.toml
    arena tournament --config cup.toml --db another.db
    """
    settings = Settings.from_json(open_store(db).tournament(number).settings)
    if settings.format == TEST:
        raise UsageError(f"tournament {number} is a test, which has no configuration: see `arena test`")
    echo(config_text(settings))


def read_settings(game: AnyGame, field: Sequence[BotEntry], given: dict[str, Any]) -> Settings:
    """All that is decided before the first match."""
    seats = given["seats"] or game.info.min_seats
    game.info.check_seats(seats)
    options = choose_sandbox(field, read_sandbox_options(given), warn)
    rounds, goal = _rounds(given), _goal(given, len(field))
    shape = {"seats": seats, "format": given["kind"], "rounds": rounds, "goal": goal, "seeds": given["seeds"] or ()}
    return make_settings(game, field, options, given, **shape)


def make_settings(
    game: AnyGame, field: Sequence[BotEntry], options: SandboxOptions, given: Mapping[str, Any], **shape: Any
) -> Settings:
    """The settings with what `play_options` gave; `shape` says who meets whom, and until when."""
    return Settings(
        game=game.info.name,
        options=game.info.choose(dict(given["options"])),
        seed=given["seed"] or 0,
        clock=str(given["clock"]),
        strikes=given["strikes"],
        sandbox=options.sandbox,
        memory_bytes=options.limits.memory_bytes,
        cpus=options.limits.cpus,
        ponder=options.ponder,
        fresh=given["fresh"] == "match",
        bots=tuple((bot.name, bot.version, bot.digest) for bot in field),
        **shape,
    )


def _rounds(given: dict[str, Any]) -> int:
    if given["kind"] == "adaptive":
        if given["rounds"]:
            raise UsageError(
                "an adaptive tournament has no rounds: --top, --confidence and --max-games say when it ends"
            )
        if given["seeds"]:
            raise UsageError("--seeds are for the rounds of the other formats: an adaptive tournament has none")
        return 0
    if given["seeds"]:
        return _rounds_of_seeds(given["rounds"], len(given["seeds"]))
    return given["rounds"] or (0 if given["budget"] else ROUNDS)


def _rounds_of_seeds(rounds: int | None, seeds: int) -> int:
    """As many rounds as there are deals to play, or fewer if that is asked for."""
    if rounds and rounds > seeds:
        raise UsageError(f"{rounds} rounds need {rounds} seeds, but --seeds has {seeds}")
    return rounds or seeds


def _goal(given: dict[str, Any], bots: int) -> dict[str, float]:
    """When an adaptive tournament is over."""
    if given["kind"] != "adaptive":
        if given["top"] or given["confidence"] or given["max_games"]:
            raise UsageError("--top, --confidence and --max-games are for --format adaptive")
        return {}
    return {
        "top": min(given["top"] or TOP, bots),
        "confidence": given["confidence"] or CONFIDENCE,
        "most": given["max_games"] or MOST_PER_BOT * bots,
    }


def play(
    entry: TournamentEntry, field: Sequence[BotEntry], store: Store, seconds: float | None, placement: Placement,
    watch: Watch,
) -> None:  # fmt: skip
    """Play what is missing and print the table."""
    game, settings = registry.find(entry.game), Settings.from_json(entry.settings)
    running = Tournament(game, entry, field, store)
    cluster = connect(placement, settings)
    concurrency = placement.concurrency or (cluster.capacity() if cluster else default_concurrency(settings.cpus))
    budget = make_budget(seconds, store, running.id, concurrency)
    confidence = settings.goal.get("confidence", CONFIDENCE)
    view = TournamentView(running, field, game.info.roles, budget=budget, confidence=confidence)
    plan = worker_plan(running.id, settings, field)
    with monitored(store, watch) as monitor:
        halt = play_tournament(
            running, Report(view), plan=plan, concurrency=concurrency, budget=budget, cluster=cluster,
            monitor=monitor, place=placement.place,
        )  # fmt: skip
    table = stored_standings(store, field, game.info.roles, tournament_id=running.id)
    print_standings(table, f"{game.info.title}, tournament {running.id}", Console(stderr=watch.to_stdout))
    say_why(running, halt, f"arena tournament resume {running.id}", seconds, aside=watch.to_stdout)


def make_budget(seconds: float | None, store: Store, tournament_id: int, concurrency: int) -> Budget:
    """The time that there is; what earlier matches took is a first estimate for those to come."""
    seats = store.seat_tallies(tournament_id=tournament_id)
    matches, thinking = sum(tally.matches for tally in seats if not tally.seat), sum(tally.wall_us for tally in seats)
    estimate = thinking / 1e6 / matches / concurrency if matches else 0.0
    return Budget(estimate=estimate) if seconds is None else Budget(seconds, estimate=estimate)


def say_why(running: Tournament, halt: Halt | None, go_on: str, seconds: float | None, *, aside: bool = False) -> None:
    """Say why no more matches are played, and what to do to go on; an interrupted command fails.

    `aside` says it on stderr, where it does not mix with a result for programs.
    """
    match halt:
        case None:
            echo(running.ending, err=aside)
        case Halt.VOID:
            are = "is" if running.void == 1 else "are"
            void = f"{counted(running.void, 'match')} {are} void through no fault of a bot ({running.void_reason})"
            raise InfraError(f"{void}: {go_on} plays them again")
        case Halt.BUDGET:
            time = duration(seconds or 0.0)
            if running.broken_off():
                games = running.games_of_bots()
                click.echo(
                    f"the budget of {time} ended within a round, so the bots have not played equally often: from "
                    f"{min(games)} to {counted(max(games), 'match')}",
                    err=aside,
                )
            click.echo(f"no more fits into {time}; go on with: {go_on} --budget {time}", err=aside)
        case Halt.INTERRUPTED:
            more = f" --budget {duration(seconds)}" if seconds else ""
            click.echo(f"stopped; go on with: {go_on}{more}", err=aside)
            click.get_current_context().exit(128 + 2)

"""How `arena tournament` plays: the settings of the options, the play with its progress, and how it ended."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import click
from rich.console import Console

from arena import registry
from arena.bots.launch import SandboxOptions
from arena.cli.monitoring import monitored, read_watch
from arena.cli.next_command import here
from arena.cli.output import echo, print_json, warn
from arena.cli.placement import read_placement
from arena.cli.progress import Report, TournamentView, View
from arena.cli.ratings import plain_rows
from arena.cli.sandbox_options import read_sandbox_options
from arena.cli.store import open_store, say_if_new
from arena.cli.table_formats import duration
from arena.cli.tables import print_standings
from arena.cli.tournament import plain_tournament
from arena.cli.venue import open_venue
from arena.errors import InfraError, UsageError
from arena.game import AnyGame
from arena.schedules.budget import Budget
from arena.standings.ladder import find_bot
from arena.standings.table import Standings, read_standings
from arena.store.base import BotEntry
from arena.store.scope import Scope
from arena.store.sql import Store
from arena.tournaments.field import choose_field, choose_sandbox, present, worker_plan
from arena.tournaments.resuming import left_behind, with_seed
from arena.tournaments.session import Halt, play_tournament
from arena.tournaments.settings import COMMON, OWN, TEST, Settings
from arena.tournaments.tournament import Tournament
from arena.web.formats import counted

ROUNDS = 2
TOP = 3
CONFIDENCE = 0.95
MOST_PER_BOT = 100
"""Matches per bot after which an adaptive tournament gives up, if nothing else is said."""


def start(given: dict[str, Any]) -> None:
    """Start the tournament of these options, or go on with it if it has begun, and play it."""
    check_extras(given)
    game = registry.find(given["game_name"])
    store = open_store(given["db"], make=True)
    names = [name for name in (given["bots"] or "").split(",") if name]
    field = choose_field(store, game.info.name, names, warn, seats=given["seats"] or game.info.min_seats)
    unsaid = given["deals"] is None
    settings = with_seed(read_settings(game, field, given), given["seed"], store, any_deals=unsaid)
    if (open_one := left_behind(settings, given["seed"], store)) is not None:
        warn(open_one)
    if settings.changes:
        field = field_now(store, settings)
    play(Tournament.start(game, settings, field, store), settings, game, field, store, given)


def resume(number: int, given: dict[str, Any]) -> None:
    """Play what is missing of the tournament of this number."""
    store = open_store(given["db"])
    entry = store.tournament(number)
    settings = Settings.of(entry)
    if entry.closed:
        raise UsageError(
            f"tournament {number} is closed, and nothing more is played: "
            f"`{here(f'arena ratings --tournament {number}')}` shows it"
        )
    if settings.format == TEST:
        raise UsageError(f"tournament {number} is a test: the same `arena test` goes on with it")
    if settings.endless and not given["budget"]:
        raise UsageError(f"tournament {number} has no last round: say how long to go on, such as --budget 45m")
    field = field_now(store, settings)
    game = registry.find(entry.game)
    play(Tournament.resume(number, game, settings, field, store), settings, game, field, store, given)


def field_now(store: Store, settings: Settings) -> list[BotEntry]:
    """The bots of a tournament that has begun; UsageError if the files of one are gone."""
    return [present(store, find_bot(store, f"{name}@{version}")) for name, version, _ in settings.field]


def check_extras(given: Mapping[str, Any]) -> None:
    """Refuse options whose extra is missing before anything is stored for them."""
    read_watch(given)
    read_placement(given)


def read_settings(game: AnyGame, field: Sequence[BotEntry], given: dict[str, Any]) -> Settings:
    """All that is decided before the first match."""
    seats = given["seats"] or game.info.min_seats
    game.info.check_seats(seats)
    options = choose_sandbox(field, read_sandbox_options(given), warn)
    rounds, goal = _rounds(given), _goal(given, len(field))
    shape = {"seats": seats, "format": given["kind"], "rounds": rounds, "goal": goal}
    return make_settings(game, field, options, given, **shape, **_deals(given), title=given["title"])


def make_settings(
    game: AnyGame, field: Sequence[BotEntry], options: SandboxOptions, given: Mapping[str, Any], **shape: Any
) -> Settings:
    """The settings with what `play_options` gave; `shape` says who meets whom, and until when."""
    return Settings(
        game=game.info.name,
        options=game.info.choose(dict(given["options"])),
        rules=game.info.version,
        seed=given["seed"] or 0,
        clock=str(given["clock"]),
        strikes=given["strikes"],
        sandbox=options.sandbox,
        memory_bytes=options.limits.memory_bytes,
        cpus=options.limits.cpus,
        ponder=options.ponder,
        fresh=given["fresh"] == "match",
        bots=tuple((bot.name, bot.version, bot.digest) for bot in field),
        seed_given=given["seed"] is not None or bool(shape.get("seeds")),
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


def _deals(given: dict[str, Any]) -> dict[str, Any]:
    """Which deals are played, and whether by all groups."""
    seeds, deals = given["seeds"] or (), given["deals"]
    if seeds and deals == OWN:
        raise UsageError("--seeds are played by all groups: leave --deals own away, or the seeds")
    return {"seeds": seeds, "deals": deals or (COMMON if seeds else OWN)}


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
    tournament: AbstractContextManager[Tournament], settings: Settings, game: AnyGame, field: Sequence[BotEntry],
    store: Store, given: Mapping[str, Any],
) -> None:  # fmt: skip
    """Play what is missing and print the table."""
    watch, seconds = read_watch(given), given["budget"]
    confidence = settings.goal.get("confidence", CONFIDENCE)

    def make_view(running: Tournament, budget: Budget) -> View:
        return TournamentView(running, field, budget=budget, confidence=confidence)

    running, halt = play_missing(tournament, settings, field, store, given, make_view)
    table = read_standings(store, Scope(tournament_id=running.id), game.info.roles)
    go_on = here(f"arena tournament resume {running.id}")
    if given["as_json"]:
        ending = {"stopped_by": halt and halt.name.lower(), "ending": why_ended(running, halt, go_on, seconds)}
        print_json(plain_result(running, store, ending, table), err=watch.to_stdout)
    else:
        print_standings(table, f"{game.info.title}, tournament {running.id}", Console(stderr=watch.to_stdout))
    say_why(running, halt, go_on, seconds, to_stderr=given["as_json"] or watch.to_stdout)


def play_missing(
    tournament: AbstractContextManager[Tournament], settings: Settings, field: Sequence[BotEntry], store: Store,
    given: Mapping[str, Any], make_view: Callable[[Tournament, Budget], View],
) -> tuple[Tournament, Halt | None]:  # fmt: skip
    """Play what is missing where and as the options say, with a view of it; no halt when the tournament is complete.

    It begins only when all that the options name is there, so that a cluster, a log or a port that cannot be had leaves
    no empty tournament behind.
    """
    with open_venue(given, settings) as venue, monitored(store, read_watch(given)) as monitor, tournament as running:
        say_if_new()
        budget = make_budget(given["budget"], store, running.id, venue.concurrency)
        return running, play_tournament(
            running,
            Report(make_view(running, budget)),
            partial(venue.make_executor, worker_plan(running.id, settings, field)),
            place=venue.place,
            concurrency=venue.concurrency,
            budget=budget,
            monitor=monitor,
        )


def plain_result(
    running: Tournament, store: Store, ending: Mapping[str, str | None], table: Standings
) -> dict[str, Any]:
    """A tournament with its table as plain data; `arena tournament --help` explains it."""
    entry = store.tournament(running.id)
    return {
        **plain_tournament(entry),
        "settings": dict(entry.settings),
        "matches": running.played,
        "void": running.void,
        **ending,
        "table": plain_rows(table.rows),
        "by_role": [row for role, rows in table.by_role.items() for row in plain_rows(rows, role)],
        "notes": table.notes,
    }


def make_budget(seconds: float | None, store: Store, tournament_id: int, concurrency: int) -> Budget:
    """The time that there is; what earlier matches took is a first estimate for those to come."""
    seats = store.seat_tallies(Scope(tournament_id=tournament_id))
    matches, thinking = sum(tally.matches for tally in seats if not tally.seat), sum(tally.wall_us for tally in seats)
    estimate = thinking / 1e6 / matches / concurrency if matches else 0.0
    return Budget(estimate=estimate) if seconds is None else Budget(seconds, estimate=estimate)


def say_why(
    running: Tournament, halt: Halt | None, go_on: str, seconds: float | None, *, to_stderr: bool = False
) -> None:
    """Say why no more matches are played, and what to do to go on; an interrupted command fails."""
    sentence = why_ended(running, halt, go_on, seconds)
    if halt is Halt.VOID:
        raise InfraError(sentence)
    echo(sentence, err=to_stderr)
    if halt is Halt.INTERRUPTED:
        click.get_current_context().exit(128 + 2)


def why_ended(running: Tournament, halt: Halt | None, go_on: str, seconds: float | None) -> str:
    """Why no more matches are played, and what to do to go on."""
    if halt is Halt.BUDGET and running.ending:
        shows = f"`{here(f'arena tournament show {running.id}')}` has its checksum"
        return f"{running.ending}, since no other round fits into {duration(seconds or 0.0)}: {shows}"
    if running.ending:
        return running.ending
    match halt:
        case None:
            return ""
        case Halt.VOID:
            are = "is" if running.void == 1 else "are"
            void = f"{counted(running.void, 'match')} {are} void through no fault of a bot ({running.void_reason})"
            return f"{void}: {go_on} plays them again"
        case Halt.BUDGET:
            time, games = duration(seconds or 0.0), running.games_of_bots()
            unequal = (
                f"the budget of {time} ended within a round, so the bots have not played equally often: from "
                f"{min(games)} to {counted(max(games), 'match')}\n"
            )
            close = here(f"arena tournament close {running.id}")
            end = f", or end it with: {close}" if running.settings.endless else ""
            fits = f"no more fits into {time}; go on with: {go_on} --budget {time}{end}"
            return (unequal if running.broken_off() else "") + fits
        case _:
            return f"{halt.value}; go on with: {go_on}" + (f" --budget {duration(seconds)}" if seconds else "")

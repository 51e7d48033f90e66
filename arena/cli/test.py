"""`arena test`: whether one bot is better than another."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from arena import registry
from arena.bots.builtin import BUILTIN
from arena.bots.manifest import MANIFEST, find_sample, read_manifest
from arena.cli.monitoring import read_watch
from arena.cli.options import json_option
from arena.cli.output import echo, print_json, warn
from arena.cli.params import Setting, Whole
from arena.cli.played_tournament import check_extras, make_settings, play_missing, say_why
from arena.cli.sandbox_options import read_sandbox_options
from arena.cli.sprt_report import FinalReport, PairsView
from arena.cli.store import open_store
from arena.cli.tournament import play_options
from arena.cli.tournament_config import bots_and_bounds, config_option
from arena.errors import UsageError
from arena.game import AnyGame
from arena.schedules.sprt import Sprt
from arena.standings.ladder import find_bot
from arena.store.base import BotEntry
from arena.store.sql import Store
from arena.tournaments.field import choose_field, choose_sandbox
from arena.tournaments.formats import sprt_of
from arena.tournaments.resuming import left_behind, with_seed
from arena.tournaments.session import Halt
from arena.tournaments.settings import COMMON, TEST, Settings
from arena.tournaments.tournament import Tournament

BOUNDS = {"elo0": 0.0, "elo1": 10.0, "alpha": 0.05, "beta": 0.05}


@click.command()
@click.argument("words", nargs=-1, metavar="NEW OLD")
@config_option
@click.option("--game", "game_name", metavar="GAME", help="The game; not needed if the bots have only one in common.")
@click.option(
    "--sprt",
    "bounds",
    type=Setting(),
    multiple=True,
    metavar="NAME=NUMBER…",
    help="The two hypotheses in Elo, and the rates of error: elo0=0 elo1=10 alpha=0.05 beta=0.05 if not given.",
)
@click.option("--max-pairs", type=Whole(1), default=10_000, show_default=True, help="Give up after so many.")
@json_option
@play_options
def test(words: Sequence[str], bounds: Sequence[tuple[str, str]], as_json: bool, **given: Any) -> None:
    """Find out whether the bot NEW is better than the bot OLD.

    They play pairs of matches, the same deal from both sides, until it is decided: a sequential probability ratio
    test on the results of pairs. If NEW is no stronger than elo0, the test calls it better with the probability alpha;
    if it is stronger by elo1, the test misses that with the probability beta. The closer elo0 and elo1 are, the longer
    it takes. A bot is a folder, a name in the store, a sample bot (greedy, policy, search), random or first. Where a
    folder has the name of a bot in the store, the folder is meant; NAME@VERSION is always the one in the store.

    A fault forfeits a match. Four in a row by the same bot stop the test; one that faults alone decide says so. Both
    have the exit code 3, and what the bot printed last is shown.

    The matches are kept, and the same command resumes a test that was stopped. They do not count for the ladder,
    and a folder that is tested does not come onto it: `arena ratings --tests --game GAME` shows what was tested.

    \b
    arena test my_bot my_bot@1 --game claim
    arena test my_bot search --game claim --sprt elo0=0 elo1=30
    arena tournament show-config 4 > test.toml; arena test --config test.toml
    """
    # `--sprt elo0=0 elo1=10` reads well, but an option takes one value: the others arrive here.
    known, first = bots_and_bounds()
    names = [word for word in words if "=" not in word] or known
    later = (word for word in words if "=" in word)
    bounds = [*map(_setting, first), *bounds, *map(_setting, later)]
    if len(names) != 2:
        raise UsageError(f"a test is between two bots, but {len(names)} were named: arena test NEW OLD --game claim")
    check_extras(given)
    goal = {**read_bounds(bounds), "most": float(given["max_pairs"])}
    store = open_store(given["db"], make=True)
    game = registry.find(given["game_name"] or common_game(store, names))
    field = choose_two(store, game, names)
    settings = with_seed(read_settings(game, field, goal, given), given["seed"], store)
    if (open_one := left_behind(settings, given["seed"], store)) is not None:
        warn(open_one)
    running, halt = play_missing(
        Tournament.start(game, settings, field, store), settings, field, store, given,
        lambda running, _: PairsView(running.finished, sprt_of(settings)),
    )  # fmt: skip
    report = FinalReport.of(running, field, store)
    watch = read_watch(given)
    if as_json:
        stopped_by = {"stopped_by": halt and halt.name.lower()}
        print_json({**report.plain(field, running.id), **stopped_by}, err=watch.to_stdout)
    else:
        echo(report.text(field), err=watch.to_stdout)
    if halt is Halt.FAULTS:
        raise report.stopped(running.failing, game.info.name)
    if halt:
        say_why(running, halt, "the same command", given["budget"], to_stderr=as_json or watch.to_stdout)
    elif report.by_forfeits:
        raise report.not_by_play(game.info.name)


def _setting(text: str) -> tuple[str, str]:
    return Setting().convert(text, None, None)


def read_bounds(given: Sequence[tuple[str, str]]) -> dict[str, float]:
    """The numbers of the test, with what was not given filled in."""
    bounds = dict(BOUNDS)
    for name, text in given:
        if name not in BOUNDS:
            raise UsageError(f"a test has no {name!r}: it has {', '.join(f'{n}={v:g}' for n, v in BOUNDS.items())}")
        try:
            bounds[name] = float(text)
        except ValueError:
            raise UsageError(f"{name} must be a number, not {text!r}") from None
    Sprt(bounds["elo0"], bounds["elo1"], bounds["alpha"], bounds["beta"])  # refuses what makes no sense
    return bounds


def common_game(store: Store, names: Sequence[str]) -> str:
    """The one game that both bots play."""
    known = [set(_games(store, name)) for name in names if name not in BUILTIN]
    games = sorted(set.intersection(*known)) if known else sorted(registry.games())
    if len(games) != 1:
        choice = f"both play {', '.join(games)}" if games else "these bots have no game in common"
        raise UsageError(f"say which game is played, such as --game claim: {choice}")
    return games[0]


def _games(store: Store, name: str) -> tuple[str, ...]:
    folder = Path(name)
    if (folder / MANIFEST).is_file():
        return read_manifest(folder).games
    sample = find_sample(name)
    return sample.manifest.games if sample else find_bot(store, name).games


def choose_two(store: Store, game: AnyGame, names: Sequence[str]) -> list[BotEntry]:
    """Both bots, as the store knows them."""
    field = [choose_field(store, game.info.name, [name], warn, trying=True)[0] for name in names]
    if field[0].id == field[1].id:
        raise UsageError(f"a bot cannot be tested against itself: both are {field[0].label}")
    return field


def read_settings(
    game: AnyGame, field: Sequence[BotEntry], goal: Mapping[str, float], given: Mapping[str, Any]
) -> Settings:
    """A test is a tournament of two with a goal."""
    game.info.check_seats(2)
    options = choose_sandbox(field, read_sandbox_options(given), warn)
    # There is one group only, so its own deals are common to all.
    return make_settings(game, field, options, given, seats=2, format=TEST, rounds=0, goal=goal, deals=COMMON)

"""`arena bot check`: numbered steps, and on failure the bot's own words and what to do next."""

import math
import os
import shlex
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from arena import registry
from arena.bots.builtin import BUILTIN
from arena.bots.launch import SandboxOptions
from arena.bots.manifest import Builtin, Folder, Image, locate
from arena.bots.running import RunningBot
from arena.cli.options import json_option
from arena.cli.output import marked, plain_console, print_json, writing
from arena.cli.params import MAX_SEED, Seed, Whole, clock_option
from arena.cli.sandbox_options import named_bot, read_sandbox_options, sandbox_options
from arena.clock import TimeControl
from arena.contestant.check import Check, CheckSettings, Mark, Measures, Step
from arena.errors import UsageError
from arena.game import AnyGame
from arena.match import Seat
from arena.referee import looptime, record
from arena.referee.enforcement import weaknesses
from arena.referee.heartbeat import ThreadHeartbeat
from arena.sandboxes.logs import TAIL_BYTES
from arena.untrusted.text import printable

SIGNS = {
    Mark.PASSED: "[green]✓[/green]",
    Mark.WARNED: "[yellow]![/yellow]",
    Mark.FAILED: "[red]✗[/red]",
    Mark.SKIPPED: "[dim]–[/dim]",
}
EVIDENCE = "failed.arena"
SECONDS = 40.0
POSITIONS_HELP = "About how many odd positions to ask it about."
SEED_HELP = "The seed of all chance: the same check again."


@click.command()
@click.argument("bot", metavar="BOT")
@click.option(
    "--game", "game_name", metavar="GAME", help="The game to check it at; all that its bot.toml names if not given."
)
@clock_option
@click.option("--seed", type=Seed(MAX_SEED // 2), default=1, show_default=True, help=SEED_HELP)
@click.option("--positions", type=Whole(1), default=200, show_default=True, help=POSITIONS_HELP)
@click.option(
    "--evidence", type=click.Path(dir_okay=False, path_type=Path), default=EVIDENCE, show_default=True,
    help="Where to write the record of a match that failed.",
)  # fmt: skip
@click.option("--thorough", is_flag=True, help="Take as long as it takes, not about 40 s.")
@json_option
@sandbox_options
def check(
    bot: str,
    game_name: str | None,
    clock: TimeControl,
    seed: int,
    positions: int,
    evidence: Path,
    thorough: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Try everything that a tournament will ask of a bot.

    BOT is a folder, an image, or grpc://host:port. It takes about 40 s at most, unless the bot itself uses much of
    its time; --thorough leaves nothing out. The exit code is 1 if a step failed.

    \b
    --json prints a list with an object for each game that was begun:
      game, passed       the name of the game, and whether no step failed
      steps              number, title, mark (passed, warned, failed or skipped),
                         detail, seconds and advice of each
      measures           start, decisions, median, p99, slowest (in seconds) and
                         peak_memory (in bytes); null if it never played
      sandbox, weak      what held the bot, and what was not fully enforced
      output             the end of what it printed, if a step failed
      evidence, seat     the record of the match that failed, and the bot's seat
                         there, or null

    \b
    arena bot check my_bot
    arena bot check my_bot --game claim --thorough
    """
    options, chosen = read_sandbox_options(given), games_to_check(bot, game_name)
    seconds = math.inf if thorough else SECONDS / len(chosen)
    # What somebody else runs is one process, whoever asks it.
    alone = len(os.sched_getaffinity(0)) >= 2 * options.limits.cpus and isinstance(locate(bot, BUILTIN), Folder | Image)
    limits = options.limits
    settings = CheckSettings(clock, seed, positions, limits.start_s, limits.memory_bytes, seconds, side_by_side=alone)
    console, results = plain_console(stderr=as_json), list[dict[str, Any]]()
    for game in chosen:
        if len(chosen) > 1:
            console.print(f"{game.info.title} ({game.info.name})", markup=False, soft_wrap=True)
        failed, result = looptime.run(_run(game, bot, settings, options, console))
        results.append(result)
        if failed is not None and failed.evidence is not None:
            with writing(evidence):
                record.save(evidence, failed.evidence, game)
            result |= {"evidence": str(evidence), "seat": failed.seat}
            _say_how_to_watch(failed.seat, bot, evidence, to_stderr=as_json)
        if failed is not None:
            break
    if as_json:
        print_json(results)
    if not results[-1]["passed"]:
        click.get_current_context().exit(1)


def games_to_check(bot: str, name: str | None) -> list[AnyGame]:
    """The named game, or all that the bot.toml of a folder names."""
    source = locate(bot, BUILTIN)
    if isinstance(source, Builtin):
        raise UsageError(f"{bot} is part of the referee: give a folder, an image or grpc://host:port")
    if name is not None:
        return [registry.find(name)]
    if not isinstance(source, Folder):
        folder = f"{bot} is not a folder: " if isinstance(source, Image) else ""
        raise UsageError(f"{folder}say with --game at which game to check {bot}, since only a folder has a bot.toml")
    return [registry.find(game) for game in source.manifest.games]


async def _run(
    game: AnyGame, name: str, settings: CheckSettings, options: SandboxOptions, console: Console
) -> tuple[Step | None, dict[str, Any]]:
    """Take and print every step; the one that failed, if any did, and all of it as plain data."""
    steps = list[Step]()
    bot = named_bot(game, name, settings.seed, options)
    twin = named_bot(game, name, settings.seed, replace(options, ponder=True))
    opponent = named_bot(game, "random", settings.seed, options)
    with ThreadHeartbeat() as heartbeat:
        trial = Check(game, (bot, twin), opponent, settings=settings, heartbeat=heartbeat)
        try:
            async for step in trial.steps():
                _show_step(console, step)
                steps.append(step)
        finally:
            await trial.close()
    _show_measures(console, trial.measures())
    _show_sandbox(console, bot)
    failed = next((step for step in steps if step.mark is Mark.FAILED), None)
    if failed is not None:
        _show_failure(console, failed, bot)
    return failed, plain(game, steps, trial.measures(), bot)


def plain(game: AnyGame, steps: Sequence[Step], measures: Measures | None, bot: RunningBot) -> dict[str, Any]:
    """The check of one game as plain data; `arena bot check --help` explains it."""
    report, passed = bot.sandbox_report(), all(step.mark is not Mark.FAILED for step in steps)
    return {
        "game": game.info.name,
        "passed": passed,
        "steps": [
            {"number": step.number, "title": step.title, "mark": step.mark.value, "detail": step.detail,
             "seconds": step.seconds, "advice": step.advice}
            for step in steps
        ],
        "measures": measures and asdict(measures),
        "sandbox": report.kind,
        "weak": list(weaknesses(dict(report.enforcement))),
        "output": "" if passed else last_output(bot),
        "evidence": None,
        "seat": None,
    }  # fmt: skip


def last_output(bot: RunningBot) -> str:
    """The end of what the bot has printed."""
    return bot.log().rstrip()[-TAIL_BYTES:]


def _show_step(console: Console, step: Step) -> None:
    taken = "" if step.mark is Mark.SKIPPED else f"{step.seconds:6.2f} s"
    detail = "not tried" if step.mark is Mark.SKIPPED else step.detail
    console.print(f"{step.number:2} {SIGNS[step.mark]} {step.title:<29} {taken:>8}  {marked(detail)}", soft_wrap=True)
    if step.mark is Mark.WARNED:
        console.print(f"     [yellow]{marked(step.advice)}[/yellow]", soft_wrap=True)


def _show_measures(console: Console, measures: Measures | None) -> None:
    if measures is None:
        return
    memory = "" if measures.peak_memory is None else f", peak memory {measures.peak_memory / 2**20:.0f} MiB"
    p50, p99, slowest = (f"{seconds * 1000:.1f} ms" for seconds in (measures.median, measures.p99, measures.slowest))
    console.print(f"\nstart-up {measures.start:.2f} s{memory}", soft_wrap=True)
    console.print(f"{measures.decisions} decisions: p50 {p50}, p99 {p99}, max {slowest}", soft_wrap=True)


def _show_sandbox(console: Console, bot: RunningBot) -> None:
    report = bot.sandbox_report()
    weak = weaknesses(dict(report.enforcement))
    if weak:
        console.print(f"[yellow]sandbox {report.kind}: not fully enforced here: {marked(', '.join(weak))}[/yellow]")


def _show_failure(console: Console, step: Step, bot: RunningBot) -> None:
    """The bot's last output and the way on; on stdout, so that it stays below the steps."""
    log = last_output(bot)
    title = "the bot's last output" if log else "the bot printed nothing"
    console.print(f"\n--- {title} ---", soft_wrap=True)
    if log:
        console.print(printable(log, lines=True), markup=False, soft_wrap=True)
        console.print("---")
    console.print(f"[bold]Step {step.number} failed:[/bold] {marked(step.detail)}", soft_wrap=True)
    console.print(f"What to do: {marked(step.advice)}.", soft_wrap=True)


def _say_how_to_watch(seat: Seat, bot: str, path: Path, *, to_stderr: bool) -> None:
    where = "DIR" if isinstance(locate(bot, BUILTIN), Image) else shlex.quote(bot)
    click.echo(
        f"Watch it happen: arena bot reproduce {shlex.quote(str(path))} --seat {seat} --bot {where}", err=to_stderr
    )

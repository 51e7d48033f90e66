"""One match as commands play it: planned, played at a table, shown, and kept."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from arena.bots.builtin import BUILTIN
from arena.bots.launch import BotPlan, make_bot, plan_bot
from arena.bots.manifest import Builtin, locate
from arena.bots.running import RunningBot
from arena.bots.table import NO_EXTRA
from arena.cli.choosing import NarratedGame
from arena.cli.output import cell, echo, marked, narrow_table, plain_console, writing
from arena.cli.person import PERSON, PersonBot
from arena.cli.replay import cause_lines, write_page
from arena.cli.sandbox_options import read_sandbox_options
from arena.clock import TimeControl
from arena.errors import InfraError, UsageError
from arena.game import AnyGame
from arena.match import AnyRecord, MatchSpec, Seat
from arena.referee import looptime, record
from arena.referee.enforcement import GIVEN_SEED, weaknesses
from arena.referee.faults import FaultPolicy
from arena.referee.heartbeat import ThreadHeartbeat
from arena.rng import draw_seed
from arena.sandboxes.sweeping import sweep
from arena.workers.base import Assignment
from arena.workers.worker import MakeBot, PlayedMatch, Worker


def plan_match(
    game: AnyGame, names: Sequence[str], settings: Sequence[tuple[str, str]], seed: int | None, clock: TimeControl,
    given: Mapping[str, Any],
) -> tuple[MatchSpec[Any], list[BotPlan]]:  # fmt: skip
    """What is played, and who sits in every seat."""
    config = game.configure(len(names), dict(settings))
    seed = draw_seed() if seed is None else seed
    plans = [plan_bot(game, name, locate(name, (*BUILTIN, PERSON)), read_sandbox_options(given)) for name in names]
    contestants = tuple(plan.contestant for plan in plans)
    match_id = record.match_id(game, config, seed, contestants)
    return MatchSpec(match_id, game.info.name, config, seed, contestants, clock), plans


def play_now(
    game: AnyGame, plans: Sequence[BotPlan], spec: MatchSpec[Any], strikes: int = 0, *, seed_given: bool
) -> PlayedMatch:
    """One match from its first move to its end."""
    facts = {"seed": GIVEN_SEED} if seed_given else {}
    return looptime.run(play_at_table(game, plans, spec, FaultPolicy(strikes), facts))


async def play_at_table(
    game: AnyGame, plans: Sequence[BotPlan], spec: MatchSpec[Any], policy: FaultPolicy, facts: Mapping[str, str]
) -> PlayedMatch:
    """One match; to persons among the players every move is told."""
    persons = [seat for seat, plan in enumerate(plans) if plan.source == Builtin(PERSON)]
    if not persons:
        return await play(game, lambda number: make_bot(game, plans[number], spec.seed), spec, policy, facts)
    from arena.cli.screen_dialog import open_dialog  # noqa: PLC0415  (bots alone need no screen)

    table = NarratedGame(game, persons, [bot.name for bot in spec.contestants])
    with open_dialog(plain_console(), game.rules) as dialog:

        def make(number: int) -> RunningBot:
            if number in persons:
                return PersonBot(plans[number].contestant, game, table, dialog)
            return make_bot(game, plans[number], spec.seed)

        return await play(table, make, spec, policy, facts)


def finish(
    game: AnyGame, result: AnyRecord, out: Path | None, html: Path | None = None, *, to_stderr: bool = False
) -> None:
    """Keep the record if that is wanted, and say so, with `to_stderr` there; a void match is a failure of ours."""
    if out:
        keep(out, result, game, to_stderr=to_stderr)
    if html:
        write_page(game, result, html, to_stderr=to_stderr)
    if result.void:
        raise InfraError("the match is void, through no fault of a bot")


def check_folder(out: Path | None) -> None:
    """Refuse a place for the record that cannot be, before anything is played."""
    if out and not out.absolute().parent.is_dir():
        raise UsageError(f"{out} cannot be written: there is no folder {out.parent}")


def keep(out: Path, result: AnyRecord, game: AnyGame, *, to_stderr: bool = False) -> None:
    """Write the record of the match and say so."""
    with writing(out):
        record.save(out, result, game)
    echo(f"record: {out}", err=to_stderr)


async def play(
    game: AnyGame, make: MakeBot, spec: MatchSpec[Any], policy: FaultPolicy, facts: Mapping[str, str] = NO_EXTRA
) -> PlayedMatch:
    """One match between bots that are made for it, with the real clock and heartbeat."""
    await sweep()
    seats = tuple(range(len(spec.contestants)))
    with ThreadHeartbeat() as heartbeat:
        worker = Worker(game, make, policy=policy, heartbeat=heartbeat, extra_enforcement=facts)
        try:
            return await worker.play(seats, Assignment(0, seats, spec), new_leg=True)
        finally:
            await worker.clear()


def seat_bots(game: AnyGame, bots: Sequence[str], seats: int | None) -> list[str]:
    """The bot of every seat; one bot takes all seats, none means random ones."""
    names = list(bots) or ["random"]
    wanted = seats or max(len(names), game.info.min_seats)
    game.info.check_seats(wanted)
    if len(names) == 1:
        names *= wanted
    if len(names) != wanted:
        raise UsageError(f"{wanted} seats need {wanted} bots, or one for all of them, but {len(names)} were named")
    return names


def show_result(game: AnyGame, result: AnyRecord) -> None:
    """Print who played, how it ended and how long it took."""
    spec, roles = result.spec, game.info.roles
    table = narrow_table("seat", "bot", *(["role"] if roles else []), "rank", "score", "time", "moves", "verdict")
    for seat, bot in enumerate(spec.contestants):
        moves = [move for move in result.played if move.seat == seat]
        row: list[RenderableType] = [str(seat), cell(bot.name), *([roles[seat]] if roles else [])]
        ranked = bool(result.outcome.ranks)
        row += [str(result.outcome.ranks[seat]), f"{result.outcome.scores[seat]:g}"] if ranked else ["-", "-"]
        row += [f"{sum(move.times.wall for move in moves) / 1e6:.3f} s", str(len(moves))]
        table.add_row(*row, cell(result.seat_words(seat)))
    console = plain_console()
    console.print(f"{game.info.title}, seed {spec.seed}, clock {spec.control}: [bold]{marked(result.result)}[/bold]")
    console.print(table)
    for line in cause_lines(game, result, {}):  # what it printed comes with the logs
        echo(line)
    held = [(report.kind, dict(report.enforcement)) for report in result.sandboxes]
    # A seed is the match's own, not a sandbox's.
    if GIVEN_SEED in {enforcement.pop("seed", None) for _, enforcement in held}:
        console.print(f"[yellow]the seed was {GIVEN_SEED}[/yellow]")
    for kind, weak in sorted({(kind, weaknesses(enforcement)) for kind, enforcement in held}):
        if weak:
            console.print(f"[yellow]sandbox {kind}: not fully enforced here: {marked(', '.join(weak))}[/yellow]")


def plain(game: AnyGame, result: AnyRecord) -> dict[str, Any]:
    spec, outcome = result.spec, result.outcome
    seats = [
        {
            "seat": seat,
            "name": bot.name,
            "version": bot.version,
            **({"role": game.info.roles[seat]} if game.info.roles else {}),
            "rank": outcome.ranks[seat] if outcome.ranks else None,
            "score": outcome.scores[seat] if outcome.ranks else None,
            "moves": sum(move.seat == seat for move in result.played),
            "wall_us": sum(move.times.wall for move in result.played if move.seat == seat),
            "ending": verdict.ending.name,
            "sentence": verdict.sentence,
        }
        for seat, (bot, verdict) in enumerate(zip(spec.contestants, result.verdicts))
    ]
    weak = {report.kind: list(weaknesses(dict(report.enforcement))) for report in result.sandboxes}
    facts = {"match": spec.match_id, "game": spec.game, "seed": spec.seed, "clock": str(spec.control)}
    facts |= {"reason": outcome.reason, "result": result.result, "void": result.void, "seats": seats}
    return facts | {"weak_limits": {kind: names for kind, names in weak.items() if names}}


def show_logs(played: PlayedMatch, *, everybody: bool) -> None:
    """Print the last output of every bot that was at fault, or all that was kept of every bot's."""
    result = played.record
    for seat, (bot, verdict) in enumerate(zip(result.spec.contestants, result.verdicts)):
        log = (_by_move(played, seat) if everybody else played.logs[seat]).strip()
        if everybody:
            echo(f"--- seat {seat}: the output of {bot.name} ---\n{log or '(nothing)'}\n---", err=True)
        elif (verdict.at_fault or result.void) and log:
            echo(f"--- the last output of {bot.name} ---\n{log[-2000:]}\n---", err=True)


def _by_move(played: PlayedMatch, seat: Seat) -> str:
    """All that a bot printed, below the moves that it belongs to where that is known."""
    outputs = played.outputs[seat] if played.outputs else ()
    if not any(outputs):
        return played.logs[seat]
    plies = {move.turn: ply for ply, move in reversed(list(enumerate(played.record.played, 1))) if move.seat == seat}
    parts = []
    for turn, output in enumerate(outputs):
        if output.strip():
            beside = f"move {plies[turn]}" if turn in plies else "without a move" if turn else "before its first move"
            parts.append(f"[{beside}]\n{output.rstrip()}")
    return "\n".join(parts)

"""The trial matches of a submission: ordinary matches, played by a worker on this machine or on a cluster.

What our own failure spoils the worker plays again, a bounded number of times; it is never held against the bot.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from arena.bots.launch import BotPlan, SandboxOptions, plan_bot
from arena.bots.manifest import Builtin
from arena.clock import TimeControl
from arena.errors import InfraError
from arena.game import AnyGame
from arena.match import Ending, MatchSpec, Verdict
from arena.referee import record
from arena.rng import draw_seed
from arena.sandboxes.sweeping import sweep
from arena.workers.base import Assignment, Executor, FinishedMatch, Job, VoidMatch
from arena.workers.local import LocalExecutor
from arena.workers.messages import WorkerPlan
from arena.workers.placement import LOCAL, MatchSize, Placement, cluster_executor, connect

_BOT, _OPPONENT = 0, 1
MakeExecutor = Callable[[WorkerPlan], Executor]


@dataclass(frozen=True, slots=True)
class TrialConfig:
    """The sandbox and the clock with which a submission is tried."""

    sandbox: SandboxOptions
    clock: TimeControl


@dataclass(frozen=True, slots=True)
class TrialReport:
    """How a bot did in the trial matches of one game."""

    played: int = 0
    fault: Verdict | None = None
    """What the bot did wrong, if it did."""
    where: str = ""
    """In which match that was; empty if it did not even start."""
    log: str = ""
    """What the bot printed last, if it was at fault."""
    weak_limits: tuple[str, ...] = ()
    """What was not fully enforced."""


RunTrial = Callable[[AnyGame, BotPlan, TrialConfig], TrialReport]
"""Plays the trial matches of one game."""


def trial_place(placement: Placement, say: Callable[[str], None]) -> RunTrial:
    """Plays trial matches on this machine, or on the cluster that is named."""

    def try_there(game: AnyGame, bot: BotPlan, terms: TrialConfig) -> TrialReport:
        limits = terms.sandbox.limits
        size = MatchSize(game.info.max_seats, limits.cpus, limits.memory_bytes, terms.sandbox.ponder)
        cluster = connect(placement, size)
        if cluster is None:
            raise InfraError("there is no cluster")
        cluster.say = say
        try:
            cluster.capacity()  # refuses a cluster that can play nothing
            return play_trial(lambda plan: cluster_executor(cluster, plan), game, bot, terms)
        finally:
            cluster.close()

    if placement.place == LOCAL:
        connect(placement, MatchSize(2, 1.0, 0, ponder=False))  # refuses what is for a cluster
        return partial(play_trial, lambda plan: LocalExecutor(plan, concurrency=1))
    return try_there


def play_trial(make_executor: MakeExecutor, game: AnyGame, bot: BotPlan, terms: TrialConfig) -> TrialReport:
    """Play from every seat at every size of table; the report ends with the first fault."""
    opponent = plan_bot(game, "random", Builtin("random"), terms.sandbox)
    seed = draw_seed()
    plan = WorkerPlan(game.info.name, 0, (bot, opponent), (_BOT, _OPPONENT), seed, strikes=0, fresh=False)
    assignments = tuple(_assignments(game, plan, terms, seed))
    reports: list[TrialReport] = []

    async def keep(match: FinishedMatch | VoidMatch) -> None:
        if isinstance(match, VoidMatch):
            raise InfraError(f"a match is void, through no fault of the bot: {match.reason}")
        reports.append(_report(match, assignments[match.entry.ordinal]))

    def may_begin() -> bool:
        return all(report.fault is None for report in reports)

    async def play() -> None:
        await sweep()
        executor = make_executor(plan)
        async with executor:
            await executor.play([Job((_BOT, _OPPONENT), assignments)], keep, may_begin)

    asyncio.run(play())
    failed = next((report for report in reports if report.fault is not None), None)
    weak_limits = tuple(sorted({limit for report in reports for limit in report.weak_limits}))
    return failed or TrialReport(len(reports), weak_limits=weak_limits)


def _assignments(game: AnyGame, plan: WorkerPlan, terms: TrialConfig, seed: int) -> Iterator[Assignment]:
    places = [(seats, seat) for seats in range(game.info.min_seats, game.info.max_seats + 1) for seat in range(seats)]
    for ordinal, (seats, own) in enumerate(places):
        seating = tuple(_BOT if seat == own else _OPPONENT for seat in range(seats))
        contestants = tuple(plan.bots[place].contestant for place in seating)
        spec = MatchSpec(
            f"check-{seed + ordinal}-{own}", game.info.name, game.configure(seats, {}), seed + ordinal, contestants,
            terms.clock,
        )  # fmt: skip
        yield Assignment(ordinal, seating, spec)


def _report(match: FinishedMatch, assignment: Assignment) -> TrialReport:
    own, seats = assignment.seating.index(_BOT), len(assignment.seating)
    if not match.entry.seats[own].at_fault:
        return TrialReport(1, weak_limits=match.weak_limits)
    fault = next(fault for fault in record.faults_in(match.record) if fault.seat == own)
    where = "" if fault.verdict.ending is Ending.NO_START else f"seat {own} of {seats}, after {fault.ply} moves"
    said = match.outputs[own].end.strip() if own in match.outputs else ""
    return TrialReport(0, fault.verdict, where, said)

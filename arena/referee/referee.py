"""The referee: one loop that asks the seat to move, applies its moves, and turns faults into verdicts."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from arena.errors import BotFault, EngineFault, InfraError
from arena.game import AnyGame, AnyState
from arena.match import (
    AnyRecord,
    Ending,
    MatchEnd,
    MatchRecord,
    MatchSpec,
    MatchStart,
    Outcome,
    PlayedMove,
    Seat,
    Verdict,
)
from arena.referee.faults import FORFEIT, FaultPolicy, plays_on, result
from arena.referee.player import Player
from arena.referee.progress import Progress, Watch
from arena.rng import random_id

AnyPlayer = Player[Any, Any, Any]
Dismiss = Callable[[Seat], Awaitable[None]]
"""Ends the bot of a seat at once, so that it neither computes nor hears of the match any more."""


async def play(
    game: AnyGame,
    players: Sequence[AnyPlayer],
    spec: MatchSpec[Any],
    policy: FaultPolicy = FORFEIT,
    watch: Watch | None = None,
    dismiss: Dismiss | None = None,
) -> AnyRecord:
    """Play the match to its end: a bot's fault becomes its verdict, any exception of ours a void match.

    As long as two fair seats are left, they play on: a bot at fault is dismissed, and random legal moves are played in
    its seat. Only cancellation, and what else is no `Exception`, is raised.
    """
    progress, seated, shown_id = Progress(spec, policy), _Players(players, dismiss), random_id()
    if watch is not None:
        watch(progress)
    try:
        state = _start(game, spec)
        faults = await seated.begin(spec, shown_id)
        for seat in sorted(faults):
            progress.fail(game, state, seat, faults[seat])
        await _play(game, state, seated, progress)
        record = progress.record(game, _outcome(state, progress.faulty, len(players)))
    except Exception as error:
        record = void(game, spec, error, tuple(progress.played))
    await seated.end(record)
    return replace(record, shown_id=shown_id)


async def _play(game: AnyGame, state: AnyState, seated: "_Players", progress: Progress) -> None:
    """Ask one seat after the other, until the game is over or one fair seat is left."""
    seats = len(seated.players)
    while plays_on(progress.faulty, seats) and (seat := state.to_move()) is not None:
        await seated.dismiss(progress.faulty)
        player = seated.players[seat]
        if seat in seated.gone:
            progress.substitute(state, seat, player.turn)
            continue
        try:
            decision = await player.decide(state, seat, seated.wait_frozen)
            progress.apply(state, seat, decision)
        except BotFault as fault:
            if not progress.forgive(game, state, seat, fault, player):
                progress.fail(game, state, seat, fault)


def void(game: AnyGame, spec: MatchSpec[Any], error: Exception, played: tuple[PlayedMove[Any], ...] = ()) -> AnyRecord:
    """The record of a match that does not count because of this failure of ours."""
    failure = error if isinstance(error, EngineFault | InfraError) else EngineFault(f"{type(error).__name__}: {error}")
    verdict = Verdict(Ending.VOID, f"{type(failure).__name__}: {failure}")
    verdicts = (verdict,) * len(spec.contestants)
    return MatchRecord(spec, game.info.version, played, verdicts, Outcome((), (), "void"))


class _Players:
    """The players of a match; those at fault leave while the others play on."""

    def __init__(self, players: Sequence[AnyPlayer], dismiss: Dismiss | None) -> None:
        self.players = players
        self.gone: set[Seat] = set()
        """The seats whose bots were dismissed."""
        self._dismiss = dismiss

    async def begin(self, spec: MatchSpec[Any], shown_id: str) -> dict[Seat, BotFault]:
        """Start all players at once; several may be at fault."""
        faults: dict[Seat, BotFault] = {}
        failures: list[Exception] = []

        async def begin_one(seat: Seat, player: AnyPlayer) -> None:
            start = MatchStart(shown_id, seat, len(self.players), spec.config, spec.control)
            try:
                await player.begin(start)
            except BotFault as fault:
                faults[seat] = fault
            except Exception as error:
                failures.append(error)

        async with asyncio.TaskGroup() as group:
            for seat, player in enumerate(self.players):
                group.create_task(begin_one(seat, player))
        if failures:
            raise failures[0]
        return faults

    async def wait_frozen(self) -> None:
        """Let no bot's time begin before all others stand still; they do so while we work on the next request."""
        for seat, player in enumerate(self.players):
            if seat not in self.gone:
                await player.wait_frozen()

    async def dismiss(self, faulty: Iterable[Seat]) -> None:
        """Dismiss the bots of these seats, if they are still there."""
        for seat in faulty:
            if seat not in self.gone:
                self.gone.add(seat)
                await (self._dismiss(seat) if self._dismiss else self.players[seat].leave())

    async def end(self, record: AnyRecord) -> None:
        """Tell every bot that is still there the outcome; all verdicts are decided, so errors are ignored."""
        for seat, player in enumerate(self.players):
            if seat not in self.gone:
                with suppress(Exception):
                    await player.end(MatchEnd.of(record, seat))


def _start(game: AnyGame, spec: MatchSpec[Any]) -> AnyState:
    try:
        return game.start(spec.config, spec.seed)
    except Exception as error:  # whatever our own rules raise here, no bot is to blame
        raise EngineFault(f"{game.info.name} could not start: {type(error).__name__}: {error}") from error


def _outcome(state: AnyState, faulty: Sequence[Seat], seats: int) -> Outcome:
    outcome = state.outcome()
    if outcome is None and plays_on(faulty, seats):
        raise EngineFault("the game is over but has no outcome")
    return outcome if outcome is not None and not faulty else result(outcome, faulty, seats)

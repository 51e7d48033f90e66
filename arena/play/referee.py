"""The referee: one loop that asks the seat to move, applies its moves, and turns faults into verdicts."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from arena.errors import BotFault, EngineFault, IllegalMove, InfraError
from arena.game import AnyGame, AnyState
from arena.match import (
    NO_TIMES,
    AnyRecord,
    Ending,
    MatchEnd,
    MatchRecord,
    MatchSpec,
    MatchStart,
    Outcome,
    PlayedMove,
    Seat,
    Strike,
    Verdict,
)
from arena.play.faults import FORFEIT, FORGIVABLE, Policy, verdict_of
from arena.play.player import Decision, Player
from arena.rng import choice, stream

AnyPlayer = Player[Any, Any, Any]
Faults = dict[Seat, BotFault]
Watch = Callable[[Sequence[PlayedMove[Any]]], None]
"""Gets the list of moves of a match when it begins; the list grows with every move, and may only be read."""


async def play(
    game: AnyGame,
    players: Sequence[AnyPlayer],
    spec: MatchSpec[Any],
    policy: Policy = FORFEIT,
    watch: Watch | None = None,
) -> AnyRecord:
    """Play the match to its end: a bot's fault becomes its verdict, any exception of ours a void match.

    Only cancellation, and what else is no `Exception`, is raised.
    """
    progress = _Progress(spec, policy)
    if watch is not None:
        watch(progress.played)

    async def settle() -> None:
        """Let no bot's time begin before all others stand still; they do so while we work on the next request."""
        for player in players:
            await player.settle()

    try:
        state = _start(game, spec)
        faults = await _begin(players, spec)
        while not faults and (seat := state.to_move()) is not None:
            try:
                decision = await players[seat].decide(state, seat, settle)
                progress.apply(state, seat, decision)
            except BotFault as fault:
                if not progress.forgive(state, seat, fault, players[seat].turn):
                    faults[seat] = fault
        verdicts = tuple(verdict_of(faults.get(seat)) for seat in range(len(players)))
        outcome = forfeit(faults, len(players)) if faults else _outcome(state)
        moves, strikes = tuple(progress.played), tuple(progress.strikes)
        record = MatchRecord(spec, game.info.version, moves, verdicts, outcome, strikes)
    except Exception as error:
        record = void(game, spec, error, tuple(progress.played))
    await _end(players, record)
    return record


def void(game: AnyGame, spec: MatchSpec[Any], error: Exception, played: tuple[PlayedMove[Any], ...] = ()) -> AnyRecord:
    """The record of a match that does not count because of this failure of ours."""
    failure = error if isinstance(error, EngineFault | InfraError) else EngineFault(f"{type(error).__name__}: {error}")
    verdict = Verdict(Ending.VOID, f"{type(failure).__name__}: {failure}")
    verdicts = (verdict,) * len(spec.contestants)
    return MatchRecord(spec, game.info.version, played, verdicts, Outcome((), (), "void"))


class _Progress:
    """The moves and strikes of one match so far."""

    def __init__(self, spec: MatchSpec[Any], policy: Policy) -> None:
        self.played: list[PlayedMove[Any]] = []
        self.strikes: list[Strike] = []
        self._spec = spec
        self._policy = policy

    def apply(self, state: AnyState, seat: Seat, decision: Decision[Any]) -> None:
        """Play the moves of one reply in order; what was legal before an illegal one stays played.

        A move may end the game by something that its seat could not know, so what comes after the end is ignored.
        """
        times = decision.times
        for move in decision.moves:
            if state.to_move() is None:
                break
            if state.to_move() != seat:
                raise IllegalMove(f"sent {len(decision.moves)} moves, but its turn ended before the last of them")
            _apply(state, move)
            self.played.append(PlayedMove(seat, move, times, turn=decision.turn))
            times = NO_TIMES

    def forgive(self, state: AnyState, seat: Seat, fault: BotFault, turn: int) -> bool:
        """Play a random legal move for a seat at fault, if it has a strike left and can play on."""
        earlier = sum(strike.seat == seat for strike in self.strikes)
        if earlier >= self._policy.strikes or not isinstance(fault, FORGIVABLE):
            return False
        self.strikes.append(Strike(seat, len(self.played), verdict_of(fault)))
        if state.to_move() == seat:
            move = choice(stream(self._spec.seed, "substitute", len(self.played)), state.legal())
            _apply(state, move)
            self.played.append(PlayedMove(seat, move, substituted=True, turn=turn))
        return True


def forfeit(faulty: Sequence[Seat] | Mapping[Seat, object], seats: int) -> Outcome:
    """The outcome when these seats are at fault: they share the last place, all others the first."""
    fair = seats - len(faulty)
    ranks = tuple(fair + 1 if seat in faulty else 1 for seat in range(seats))
    scores = tuple(0.0 if seat in faulty else 1.0 for seat in range(seats))
    names = " and ".join(f"seat {seat}" for seat in sorted(faulty))
    return Outcome(ranks, scores, f"{names} forfeited" if len(faulty) == 1 else f"{names} both forfeited")


def _start(game: AnyGame, spec: MatchSpec[Any]) -> AnyState:
    try:
        return game.start(spec.config, spec.seed)
    except Exception as error:  # whatever our own rules raise here, no bot is to blame
        raise EngineFault(f"{game.info.name} could not start: {type(error).__name__}: {error}") from error


async def _begin(players: Sequence[AnyPlayer], spec: MatchSpec[Any]) -> Faults:
    """Start all players at once; both may be at fault."""
    faults: Faults = {}
    failures: list[Exception] = []

    async def begin(seat: Seat, player: AnyPlayer) -> None:
        start = MatchStart(spec.match_id, seat, len(players), spec.config, spec.control)
        try:
            await player.begin(start)
        except BotFault as fault:
            faults[seat] = fault
        except Exception as error:
            failures.append(error)

    async with asyncio.TaskGroup() as group:
        for seat, player in enumerate(players):
            group.create_task(begin(seat, player))
    if failures:
        raise failures[0]
    return faults


def _apply(state: AnyState, move: Any) -> None:
    try:
        state.apply(move)
    except IllegalMove:
        raise
    except Exception as error:  # our rules must either apply a move or raise IllegalMove
        raise EngineFault(f"the move {move} broke the rules engine: {type(error).__name__}: {error}") from error


def _outcome(state: AnyState) -> Outcome:
    outcome = state.outcome()
    if outcome is None:
        raise EngineFault("the game is over but has no outcome")
    return outcome


async def _end(players: Sequence[AnyPlayer], record: AnyRecord) -> None:
    """Tell every bot the outcome; all verdicts are decided, so errors are ignored."""
    for player, verdict in zip(players, record.verdicts):
        with suppress(Exception):
            await player.end(MatchEnd(record.outcome, verdict))

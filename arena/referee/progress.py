"""The progress of a match: what was played, what was forgiven, and whose bots were ended."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from arena.errors import BotFault, EngineFault, IllegalMove
from arena.game import AnyGame, AnyState
from arena.match import (
    FINE,
    NO_TIMES,
    AnyRecord,
    Fault,
    MatchRecord,
    MatchSpec,
    Outcome,
    PlayedMove,
    Seat,
    Strike,
    Times,
)
from arena.referee.faults import FORFEIT, FORGIVABLE, FaultPolicy, substitute
from arena.referee.illegal_moves import pack_tried, verdict_in
from arena.referee.player import Decision, Player


class Progress:
    """The moves, strikes and faults of one match so far; who watches it may only read."""

    def __init__(self, spec: MatchSpec[Any], policy: FaultPolicy = FORFEIT) -> None:
        self.played: list[PlayedMove[Any]] = []
        self.strikes: list[Strike] = []
        self.faults: list[Fault] = []
        self._spec = spec
        self._policy = policy

    @property
    def faulty(self) -> list[Seat]:
        """The seats at fault, in the order of their faults."""
        return [fault.seat for fault in self.faults]

    def apply(self, state: AnyState, seat: Seat, decision: Decision[Any]) -> None:
        """Play the moves of one reply in order; what was legal before an illegal one stays played."""
        times = decision.times
        for move in apply_reply(state, seat, decision.moves):
            self.played.append(PlayedMove(seat, move, times, turn=decision.turn))
            times = NO_TIMES

    def forgive(
        self, game: AnyGame, state: AnyState, seat: Seat, fault: BotFault, player: Player[Any, Any, Any]
    ) -> bool:
        """Play a random legal move for a seat at fault, if it has a strike left and can play on.

        The move carries the times of the reply in whose place it is, unless a move of that reply was played.
        """
        earlier = sum(strike.seat == seat for strike in self.strikes)
        if earlier >= self._policy.strikes or not isinstance(fault, FORGIVABLE):
            return False
        self.strikes.append(Strike(seat, len(self.played), verdict_in(game, state, fault)))
        if state.to_move() == seat:
            begun = any((move.seat, move.turn) == (seat, player.turn) for move in self.played[-1:])
            self.substitute(state, seat, player.turn, NO_TIMES if begun else player.times)
        return True

    def fail(self, game: AnyGame, state: AnyState, seat: Seat, fault: BotFault) -> None:
        """Note a fault that is not forgiven, with the move of an illegal one."""
        verdict, tried = verdict_in(game, state, fault), pack_tried(fault, game.codec)
        self.faults.append(Fault(seat, len(self.played), verdict, tried))

    def substitute(self, state: AnyState, seat: Seat, turn: int, times: Times = NO_TIMES) -> None:
        """Play a random legal move for this seat, whose bot was asked for this turn last."""
        move = substitute(self._spec.seed, len(self.played), state.legal())
        _apply(state, move)
        self.played.append(PlayedMove(seat, move, times, substituted=True, turn=turn))

    def record(self, game: AnyGame, outcome: Outcome) -> AnyRecord:
        """The record of the match, which has ended so."""
        verdicts = {fault.seat: fault.verdict for fault in self.faults}
        return MatchRecord(
            self._spec,
            game.info.version,
            tuple(self.played),
            tuple(verdicts.get(seat, FINE) for seat in range(len(self._spec.contestants))),
            outcome,
            tuple(self.strikes),
            faults=tuple(self.faults),
        )


Watch = Callable[[Progress], None]
"""Gets the progress of a match when it begins, which grows with every move."""


def apply_reply(state: AnyState, seat: Seat, moves: Sequence[Any]) -> Iterator[Any]:
    """Play the moves of one reply in order, and hand each out then; IllegalMove at the first that is not legal.

    A move may end the game by something that its seat could not know, so what comes after the end is ignored.
    """
    for move in moves:
        if state.to_move() is None:
            return
        if state.to_move() != seat:
            raise IllegalMove(f"sent {len(moves)} moves, but its turn ended before the last of them")
        try:
            _apply(state, move)
        except IllegalMove as error:
            error.tried = move
            raise
        yield move


def _apply(state: AnyState, move: Any) -> None:
    try:
        state.apply(move)
    except IllegalMove:
        raise
    except Exception as error:  # our rules must either apply a move or raise IllegalMove
        raise EngineFault(f"the move {move} broke the rules engine: {type(error).__name__}: {error}") from error

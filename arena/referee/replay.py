"""Replays a record: every position of the match, and the check that its outcome follows from its moves."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from arena.clock import Clock
from arena.errors import BadMessage, IllegalMove, RecordError
from arena.game import AnyGame, AnyState
from arena.match import NO_TIMES, AnyRecord, Ending, Outcome, PlayedMove, Seat
from arena.referee.faults import early_end, plays_on, result, substitute


def positions(game: AnyGame, record: AnyRecord) -> Iterator[tuple[AnyState, PlayedMove[Any] | None]]:
    """Every position with the move that was played in it; the last one has None.

    The same state object is handed out each time: clone it to keep it.
    """
    if record.rules_version != game.info.version:
        raise RecordError(
            f"the record was played with version {record.rules_version!r} of {game.info.name}'s rules; "
            f"this is version {game.info.version!r}"
        )
    state = game.start(record.spec.config, record.spec.seed)
    for number, played in enumerate(record.played, 1):
        if played.seat != state.to_move():
            raise RecordError(f"move {number} is recorded for seat {played.seat}, which was not to move")
        yield state, played
        try:
            state.apply(played.move)
        except IllegalMove as error:
            raise RecordError(f"move {number} of the record is illegal: {error}") from error
    yield state, None


def banks_of(record: AnyRecord) -> Iterator[list[float]]:
    """What every seat had in its bank after each move, as the referee's clock counted it."""
    clocks = [Clock(record.spec.control) for _ in record.spec.contestants]
    struck = {strike.ply for strike in record.strikes if strike.verdict.ending is Ending.TIME}
    for ply, played in enumerate(record.played):
        clock, times = clocks[played.seat], played.times
        if ply in struck:
            clock.miss()
        elif times != NO_TIMES:  # a reply of several moves carries its times on its first move
            clock.charge(times.wall / 1e6, times.cpu / 1e6, times.lag / 1e6)
        yield [round(clock.bank, 3) for clock in clocks]


def verify(game: AnyGame, record: AnyRecord) -> None:
    """Replay the match, draw the moves of seats at fault again, and compare; RecordError says what does not agree."""
    seats = len(record.spec.contestants)
    if len(record.verdicts) != seats:
        raise RecordError(f"the record has {len(record.verdicts)} verdicts for {seats} seats")
    _check_faults(record)
    for ply, (last, played) in enumerate(positions(game, record)):
        if played is not None and not record.void:
            _check_substitute(record, ply, last, played)
        _check_tried(game, record, ply, last)
    if record.void:
        return
    faulty = [seat for seat, verdict in enumerate(record.verdicts) if verdict.at_fault]
    outcome = _outcome(record, faulty, last.outcome())
    if outcome != record.outcome:
        raise RecordError(f"the recorded outcome is {record.outcome}, but replaying gives {outcome}")


def _check_faults(record: AnyRecord) -> None:
    """Refuse faults that are not those of the verdicts, or not in the order of the match."""
    verdicts = {seat: verdict for seat, verdict in enumerate(record.verdicts) if verdict.at_fault}
    if not record.faults:
        return
    if len(record.faults) != len(verdicts) or {fault.seat: fault.verdict for fault in record.faults} != verdicts:
        raise RecordError("the faults of the record are not those of its verdicts")
    plies = [fault.ply for fault in record.faults]
    if plies != sorted(plies) or plies[-1] > len(record.played):
        raise RecordError("the faults of the record are not in the order of its moves")


def _check_tried(game: AnyGame, record: AnyRecord, ply: int, state: AnyState) -> None:
    """Refuse a move that is recorded as illegal, and is legal in its position."""
    for fault in record.faults:
        if fault.tried and (fault.ply, fault.seat) == (ply, state.to_move()):
            with suppress(BadMessage):
                if game.codec.load_move(fault.tried) in state.legal():
                    raise RecordError(f"move {ply + 1}, for which seat {fault.seat} is blamed, is legal")


def _check_substitute(record: AnyRecord, ply: int, state: AnyState, played: PlayedMove[Any]) -> None:
    """Refuse a move of a bot that was gone, and one in its place that the seed does not give."""
    if not played.substituted and any(fault.seat == played.seat and fault.ply <= ply for fault in record.faults):
        raise RecordError(f"move {ply + 1} is recorded as one of seat {played.seat}'s bot, which was at fault before")
    # The evidence of a check has random moves, and no faults among them.
    if played.substituted and (record.faults or record.strikes) and record.why_substituted(ply) is None:
        raise RecordError(f"move {ply + 1} was played for seat {played.seat}, whose bot was not at fault")
    if played.substituted and played.move != substitute(record.spec.seed, ply, state.legal()):
        raise RecordError(f"move {ply + 1} was played for seat {played.seat}, and is not the one that the seed gives")


def _outcome(record: AnyRecord, faulty: Sequence[Seat], outcome: Outcome | None) -> Outcome:
    """The outcome of the match, from that of its game and from the seats at fault."""
    seats, moves = len(record.verdicts), len(record.played)
    before = [fault.seat for fault in record.faults if fault.ply < moves]
    ends = bool(faulty) and (not plays_on(faulty, seats) or record.ended_at_fault)
    if outcome is None and not ends:
        raise RecordError("the record ends before the game does, and no fault explains it")
    if outcome is not None and ends:
        raise RecordError("the record blames a seat although the game was played to its end")
    if not plays_on(before, seats):
        raise RecordError("the record goes on after the match was over by a fault")
    if record.faults and (len(before) < len(faulty)) != ends:
        raise RecordError("the record has a fault after its last move, and none that ended the match")
    if not faulty:
        return outcome  # type: ignore[return-value]  # it is there, since no fault ended the match
    return result(outcome, faulty, seats) if record.faults else early_end(faulty, seats)

"""Sends the requests of a recorded match to a bot again, rebuilt from the record, and compares the answers."""

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from typing import Any

from arena.clock import UNTIMED_WAIT, Clock
from arena.errors import BadMessage, BotFault, IllegalMove, RecordError, UsageError
from arena.game import AnyGame, AnyState
from arena.match import (
    NO_TIMES,
    AnyRecord,
    Ending,
    MatchEnd,
    MatchStart,
    Moves,
    PlayedMove,
    Ready,
    Seat,
    Turn,
)
from arena.referee.player import Link
from arena.referee.progress import apply_reply
from arena.referee.replay import positions
from arena.untrusted.text import printable

AnyTurn = Turn[Any, Any]


@dataclass(slots=True)
class RecordedRequest:
    """A request of the recorded match with the moves that answered it."""

    move: int
    """The number, counted from 1, of the move in the match that it asked for."""
    state: AnyState
    turn: AnyTurn
    recorded: tuple[Any, ...]
    """The moves that were played then; none if the match ended here."""
    note: str = ""
    """Why the bot's own moves were not played then, if it was at fault."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The new answer to a recorded request beside the recorded one."""

    request: RecordedRequest
    moves: tuple[Any, ...]
    fault: str = ""
    """What is wrong with the new answer, if it is not valid."""

    @property
    def same(self) -> bool:
        """Whether both begin with the same moves: a bot may send several moves at once or one by one."""
        pairs = list(zip(self.moves, self.request.recorded))
        return not self.fault and not self.request.note and bool(pairs) and all(now == then for now, then in pairs)


def requests(game: AnyGame, record: AnyRecord, seat: Seat) -> Iterator[RecordedRequest]:
    """Every request that this seat got, with the same turn numbers, observations and clock.

    The list of legal moves is always there; a bot that does not ask for it must not be sent it.
    """
    clock, number, open_request = Clock(record.spec.control), 0, None
    for ply, (state, played) in enumerate(positions(game, record)):
        if played is not None and open_request and _continues(played, seat):
            open_request.recorded += (played.move,)
            continue
        if open_request:
            yield open_request
            open_request = None
        if state.to_move() != seat or (played is None and not (record.verdicts[seat].at_fault or record.void)):
            continue
        if any(fault.seat == seat and fault.ply < ply for fault in record.faults):
            continue  # its bot was gone, and was not asked
        number += 1
        turn = Turn(number, state.view(seat), tuple(state.legal()), clock.available(), clock.bank)
        open_request = RecordedRequest(ply + 1, state.clone(), turn, () if played is None else (played.move,))
        open_request.note = _note(record, seat, ply, played)
        if played is not None and (why := record.why_substituted(ply)) and why.ending is Ending.TIME:
            clock.miss()
        elif played is not None and not (played.substituted and played.times == NO_TIMES):
            clock.charge(played.times.wall / 1e6, played.times.cpu / 1e6, played.times.lag / 1e6)
    if open_request:
        yield open_request


async def reproduce(
    game: AnyGame, record: AnyRecord, seat: Seat, link: Link, *, first: int = 1
) -> AsyncIterator[Comparison]:
    """Ask for every decision from move `first` on, without a clock, and go on along the recorded game."""
    if not 0 <= seat < len(record.spec.contestants):
        raise UsageError(f"the match has the seats 0 to {len(record.spec.contestants) - 1}, not {seat}")
    if len(record.verdicts) != len(record.spec.contestants):
        raise RecordError("the record has not one verdict per seat, so it cannot be played again")
    wants_legal = await _begin(game, record, seat, link)
    for request in requests(game, record, seat):
        if request.move < first:
            continue
        turn = request.turn if wants_legal else replace(request.turn, legal=None)
        answer = await link.call(game.codec.write_turn(turn), UNTIMED_WAIT)
        try:
            moves = tuple(_legal(game, request.state, seat, _read(game, answer.reply, turn)))
        except BotFault as fault:
            yield Comparison(request, (), str(fault))
        else:
            yield Comparison(request, moves)
    await link.tell(game.codec.write_end(_end(record, seat)))


def _end(record: AnyRecord, seat: Seat) -> MatchEnd:
    """The end as it was told, but printable: bots print it to the user's terminal, and strangers make records, too."""
    end = MatchEnd.of(record, seat)
    outcome = replace(end.outcome, reason=printable(end.outcome.reason))
    return MatchEnd(outcome, replace(end.verdict, sentence=printable(end.verdict.sentence)))


def in_words(game: AnyGame, state: AnyState, moves: tuple[Any, ...]) -> list[str]:
    """Each of these legal moves as the game tells it, in Rich console markup."""
    lines, state = [], state.clone()
    for move in moves:
        lines.append(game.describe_move(state, move))
        state.apply(move)
    return lines


def _continues(played: PlayedMove[Any], seat: Seat) -> bool:
    """Whether a move came with the one before it: a reply of several moves carries its times on its first."""
    return played.seat == seat and played.times == NO_TIMES and not played.substituted


def _note(record: AnyRecord, seat: Seat, ply: int, played: PlayedMove[Any] | None) -> str:
    if played is None:
        return f"the match ended here: {record.verdicts[seat].sentence}"
    if not played.substituted:
        return ""
    why = record.why_substituted(ply)
    return "a random move was played for it" + (f": {why.sentence}" if why else "")


async def _begin(game: AnyGame, record: AnyRecord, seat: Seat, link: Link) -> bool:
    spec = record.spec
    shown_id = printable(record.shown_id or spec.match_id)
    start = MatchStart(shown_id, seat, len(spec.contestants), spec.config, spec.control)
    reply = game.codec.read_reply((await link.call(game.codec.write_start(start), UNTIMED_WAIT)).reply)
    if not isinstance(reply, Ready):
        raise BadMessage("it answered the start of the match with something else than `ready`")
    return reply.wants_legal


def _read(game: AnyGame, data: bytes, turn: AnyTurn) -> tuple[Any, ...]:
    reply = game.codec.read_reply(data)
    if not isinstance(reply, Moves) or not reply.moves:
        raise BadMessage(f"it answered turn {turn.number} without a move")
    if reply.turn != turn.number:
        raise BadMessage(f"it answered turn {reply.turn} when turn {turn.number} was asked")
    return reply.moves


def _legal(game: AnyGame, state: AnyState, seat: Seat, moves: tuple[Any, ...]) -> Iterator[Any]:
    """The moves of a reply that the referee would play; IllegalMove names the first that it would refuse."""
    state, tried = state.clone(), 0
    try:
        for move in apply_reply(state, seat, moves):
            yield move
            tried += 1
    except IllegalMove as error:
        raise IllegalMove(f"the illegal move {json.dumps(game.codec.move_to_json(moves[tried]))}: {error}") from error

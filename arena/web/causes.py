"""Why bots were at fault: what each did, and after an illegal move what would have been legal instead."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from arena.errors import BadMessage, IllegalMove, RecordError, UsageError
from arena.game import AnyGame, AnyState
from arena.match import AnyRecord, Ending, Fault, Seat
from arena.referee.illegal_moves import move_words
from arena.referee.record import faults_in
from arena.referee.replay import positions
from arena.store.base import MatchEntry
from arena.untrusted.text import printable

if TYPE_CHECKING:
    from arena.store.sql import Store  # who shows a record alone needs no database

MAX_TRIED = 300
"""Characters of an illegal move that are shown."""
MAX_LINES = 20
"""Lines that are shown of what a bot printed."""


@dataclass(frozen=True, slots=True)
class Cause:
    """What a bot did wrong; every text is safe to print, and still has to be escaped."""

    seat: Seat
    ply: int
    """How many moves had been played before."""
    sentence: str
    tried: str = ""
    """The illegal move in words, where the game has any for it, and as its message is."""
    legal: tuple[str, ...] = ()
    """What it could have done instead, in words."""
    forgiven: bool = False
    """It did not end the bot: a random legal move was played in its place."""


def find_causes(game: AnyGame, record: AnyRecord) -> tuple[Cause, ...]:
    """The causes of all faults, the forgiven ones first; RecordError if the record cannot be replayed."""
    strikes = [Cause(at.seat, at.ply, printable(at.verdict.sentence), forgiven=True) for at in record.strikes]
    faults = record.faults or [Fault(seat, ply, record.verdicts[seat]) for seat, ply in record.fault_plies.items()]
    found = {fault.seat: Cause(fault.seat, fault.ply, printable(fault.verdict.sentence)) for fault in faults}
    illegal = [fault for fault in faults if fault.verdict.ending is Ending.ILLEGAL]
    for ply, (state, _) in enumerate(positions(game, record) if illegal else ()):
        for fault in illegal:
            # A move too many came when another seat was to move, whose moves are of no interest.
            if (fault.ply, fault.seat) == (ply, state.to_move()):
                legal = tuple(move_words(game, state, move) for move in state.legal())
                found[fault.seat] = replace(found[fault.seat], tried=_tried(game, state, fault), legal=legal)
    return (*strikes, *found.values())


def fault_plies(store: "Store", match: MatchEntry) -> Mapping[Seat, int]:
    """After how many moves each seat was at fault, if others played on: then its record is read, which knows."""
    if match.fault_plies is not None:
        return match.fault_plies
    with suppress(RecordError, UsageError):  # it may just have been deleted, or be one of a later Arena
        kept = store.kept_match(match.tournament_id, match.match_id)
        return {fault.seat: fault.ply for fault in faults_in(kept.record)}
    return {}


def last_lines(output: str) -> str:
    """The end of what a bot printed."""
    return "\n".join(printable(output, lines=True).strip("\n").splitlines()[-MAX_LINES:])


def _tried(game: AnyGame, state: AnyState, fault: Fault) -> str:
    if not fault.tried:
        return ""
    try:
        move = game.codec.load_move(fault.tried)
    except BadMessage:
        return ""
    words = ""
    with suppress(IllegalMove, LookupError, ValueError):  # a game need only describe what is legal
        words = f"{move_words(game, state, move)} = "
    return printable(f"{words}{json.dumps(game.codec.move_to_json(move), ensure_ascii=False)}")[:MAX_TRIED]

"""What bots printed, decision by decision, beside their moves in a record; a store keeps it apart from its records."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from arena.match import AnyRecord, PlayedMove, Seat

MAX_OUTPUT = 400
"""Characters that are kept of what a bot printed in one decision, the newest."""
_MAX_OF_SEAT = 8192
"""Characters that are kept of all decisions of a seat; the latest decisions come first."""


def with_outputs(record: AnyRecord, outputs: Sequence[Sequence[str]]) -> AnyRecord:
    """The record with these outputs of every seat, by turn; the first move of a reply carries what belongs to it."""
    kept = {seat: _within_bounds(of_seat) for seat, of_seat in enumerate(outputs) if any(of_seat)}
    return replace(record, played=tuple(_with_output(move, kept) for move in record.played)) if kept else record


def without_outputs(record: AnyRecord) -> AnyRecord:
    """The record without what bots printed."""
    return replace(record, played=tuple(replace(move, output="") if move.output else move for move in record.played))


def with_outputs_of_moves(record: AnyRecord, outputs: Mapping[int, str]) -> AnyRecord:
    """The record with these outputs, by the numbers of its moves."""
    played = (
        replace(move, output=shortened(outputs[number])) if number in outputs else move
        for number, move in enumerate(record.played)
    )
    return replace(record, played=tuple(played))


def _within_bounds(outputs: Sequence[str]) -> dict[int, str]:
    """The outputs by turn, shortened; what was printed at the start of the match goes with the first turn."""
    by_turn = dict(enumerate(outputs))
    by_turn[1] = by_turn.pop(0, "") + by_turn.get(1, "")
    left = _MAX_OF_SEAT
    for turn in sorted(by_turn, reverse=True):
        by_turn[turn] = shortened(by_turn[turn].strip("\n"), min(MAX_OUTPUT, left))
        left -= len(by_turn[turn])
    return by_turn


def shortened(text: str, most: int = MAX_OUTPUT) -> str:
    """The end of a text, with a mark where its beginning was left out."""
    if len(text) <= most:
        return text
    return f"…{text[len(text) - most + 1 :]}" if most > 1 else ""


def _with_output(move: PlayedMove[object], kept: dict[Seat, dict[int, str]]) -> PlayedMove[object]:
    output = kept.get(move.seat, {}).pop(move.turn, "")
    return replace(move, output=output) if output else move

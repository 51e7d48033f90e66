"""The rows of a match in the store: computed from its record alone, so that verification can compute them again."""

from collections.abc import Sequence

from arena.game import AnyGame
from arena.match import AnyRecord
from arena.referee.seal import seal
from arena.store.base import MatchEntry, Output, Outputs, SeatResult

LOG_KEPT = 4096
"""Characters of a bot's output that are kept with each match."""


def match_entry(
    game: AnyGame, record: AnyRecord, *, tournament_id: int, ordinal: int, places: Sequence[int],
    bot_ids: Sequence[int],
) -> MatchEntry:  # fmt: skip
    """The rows of a match between the bots at these places of the field; places and bots are in seat order."""
    seats = tuple(_seat_result(record, seat, bot_ids[seat]) for seat in range(len(places)))
    return MatchEntry(
        tournament_id=tournament_id,
        match_id=record.spec.match_id,
        ordinal=ordinal,
        group=" ".join(map(str, sorted(places))),
        seed=record.spec.seed,
        reason=record.outcome.reason,
        moves=len(record.played),
        seal=seal(game, record),
        seats=seats,
        ended_at_fault=record.ended_at_fault,
    )


def output_rows(record: AnyRecord, logs: Sequence[str]) -> Outputs:
    """What the bots of a match printed, as the record has it beside their moves; `logs` is the newest, by seat."""
    by_move: dict[int, dict[int, str]] = {}
    for number, move in enumerate(record.played):
        if move.output:
            by_move.setdefault(move.seat, {})[number] = move.output
    said = {seat: Output(log[-LOG_KEPT:], by_move.get(seat, {})) for seat, log in enumerate(logs)}
    return {seat: output for seat, output in said.items() if output.end or output.by_move}


def _seat_result(record: AnyRecord, seat: int, bot_id: int) -> SeatResult:
    times = [move.times for move in record.played if move.seat == seat]
    verdict = record.verdicts[seat]
    return SeatResult(
        bot_id=bot_id,
        rank=record.outcome.ranks[seat],
        score=record.outcome.scores[seat],
        ending=verdict.ending.name,
        sentence=verdict.sentence,
        wall_us=sum(part.wall for part in times),
        cpu_us=sum(part.cpu for part in times),
    )

"""What the store keeps of a match: its rows, worked out from its record alone, so that they can be worked out again."""

from collections.abc import Sequence

from arena.game import AnyGame
from arena.play.record import AnyRecord
from arena.play.seal import seal
from arena.store.base import MatchEntry, SeatResult

LOG_KEPT = 4096
"""Characters of a bot's output that are kept with each match."""


def match_entry(
    game: AnyGame, kept: AnyRecord, *, tournament_id: int, ordinal: int, places: Sequence[int], bot_ids: Sequence[int],
    logs: Sequence[str],
) -> MatchEntry:  # fmt: skip
    """The rows of a match between the bots at these places of the field; places, bots and logs are in seat order."""
    seats = tuple(_seat_result(kept, seat, bot_ids[seat], logs[seat]) for seat in range(len(places)))
    return MatchEntry(
        tournament_id=tournament_id,
        match_id=kept.spec.match_id,
        ordinal=ordinal,
        group=" ".join(map(str, sorted(places))),
        seed=kept.spec.seed,
        reason=kept.outcome.reason,
        moves=len(kept.played),
        seal=seal(game, kept),
        seats=seats,
    )


def _seat_result(kept: AnyRecord, seat: int, bot_id: int, log: str) -> SeatResult:
    mine = [each.times for each in kept.played if each.seat == seat]
    verdict = kept.verdicts[seat]
    return SeatResult(
        bot_id=bot_id,
        rank=kept.outcome.ranks[seat],
        score=kept.outcome.scores[seat],
        ending=verdict.ending.name,
        sentence=verdict.sentence,
        wall_us=sum(times.wall for times in mine),
        cpu_us=sum(times.cpu for times in mine),
        log=log[-LOG_KEPT:],
    )

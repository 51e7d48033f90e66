"""Replays a record: every position of the match, and the check that its outcome follows from its moves."""

from collections.abc import Iterator
from typing import Any

from arena.errors import IllegalMove, RecordError
from arena.game import AnyGame, AnyState
from arena.match import AnyRecord, Ending, PlayedMove
from arena.play.referee import forfeit


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


def verify(game: AnyGame, record: AnyRecord) -> None:
    """Replay the match and compare; RecordError says what does not agree."""
    seats = len(record.spec.contestants)
    if len(record.verdicts) != seats:
        raise RecordError(f"the record has {len(record.verdicts)} verdicts for {seats} seats")
    *_, (last, _) = positions(game, record)
    endings = [verdict.ending for verdict in record.verdicts]
    if record.void:
        return
    faulty = [seat for seat, ending in enumerate(endings) if ending is not Ending.NORMAL]
    outcome = forfeit(faulty, seats) if faulty else last.outcome()
    if outcome is None:
        raise RecordError("the record ends before the game does, and no seat is at fault")
    if faulty and last.outcome() is not None:
        raise RecordError("the record blames a seat although the game was played to its end")
    if outcome != record.outcome:
        raise RecordError(f"the recorded outcome is {record.outcome}, but replaying gives {outcome}")

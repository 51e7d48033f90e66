"""Fault policy: the verdict of a fault, what is forgiven, who plays on, who is last, and when bots are restarted."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from arena.errors import (
    Abuse,
    BadMessage,
    BotFault,
    Crashed,
    Disconnected,
    IllegalMove,
    OutOfMemory,
    StartFailed,
    TimedOut,
)
from arena.match import FINE, Ending, Outcome, Seat, Verdict
from arena.rng import choice, stream

M = TypeVar("M")

ENDING_OF: Mapping[type[BotFault], Ending] = {
    StartFailed: Ending.NO_START,
    TimedOut: Ending.TIME,
    Crashed: Ending.CRASH,
    OutOfMemory: Ending.OUT_OF_MEMORY,
    Disconnected: Ending.DISCONNECT,
    BadMessage: Ending.PROTOCOL,
    IllegalMove: Ending.ILLEGAL,
    Abuse: Ending.ABUSE,
}

FORGIVABLE = (TimedOut, IllegalMove, BadMessage)
"""Faults after which a bot can still play on."""


@dataclass(frozen=True, slots=True)
class FaultPolicy:
    """How many faults per seat are forgiven."""

    strikes: int = 0
    """How many late, illegal or invalid replies per seat are made good by a random legal move; then it forfeits."""


FORFEIT = FaultPolicy()


def verdict_of(fault: BotFault | None) -> Verdict:
    """The verdict of a seat with this fault, or without one."""
    return FINE if fault is None else Verdict(ENDING_OF[type(fault)], str(fault))


def plays_on(faulty: Collection[Seat], seats: int) -> bool:
    """Whether a match goes on when these of its seats are at fault: as long as two fair seats are left."""
    return not faulty or seats - len(faulty) > 1


def substitute(seed: int, ply: int, legal: Sequence[M]) -> M:
    """The move that is played for a seat at fault: drawn by the match's seed, so that anybody can draw it again."""
    return choice(stream(seed, "substitute", ply), legal)


def result(outcome: Outcome | None, faulty: Collection[Seat], seats: int) -> Outcome:
    """The outcome of a match in which these seats were at fault; None stands for a game that was not played to its end.

    Fair seats keep the order and the scores of the game, or share the first place of a game without an end. Those at
    fault share the last place with no score.
    """
    fair = [seat for seat in range(seats) if seat not in faulty]
    ranks, scores = ((1,) * seats, (1.0,) * seats) if outcome is None else (outcome.ranks, outcome.scores)
    return Outcome(
        tuple(
            1 + sum(ranks[other] < ranks[seat] for other in fair) if seat in fair else len(fair) + 1
            for seat in range(seats)
        ),
        tuple(scores[seat] if seat in fair else 0.0 for seat in range(seats)),
        _reason(outcome, sorted(faulty), fair),
    )


def early_end(faulty: Sequence[Seat], seats: int) -> Outcome:
    """A match cut short by a fault: all other seats share first place."""
    names = " and ".join(f"seat {seat}" for seat in faulty)
    reason = f"{names} forfeited" if len(faulty) == 1 else f"{names} both forfeited"
    return replace(result(None, faulty, seats), reason=reason)


def _reason(outcome: Outcome | None, faulty: Sequence[Seat], fair: Sequence[Seat]) -> str:
    *most, last = (f"seat {seat}" for seat in faulty)
    names = f"{', '.join(most)} and {last}" if most else last
    if outcome is not None:
        return f"{outcome.reason}; {names} forfeited"
    if len(faulty) + len(fair) == 2:
        return f"{names} both forfeited" if most else f"{names} forfeited"
    return f"{names} forfeited" + "".join(f", and only seat {seat} is left" for seat in fair)


def needs_restart(verdicts: Sequence[Verdict], not_running: Collection[Seat]) -> bool:
    """Whether the bots of a match must be restarted before the next one.

    A bot that was at fault may be dead, hung, or still busy with that match. All bots of the match are restarted with
    it: so a fault costs one match, wherever a tournament is interrupted and resumed. A bot that never started needs no
    restart; it is not tried again until the next leg.
    """
    return any(verdict != FINE for seat, verdict in enumerate(verdicts) if seat not in not_running)

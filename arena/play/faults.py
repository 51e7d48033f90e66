"""Fault policy: the verdict of a fault, what is forgiven, what is played again, and when bots are restarted."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

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
from arena.match import FINE, Ending, Seat, Verdict

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

REPLAYS = 2
"""How often a void match is played again, with the same seed and new bots, before it stays void."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How many faults per seat are forgiven."""

    strikes: int = 0
    """How many late, illegal or invalid replies per seat are made good by a random legal move; then it forfeits."""


FORFEIT = Policy()


def verdict_of(fault: BotFault | None) -> Verdict:
    """The verdict of a seat with this fault, or without one."""
    return FINE if fault is None else Verdict(ENDING_OF[type(fault)], str(fault))


def needs_restart(verdicts: Sequence[Verdict], not_running: Collection[Seat]) -> bool:
    """Whether the bots of a match must be restarted before the next one.

    A bot that was at fault may be dead, hung, or still busy with that match. All bots of the match are restarted with
    it: so a fault costs one match, wherever a tournament is interrupted and resumed. A bot that never started needs no
    restart; it is not tried again until the next job of its group.
    """
    return any(verdict.ending is not Ending.NORMAL for seat, verdict in enumerate(verdicts) if seat not in not_running)

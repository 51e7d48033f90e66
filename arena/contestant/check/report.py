"""The report of a check: its steps, and measurements of the bot."""

import math
from dataclasses import dataclass
from enum import Enum

from arena.errors import ArenaError
from arena.match import AnyRecord, Seat, Verdict


class Mark(Enum):
    """How a step went."""

    PASSED = "passed"
    WARNED = "warned"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a check, with what to do next if it did not pass."""

    number: int
    title: str
    mark: Mark
    detail: str = ""
    seconds: float = 0.0
    advice: str = ""
    evidence: AnyRecord | None = None
    """The match that failed, for `arena bot reproduce`."""
    seat: Seat = 0


@dataclass(frozen=True, slots=True)
class Measures:
    """What a bot took, over all decisions of the check; times in seconds."""

    start: float
    decisions: int
    median: float
    p99: float
    slowest: float
    peak_memory: int | None


@dataclass(frozen=True, slots=True)
class Remark:
    """The result of a step that did not fail."""

    text: str
    advice: str = ""
    """Makes it a warning."""


class CheckFailed(ArenaError):
    """The bot was at fault in a step of the check."""

    def __init__(self, verdict: Verdict, where: str, evidence: AnyRecord | None = None, seat: Seat = 0) -> None:
        super().__init__(f"{where}: {verdict.sentence}" if where else verdict.sentence)
        self.verdict = verdict
        self.where = where
        self.evidence = evidence
        self.seat = seat


def percentile(ascending: list[float], percent: float) -> float:
    """The smallest of these values that is not exceeded by this share of them."""
    return ascending[max(0, math.ceil(len(ascending) * percent / 100) - 1)]

"""What an executor promises: it plays jobs, and hands over every match as soon as it is over."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from arena.match import MatchRecord, MatchSpec


@dataclass(frozen=True, slots=True)
class Assignment:
    """One match of a job: who of the job's bots sits where, and what is played."""

    ordinal: int
    """Its place in the schedule."""
    seating: tuple[int, ...]
    """Indices into the job's bots, in seat order."""
    spec: MatchSpec[Any]


@dataclass(frozen=True, slots=True)
class Job:
    """Matches between the same bots, which stay warm from one to the next."""

    bots: tuple[int, ...]
    """Their numbers in the field."""
    assignments: tuple[Assignment, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """A match that is over, with the last output of every bot in it, in seat order."""

    job: Job
    assignment: Assignment
    record: MatchRecord[Any, Any]
    logs: tuple[str, ...]


class Executor(Protocol):
    """Plays jobs on some machine or other."""

    def play(self, jobs: Sequence[Job]) -> AsyncIterator[Played]:
        """Play all jobs; matches come as they end, in no particular order."""
        ...

    def stop(self) -> None:
        """Let the running matches end and begin no more."""
        ...

"""The interface of an executor: it plays jobs, and hands over every match as soon as it is over."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from arena.errors import InfraError
from arena.match import Fault, MatchSpec, PlayedMove, Times
from arena.monitoring.figures import NO_FIGURES, MatchFigures
from arena.store.base import MatchEntry, Outputs


@dataclass(frozen=True, slots=True)
class Assignment:
    """One match of a job: the seating of the job's bots, and what is played."""

    ordinal: int
    """Its place in the schedule."""
    seating: tuple[int, ...]
    """Indices into the job's bots, in seat order."""
    spec: MatchSpec[Any]
    leg: int = 0
    """Which leg of the job it belongs to."""


@dataclass(frozen=True, slots=True)
class Job:
    """All matches of some deals between the same bots, leg after leg: each is one seating of them.

    A bot that has seen a deal from one seat knows what the others hold in the return match. So a job stays with one
    worker, and the bots are started anew for each of its legs: within one they stay warm.
    """

    bots: tuple[int, ...]
    """Their numbers in the field."""
    assignments: tuple[Assignment, ...]

    def begins_leg(self, number: int) -> bool:
        """Whether new processes must play this assignment; whoever goes on with the rest of a job begins a leg, too."""
        return not number or self.assignments[number].leg != self.assignments[number - 1].leg


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """A match that is over, with all that the store keeps of it."""

    entry: MatchEntry
    record: bytes
    seconds: float
    """What the match took, without the start of its bots."""
    figures: MatchFigures = NO_FIGURES
    weak_limits: tuple[str, ...] = ()
    """What was not fully enforced."""
    outputs: Outputs = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VoidMatch:
    """A match that does not count, because something of ours failed again and again."""

    reason: str
    seconds: float
    figures: MatchFigures = NO_FIGURES


PlainMove = tuple[Any, ...]
"""A move that was played, as a tuple of plain values: it is pickled in a tenth of the time of a PlayedMove."""


def plain_move(played: PlayedMove[Any]) -> PlainMove:
    """A move as it is reported while the match runs; what the bot printed is known only when the match is over."""
    times = played.times
    return (
        played.seat, played.move, played.substituted,
        times.wall, times.charged, times.cpu, times.transport, times.referee, times.lag,
    )  # fmt: skip


def played_move(plain: PlainMove) -> PlayedMove[Any]:
    """The move that was reported so."""
    seat, move, substituted, *times = plain
    return PlayedMove(seat, move, Times(*times), substituted)


class WorkerDied(InfraError):
    """A worker ended in the middle of its work."""


class WorkerLost(WorkerDied):
    """A worker is gone together with its node, for which the match that it played is hardly to blame."""


class WorkerCleanupFailed(WorkerDied):
    """A worker cannot clear away what earlier bots left, and has not begun the match that it was asked for."""


class Spectator(Protocol):
    """Is told what is played while it is played; it must not raise, and must return at once."""

    def begun(self, bots: tuple[int, ...], assignment: Assignment) -> None:
        """A match has begun between these bots of the field."""

    def watches(self, match_id: str) -> bool:
        """Whether it wants to know the moves of this match."""
        ...

    def played(
        self, match_id: str, attempt: int, moves: int, played: Sequence[PlainMove], faults: Sequence[Fault] = ()
    ) -> None:
        """More moves were played; see `MovesReport`."""

    def ended(self, match_id: str) -> None:
        """The match was kept, or does not count."""


class NullSpectator:
    """A spectator who looks at nothing."""

    def begun(self, bots: tuple[int, ...], assignment: Assignment) -> None:
        """A match has begun."""

    def watches(self, match_id: str) -> bool:  # noqa: ARG002
        """Not this one either."""
        return False

    def played(
        self, match_id: str, attempt: int, moves: int, played: Sequence[PlainMove], faults: Sequence[Fault] = ()
    ) -> None:
        """More moves were played."""

    def ended(self, match_id: str) -> None:
        """The match is over."""


NULL_SPECTATOR = NullSpectator()


class WorkerHandle(Protocol):
    """The driver's side of a worker, which plays one match at a time in a process that does nothing else."""

    node: str
    """The machine where it plays; empty where there is only one, or before it was started."""

    async def start(self) -> None:
        """Start it, or start it again after its end, and wait until it can play; InfraError if that cannot be."""
        ...

    async def play(self, bots: tuple[int, ...], assignment: Assignment, *, new_leg: bool) -> FinishedMatch | VoidMatch:
        """Play a match there; WorkerDied if it ends meanwhile, InfraError if the match cannot be played there."""
        ...

    async def close(self) -> None:
        """End it and its bots; may be called at any time and any number of times."""
        ...


Keep = Callable[[FinishedMatch | VoidMatch], Awaitable[None]]
MayBegin = Callable[[], bool]


class Executor(Protocol):
    """Plays jobs on some machine or other, for as long as it is entered as a context."""

    async def __aenter__(self) -> object: ...

    async def __aexit__(self, *_: object) -> None: ...

    async def play(self, jobs: Iterable[Job], keep: Keep, may_begin: MayBegin) -> None:
        """Play all jobs; `keep` gets every match as it ends, and no match begins once `may_begin` says no.

        The jobs are drawn one by one, each when a worker is free to play it.
        """
        ...

    @property
    def running(self) -> int:
        """How many matches are being played."""
        ...

    @property
    def tables(self) -> int:
        """How many matches can be played at once, as far as that is known."""
        ...

    def stop(self) -> None:
        """Let the running matches end and begin no more."""
        ...

    def abort(self) -> None:
        """Drop the running matches too; `play` returns as soon as their bots are gone."""
        ...

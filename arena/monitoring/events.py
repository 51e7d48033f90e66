"""Events of a running tournament, told in the driver's process, never in one that takes the time of a bot."""

from collections.abc import Callable
from dataclasses import dataclass

from arena.monitoring.figures import MatchFigures
from arena.store.base import MatchEntry


@dataclass(frozen=True, slots=True)
class WorkerReady:
    """A worker can play."""

    table: int
    """Its number in the executor."""
    node: str
    """The name of the machine where it plays."""


@dataclass(frozen=True, slots=True)
class WorkerFailed:
    """A worker cannot be started."""

    table: int
    reason: str


@dataclass(frozen=True, slots=True)
class WorkerDismissed:
    """A worker is not needed any more, was given up, or has to look for another node."""

    table: int


@dataclass(frozen=True, slots=True)
class MatchBegun:
    """A worker was given a match."""

    table: int
    node: str
    match_id: str
    bots: tuple[str, ...]
    """Names and versions in seat order."""


@dataclass(frozen=True, slots=True)
class MatchPlayed:
    """A match is over, and counts."""

    table: int
    node: str
    bots: tuple[str, ...]
    entry: MatchEntry
    seconds: float
    figures: MatchFigures


@dataclass(frozen=True, slots=True)
class MatchKept:
    """A match is in the store."""

    match_id: str


@dataclass(frozen=True, slots=True)
class MatchVoid:
    """A match does not count through no fault of a bot."""

    table: int
    node: str
    match_id: str
    reason: str
    final: bool
    """Whether it stays void in this run; if not, it is played again."""
    figures: MatchFigures


@dataclass(frozen=True, slots=True)
class WorkerEnded:
    """A worker died in the middle of a match, or is gone together with its node."""

    table: int
    node: str
    match_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class NodeCordoned:
    """A node of a cluster is played on no more."""

    node: str
    reason: str


@dataclass(frozen=True, slots=True)
class RunBegun:
    """A process begins to play a tournament, or goes on with it."""

    run_id: str
    tournament_id: int
    game: str
    executor: str
    tables: int
    played: int
    total: int | None


@dataclass(frozen=True, slots=True)
class RunEnded:
    """A process plays no more."""

    tournament_id: int
    played: int
    outcome: str


Event = (
    RunBegun | RunEnded | WorkerReady | WorkerFailed | WorkerDismissed | WorkerEnded | NodeCordoned
    | MatchBegun | MatchPlayed | MatchKept | MatchVoid
)  # fmt: skip
Listener = Callable[[Event], None]


def ignore(_: Event) -> None:
    """Listen to nothing."""

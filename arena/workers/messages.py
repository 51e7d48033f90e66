"""The messages between a tournament and its worker processes, over a pair of sockets.

Both ends are processes of ours, of the same program and the same user: so the messages are pickled.
"""

import asyncio
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from struct import Struct
from typing import Any

from arena.bots.launch import BotPlan
from arena.errors import ArenaError, InfraError, UsageError
from arena.match import Fault
from arena.workers.base import Assignment, PlainMove, WorkerCleanupFailed, WorkerDied

_LENGTH = Struct(">I")


@dataclass(frozen=True, slots=True)
class WorkerPlan:
    """What a worker needs to know of a tournament before its first match."""

    game: str
    tournament: int
    bots: tuple[BotPlan, ...]
    """The whole field."""
    bot_ids: tuple[int, ...]
    """What the store calls them."""
    seed: int
    """For players inside the referee."""
    strikes: int
    fresh: bool
    """Whether bots are restarted for every match instead of every leg."""
    extra_enforcement: Mapping[str, str] = field(default_factory=dict)
    """What its records say of the enforcement beside what held the bots."""
    reports: bool = False
    """Whether workers tell what is played while it is played."""


READY = "ready"
"""From a worker, in answer to its plan."""


@dataclass(frozen=True, slots=True)
class PlayMatch:
    """To a worker: play this match; the answer is a FinishedMatch, a VoidMatch or a Failure."""

    bots: tuple[int, ...]
    """The bots of the job, by their numbers in the field."""
    assignment: Assignment
    new_leg: bool
    """Whether the bots are to be started anew for it."""


@dataclass(frozen=True, slots=True)
class MovesReport:
    """From a worker, while it plays: what was played since the last report; the answer to PlayMatch comes later."""

    attempt: int
    """Grows when a match is played anew, and its moves count from the start again."""
    moves: int
    """How many there are by now."""
    played: tuple[PlainMove, ...]
    """Those since the last report."""
    faults: tuple[Fault, ...] = ()
    """Those since the last report."""


@dataclass(frozen=True, slots=True)
class Failure:
    """From a worker: the match was not played, and what is wrong."""

    kind: type[ArenaError]
    sentence: str

    @classmethod
    def of(cls, error: ArenaError) -> "Failure":
        """Of an error by its kind, as far as callers tell them apart: its own class may not be known to them."""
        kinds: tuple[type[ArenaError], ...] = (WorkerCleanupFailed, WorkerDied, UsageError)
        return cls(next((kind for kind in kinds if isinstance(error, kind)), InfraError), str(error))

    def error(self) -> ArenaError:
        return self.kind(self.sentence)


def pack(message: object) -> bytes:
    """A message as it goes over the socket."""
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(content)) + content


async def receive(reader: asyncio.StreamReader) -> Any:
    """The next message; asyncio.IncompleteReadError when the other end is gone."""
    (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
    return pickle.loads(await reader.readexactly(length))  # noqa: S301  (see above)

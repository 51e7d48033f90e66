"""The data of a match: what is to be played, the messages between referee and bot, and the record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Generic, TypeVar

from arena.clock import TimeControl

C = TypeVar("C")
M = TypeVar("M")
O = TypeVar("O")  # C, M, O: config, move, observation

Seat = int
"""The position of a player in a match, counted from 0."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: ranks per seat (1 is best, ties share), a score per seat, and why."""

    ranks: tuple[int, ...]
    scores: tuple[float, ...]
    reason: str


def points(ranks: Sequence[int]) -> list[float]:
    """How many of the others each seat has beaten, ties counting half."""
    return [sum((rank < other) + 0.5 * (rank == other) for other in ranks) - 0.5 for rank in ranks]


def ordinal(rank: int) -> str:
    """A rank in words: 1st, 2nd, 3rd, 4th."""
    suffix = "th" if rank % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{suffix}"


class Ending(Enum):
    """How a match ended for one seat."""

    NORMAL = "played to the end"
    NO_START = "never became ready"
    TIME = "used more time than it had"
    CRASH = "its process ended"
    OUT_OF_MEMORY = "used more memory than it had"
    DISCONNECT = "closed its stream"
    PROTOCOL = "sent an invalid message"
    ILLEGAL = "chose an illegal move"
    ABUSE = "attacked the referee"
    VOID = "the match does not count"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The ending of one seat, with a sentence for people."""

    ending: Ending
    sentence: str


FINE = Verdict(Ending.NORMAL, Ending.NORMAL.value)


@dataclass(frozen=True, slots=True)
class Contestant:
    """A bot as it is named in records and tables."""

    name: str
    version: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class MatchSpec(Generic[C]):
    """A match to be played: game, config, seed, bots and time control."""

    match_id: str
    game: str
    config: C
    seed: int
    contestants: tuple[Contestant, ...]
    control: TimeControl


@dataclass(frozen=True, slots=True)
class Times:
    """Where the time of one reply went, in microseconds."""

    wall: int = 0
    """From the request to the reply, as the bot could have seen it."""
    charged: int = 0
    """What the bot's clock was charged with."""
    cpu: int = 0
    """Processor time of the bot's processes."""
    transport: int = 0
    """What our side of the connection took."""
    referee: int = 0
    """What the referee took to write the request and to read the reply."""
    lag: int = 0
    """How long the referee's own machine stood still meanwhile."""


NO_TIMES = Times()


@dataclass(frozen=True, slots=True)
class PlayedMove(Generic[M]):
    """One move as it was played; a reply of several moves carries its times on its first move."""

    seat: Seat
    move: M
    times: Times = NO_TIMES
    substituted: bool = False
    """The referee played it at random because the bot was at fault."""
    output: str = ""
    """What the bot printed in this decision, escaped and shortened; on the first move of a reply."""
    turn: int = field(default=0, compare=False)
    """The number of the turn that it answers; not kept in files."""


@dataclass(frozen=True, slots=True)
class Strike:
    """A fault that did not end the match, because a random legal move was played in its place."""

    seat: Seat
    ply: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class SandboxReport:
    """What held a bot: the kind of its sandbox, and what was enforced as read back after its launch."""

    kind: str
    enforcement: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class MatchRecord(Generic[C, M]):
    """Everything needed to replay a match and to judge it."""

    spec: MatchSpec[C]
    rules_version: str
    played: tuple[PlayedMove[M], ...]
    verdicts: tuple[Verdict, ...]
    outcome: Outcome
    strikes: tuple[Strike, ...] = ()
    sandboxes: tuple[SandboxReport, ...] = ()

    @property
    def void(self) -> bool:
        """Whether the match does not count."""
        return any(verdict.ending is Ending.VOID for verdict in self.verdicts)


AnyRecord = MatchRecord[Any, Any]


# The five messages between the referee and a bot; there are no others.


@dataclass(frozen=True, slots=True)
class MatchStart(Generic[C]):
    """Referee to bot: a match begins."""

    match_id: str
    seat: Seat
    seats: int
    config: C
    control: TimeControl


@dataclass(frozen=True, slots=True)
class Turn(Generic[M, O]):
    """Referee to bot: it is your decision."""

    number: int
    observation: O
    legal: tuple[M, ...] | None
    """Every legal move in the engine's order, if the bot asked for them in `Ready`."""
    available: float
    """Seconds that this decision may take."""
    bank: float
    """Seconds of it that are spent for the whole match once they are used."""


@dataclass(frozen=True, slots=True)
class MatchEnd:
    """Referee to bot: the match is over."""

    outcome: Outcome
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Ready:
    """Bot to referee: I am ready to play this match."""

    wants_legal: bool


@dataclass(frozen=True, slots=True)
class Moves(Generic[M]):
    """Bot to referee: my decision, or several in a row."""

    turn: int
    moves: tuple[M, ...]

"""The data of a match: what is to be played, the messages between referee and bot, and the record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain
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


def undecided(seats: int, reason: str) -> Outcome:
    """What bots are told of a match without an outcome, for they are promised a rank for each seat: all are first."""
    return Outcome((1,) * seats, (0.0,) * seats, reason)


def points(ranks: Sequence[int]) -> list[float]:
    """How many of the others each seat has beaten, ties counting half."""
    return [sum((rank < other) + 0.5 * (rank == other) for other in ranks) - 0.5 for rank in ranks]


def percent(share: float, digits: int = 0) -> str:
    """A share in per cent; nearly all is not all, and nearly nothing is not nothing."""
    least = 10.0 ** -(digits + 2)
    if 0.0 < share < least:
        return f"<{least:.{digits}%}"
    # Not rounded up to certainty either: 99.6 % is no 100 %.
    if 1.0 - least < share < 1.0:
        return f">{1.0 - least:.{digits}%}"
    return f"{share:.{digits}%}"


def about(number: float) -> str:
    """An estimate with the two digits that are known of it, such as 4,100."""
    return f"{float(f'{number:.2g}'):,.0f}"


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


def is_fault(ending: str) -> bool:
    """Whether the ending of this name is a fault of the bot, which nobody has in a void match."""
    return ending not in (Ending.NORMAL.name, Ending.VOID.name)


WON_BY_FORFEIT = "won by forfeit"


def ending_words(ending: str) -> str:
    """What the ending of this name means."""
    return Ending[ending].value if ending in Ending.__members__ else ending


def result_words(
    names: Sequence[str], ranks: Sequence[int], reason: str, endings: Sequence[str], plies: Mapping[Seat, int]
) -> str:
    """How a match ended, in one sentence: the one place where that is decided.

    `endings` are the names of those of the seats, `plies` says after how many moves a seat was at fault, where that is
    known.
    """
    if not ranks:
        return "The match does not count"
    fair = [seat for seat, ending in enumerate(endings) if not is_fault(ending)]
    faulty = [seat for seat in range(len(names)) if seat not in fair]
    did = "; ".join(_fault_words(names[seat], endings[seat], plies.get(seat)) for seat in faulty)
    if not fair:
        return f"Nobody won ({did})"
    if faulty and len(fair) == 1:
        return f"{names[fair[0]]} {WON_BY_FORFEIT} ({did})"
    first = [name for name, rank in zip(names, ranks) if rank == 1]
    who = f"{first[0]} wins" if len(first) == 1 else f"{' and '.join(first)} share the win"
    return f"{'A draw' if len(first) == len(names) else who}: {reason}" + (f" ({did})" if did else "")


def seat_words(seat: Seat, endings: Sequence[str], sentence: str) -> str:
    """How a match ended for a seat whose verdict says this; the last fair one did not play to the end."""
    others = [ending for other, ending in enumerate(endings) if other != seat]
    return WON_BY_FORFEIT if not is_fault(endings[seat]) and all(map(is_fault, others)) else sentence


def _fault_words(name: str, ending: str, ply: int | None) -> str:
    did = ending_words(ending)
    words = f"{name}'s {did.removeprefix('its ')}" if did.startswith("its ") else f"{name} {did}"
    return words if ply is None or ending == Ending.NO_START.name else f"{words} at move {ply + 1}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The ending of one seat, with a sentence for people."""

    ending: Ending
    sentence: str

    @property
    def at_fault(self) -> bool:
        """Whether the bot did something wrong."""
        return is_fault(self.ending.name)


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
    """The referee played it at random because the bot was at fault; its times are those of the reply that was not."""
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
class Fault:
    """A fault that ended its bot: if two or more fair seats are left, random legal moves are played in its seat."""

    seat: Seat
    ply: int
    """How many moves had been played before it."""
    verdict: Verdict
    tried: bytes = b""
    """The illegal move as the codec writes it; nothing for other faults, and in records from before it was kept."""


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
    faults: tuple[Fault, ...] = ()
    """In the order in which they happened; records from before matches were played on have none."""
    shown_id: str = field(default="", compare=False)
    """The match id that the bots were given: a new random one each time it is played."""

    @property
    def names(self) -> list[str]:
        """What the seats are called: their bots, with the seat where one bot has several."""
        names = [bot.name or f"seat {seat}" for seat, bot in enumerate(self.spec.contestants)]
        return [f"{name} (seat {seat})" if names.count(name) > 1 else name for seat, name in enumerate(names)]

    @property
    def endings(self) -> list[str]:
        """The name of the ending of each seat."""
        return [verdict.ending.name for verdict in self.verdicts]

    @property
    def fault_plies(self) -> dict[Seat, int]:
        """How many moves had been played before each fault; older records ended at theirs."""
        faulty = (seat for seat, verdict in enumerate(self.verdicts) if verdict.at_fault)
        return {fault.seat: fault.ply for fault in self.faults} or dict.fromkeys(faulty, len(self.played))

    @property
    def result(self) -> str:
        """How it ended, in one sentence."""
        return result_words(self.names, self.outcome.ranks, self.outcome.reason, self.endings, self.fault_plies)

    def seat_words(self, seat: Seat) -> str:
        """How it ended for this seat."""
        return seat_words(seat, self.endings, self.verdicts[seat].sentence)

    @property
    def void(self) -> bool:
        """Whether the match does not count."""
        return any(verdict.ending is Ending.VOID for verdict in self.verdicts)

    @property
    def ended_at_fault(self) -> bool:
        """Whether it ended at a fault although two or more fair seats were left, as all matches once did.

        Nobody knows how these seats would have fared, so it is not rated.
        """
        return not self.faults and cut_short(self.verdicts)

    def why_substituted(self, ply: int) -> Verdict | None:
        """The fault for which the referee played this move at random; None if it is the bot's own, or not known."""
        played = self.played[ply]
        if not played.substituted:
            return None
        strikes = (strike.verdict for strike in self.strikes if (strike.seat, strike.ply) == (played.seat, ply))
        faults = (fault.verdict for fault in self.faults if fault.seat == played.seat and fault.ply <= ply)
        return next(chain(strikes, faults), None)


def cut_short(verdicts: Sequence[Verdict]) -> bool:
    """Whether some seat was at fault, and two or more were not."""
    return 1 < sum(not verdict.at_fault for verdict in verdicts) < len(verdicts)


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

    @classmethod
    def of(cls, record: AnyRecord, seat: Seat) -> "MatchEnd":
        """The end of this match, as its seat is told."""
        outcome = record.outcome
        return cls(outcome if outcome.ranks else undecided(len(record.verdicts), outcome.reason), record.verdicts[seat])


@dataclass(frozen=True, slots=True)
class Ready:
    """Bot to referee: I am ready to play this match."""

    wants_legal: bool


@dataclass(frozen=True, slots=True)
class Moves(Generic[M]):
    """Bot to referee: my decision, or several in a row."""

    turn: int
    moves: tuple[M, ...]

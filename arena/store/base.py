"""What a store keeps, as values; apart from the store itself, so that a worker process loads no database."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from arena.match import Contestant, is_fault, result_words, seat_words

SILENT_S = 20.0
"""Seconds without a report after which the process of a run is taken for dead."""


@dataclass(frozen=True, slots=True)
class BotEntry:
    """A registered bot; a version never changes once it is there."""

    id: int
    name: str
    version: str
    owner: str
    digest: str
    origin: str
    """Where it is run from: the path of a folder, the digest of an image, or nothing if its files are not here."""
    games: tuple[str, ...]
    retired: bool
    created: datetime
    """When it was registered, in UTC."""
    checksum: str = ""
    """See arena/store/checksums.py."""
    ladder_number: int = 0
    """Versions that came onto the ladder later have higher ones; 0 while it was only tried out."""

    @property
    def on_ladder(self) -> bool:
        """Whether it was handed in, and not only tried out."""
        return self.ladder_number > 0

    @property
    def label(self) -> str:
        """Its name and version, as tables show it."""
        return f"{self.name} {self.version}"

    @property
    def contestant(self) -> Contestant:
        """As it is named in records."""
        return Contestant(self.name, self.version, self.digest)

    @property
    def kind(self) -> str:
        """What it is run from: a folder, an image, `absent` if its files are not here, or it is part of the referee."""
        if not self.origin:
            return "built-in" if not self.digest else "absent"
        return "image" if self.origin == self.digest else "folder"


Bot = tuple[str, str, str]
"""Name, version and digest of a bot in the field of a tournament."""
ADD, EXCLUDE, CLOSE = "add", "exclude", "close"


@dataclass(frozen=True, slots=True)
class Change:
    """What was decided after the first match of a tournament: a bot plays too, or plays no more, or nobody does."""

    kind: str
    at: int
    """The place in the schedule from which on it counts; all before the place of a close was played."""
    bot: Bot | None = None

    @property
    def makes_sense(self) -> bool:
        """Whether it is one that Arena writes."""
        return self.at >= 0 and (self.kind == CLOSE if self.bot is None else self.kind in (ADD, EXCLUDE))

    def to_json(self) -> dict[str, Any]:
        """As plain data for the store."""
        plain: dict[str, Any] = {"kind": self.kind, "at": self.at}
        return plain if self.bot is None else {**plain, "bot": list(self.bot)}

    @classmethod
    def from_json(cls, plain: Any) -> "Change":
        """From plain data; of what no Arena wrote, one that makes no sense, so that `arena verify` can say so."""
        match plain:
            case {"kind": str(kind), "at": int(at), "bot": [str(name), str(version), str(digest)], **rest} if not rest:
                return cls(kind, at, (name, version, digest))
            case {"kind": str(kind), "at": int(at), **rest} if not rest:
                return cls(kind, at)
        return cls("", -1)


Changes = tuple[Change, ...]


def field_of(bots: Iterable[Bot], changes: Changes) -> list[Bot]:
    """The bots that a tournament began with, and those that were added; one that came back has its old number."""
    added = (change.bot for change in changes if change.kind == ADD and change.bot is not None)
    return list(dict.fromkeys([*bots, *added]))


def excluded_of(changes: Changes) -> set[Bot]:
    """The bots that play no more."""
    last = {change.bot: change.kind for change in changes if change.bot is not None}
    return {bot for bot, kind in last.items() if kind == EXCLUDE}


@dataclass(frozen=True, slots=True)
class TournamentEntry:
    """A tournament with all that was decided about it, before its first match and later."""

    id: int
    game: str
    settings: Mapping[str, Any]
    finished: bool
    key: str = ""
    """A digest of the game and the settings."""
    checksum: str = ""
    """Over all of its matches, once it is finished; see arena/store/checksums.py."""
    weak_limits: tuple[str, ...] | None = ()
    """What was not fully enforced in its matches; None if that was not noted."""
    apart: bool = False
    """It was imported, and counts for no table but its own."""
    changes: Changes = ()
    playing: bool = False
    """Whether a process plays it that is alive."""

    @property
    def closed(self) -> bool:
        """Whether it was ended before its schedule was."""
        return any(change.kind == CLOSE for change in self.changes)

    @property
    def state(self) -> str:
        """In a word, the same for every list and page: running, stopped, closed or finished."""
        if self.finished:
            return "closed" if self.closed else "finished"
        return "running" if self.playing else "stopped"

    @property
    def title(self) -> str:
        """What its organiser called it, if anything."""
        return str(self.settings.get("title", ""))

    @property
    def field(self) -> list[Bot]:
        """Every bot that ever took part, in the order of their numbers."""
        return field_of([(bot[0], bot[1], bot[2]) for bot in self.settings.get("bots", ())], self.changes)

    @property
    def excluded(self) -> set[Bot]:
        """Those of them that play no more."""
        return excluded_of(self.changes)


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How a match ended for one seat."""

    bot_id: int
    rank: int
    score: float
    ending: str
    sentence: str
    wall_us: int
    cpu_us: int

    @property
    def at_fault(self) -> bool:
        """Whether its bot did something wrong."""
        return is_fault(self.ending)


@dataclass(frozen=True, slots=True)
class MatchEntry:
    """A finished match of a tournament."""

    tournament_id: int
    match_id: str
    ordinal: int
    """Its place in the schedule."""
    group: str
    """Matches of one group share their bots."""
    seed: int
    """Matches of one group with the same seed are the same deal with the seats rotated."""
    reason: str
    moves: int
    seal: str
    """A digest over everything that the match was; see arena/referee/seal.py."""
    seats: tuple[SeatResult, ...]
    ended_at_fault: bool = False
    """It ended although two or more fair seats were left, as all matches once did, and is not rated."""

    @property
    def fault_plies(self) -> dict[int, int] | None:
        """After how many moves each seat was at fault; None if only the record knows, since others played on."""
        faulty = [seat for seat, result in enumerate(self.seats) if result.at_fault]
        at_end = len(faulty) == 1 and (len(self.seats) == 2 or self.ended_at_fault)
        return dict.fromkeys(faulty, self.moves) if at_end or not faulty else None

    def result(self, names: Sequence[str], plies: Mapping[int, int] | None = None) -> str:
        """How it ended, in one sentence: `names` are those of its bots, `plies` the record's if this row has none."""
        endings, known = [seat.ending for seat in self.seats], plies or self.fault_plies or {}
        return result_words(names, [seat.rank for seat in self.seats], self.reason, endings, known)

    def seat_words(self, seat: int) -> str:
        """How it ended for this seat."""
        return seat_words(seat, [result.ending for result in self.seats], self.seats[seat].sentence)


@dataclass(frozen=True, slots=True)
class Output:
    """What a bot printed in a match; it is no part of the match, and nothing is decided by it."""

    end: str
    """The newest of all."""
    by_move: Mapping[int, str] = field(default_factory=dict)
    """What it printed in a decision, by the number of its move in the record, from 0."""


Outputs = Mapping[int, Output]
"""By seat; without those whose bots printed nothing."""


@dataclass(frozen=True, slots=True)
class KeptMatch:
    """A match with all that is kept of it, the output of its bots too."""

    entry: MatchEntry
    record: bytes
    checksum: str
    outputs: Outputs = field(default_factory=dict)
    weak_limits: tuple[str, ...] = ()
    """What was not fully enforced, for matches that are added; the store keeps it with the tournament."""


@dataclass(frozen=True, slots=True)
class ListedMatch:
    """A match on a page of many, without its record and the output of its bots."""

    number: int
    """Its running number in this store: later matches have higher ones, and some numbers may be missing."""
    game: str
    created: datetime
    """When it was kept, in UTC."""
    entry: MatchEntry


@dataclass(frozen=True, slots=True)
class MatchResult:
    """All that a schedule needs of a match that was played."""

    ordinal: int
    bot_ids: tuple[int, ...]
    """In seat order."""
    ranks: tuple[int, ...]


class Tally(NamedTuple):
    """How many matches of the same bots in the same seats ended with the same ranks; there are many of these."""

    bot_ids: tuple[int, ...]
    """In seat order."""
    ranks: tuple[int, ...]
    matches: int


@dataclass(frozen=True, slots=True)
class SeatTally:
    """Sums over the matches that a bot played in one seat and that ended for it in the same way."""

    bot_id: int
    seat: int
    ending: str
    """The name of an `Ending`."""
    matches: int
    moves: int
    """Of all seats together."""
    wall_us: int
    cpu_us: int

    @property
    def at_fault(self) -> bool:
        """Whether the bot did something wrong in them."""
        return is_fault(self.ending)


@dataclass(frozen=True, slots=True)
class TournamentSummary:
    """A tournament in a list."""

    entry: TournamentEntry
    created: datetime
    """When it was begun, in UTC."""
    matches: int
    """How many are kept."""


@dataclass(frozen=True, slots=True)
class RunningMatch:
    """A match that is being played, as far as it is known."""

    tournament_id: int
    match_id: str
    attempt: int
    """Grows when it is played anew, so that its moves count from the start again."""
    moves: int
    record: bytes
    """See `arena.referee.record.load_begun`."""


@dataclass(frozen=True, slots=True)
class RunEntry:
    """A process that plays a tournament, as it last reported."""

    id: str
    tournament_id: int
    status: Mapping[str, Any]
    """See arena/monitoring/run_state.py."""
    started: datetime
    """In UTC, as all times here."""
    reported: datetime
    silent_s: float
    """Seconds since its last report, by the clock of the database."""

    @property
    def alive(self) -> bool:
        """Whether it has reported lately; a process that was killed has not."""
        return self.silent_s < SILENT_S


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What an archive has: for every match the checksum, by its name; and that of the whole, if it is finished."""

    matches: Mapping[str, str]
    checksum: str
    rated: bool
    """Whether it shall count as if it had been played here; else it is kept apart."""
    changes: Changes = ()

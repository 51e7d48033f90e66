"""What a store keeps, as values; apart from the store itself, so that a worker process loads no database."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from arena.match import is_fault

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
    """When it was registered, in universal time."""
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
    def kind(self) -> str:
        """What it is run from: a folder, an image, `absent` if its files are not here, or it is part of the referee."""
        if not self.origin:
            return "built-in" if not self.digest else "absent"
        return "image" if self.origin == self.digest else "folder"


@dataclass(frozen=True, slots=True)
class TournamentEntry:
    """A tournament with all that was decided before its first match."""

    id: int
    game: str
    settings: Mapping[str, Any]
    finished: bool
    key: str = ""
    """A digest of the game and the settings."""
    checksum: str = ""
    """Over all of its matches, once it is finished; see arena/store/checksums.py."""
    weak_limits: tuple[str, ...] | None = ()
    """What was not fully held in its matches; None if that was not noted."""
    apart: bool = False
    """It was imported, and counts for no table but its own."""


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
    """What was not fully held, for matches that are added; the store keeps it with the tournament."""


@dataclass(frozen=True, slots=True)
class ListedMatch:
    """A match on a page of many, without its record and the output of its bots."""

    number: int
    """Its running number in this store: later matches have higher ones, and some numbers may be missing."""
    game: str
    created: datetime
    """When it was kept, in universal time."""
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
    """When it was begun, in universal time."""
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
    """In universal time, as all times here."""
    reported: datetime
    silent_s: float
    """Seconds since its last report, by the clock of the database."""

    @property
    def alive(self) -> bool:
        """Whether it has reported lately; a process that was killed has not."""
        return self.silent_s < SILENT_S


@dataclass(frozen=True, slots=True)
class Arrival:
    """What an archive brings: for every match the checksum, by its name; and that of the whole, if it is finished."""

    matches: Mapping[str, str]
    checksum: str
    rated: bool
    """Whether it shall count as if it had been played here; else it is kept apart."""

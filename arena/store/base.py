"""What a store keeps and promises; `arena/store/sql.py` is the one that there is.

A store may have a million matches and more. So tables are made of tallies, which are written in the transaction of
each match, and lists are read in pages: every page begins below the lowest number of the one before it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, Protocol

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
    log: str = ""

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
class KeptMatch:
    """A match with all that is kept of it, the output of its bots too."""

    entry: MatchEntry
    record: bytes
    checksum: str
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


class Store(Protocol):
    """Keeps everything; a match is kept whole or not at all, and never twice."""

    def add_bot(
        self, *, name: str, version: str, owner: str, digest: str, origin: str, games: Sequence[str],
        tried: bool = False,
    ) -> BotEntry:  # fmt: skip
        """Register a version of a bot; UsageError if another bot has that name and version.

        Without an origin its files are not here; registering the same files again later says where they are. One that
        is only tried out stays off the ladder.
        """
        ...

    def promote_bot(self, bot_id: int, *, owner: str, origin: str, games: Sequence[str]) -> BotEntry:
        """Put a version that was only tried out onto the ladder, as the newest one, with its owner and its files."""
        ...

    def move_bot(self, bot_id: int, origin: str) -> BotEntry:
        """Note that the same files are run from elsewhere now."""
        ...

    def bots(self, game: str | None = None, *, retired: bool = False) -> list[BotEntry]:
        """The newest version of every bot of the ladder that plays this game, in order of names.

        Retired versions are passed over; with `retired` a bot that has no other is there too.
        """
        ...

    def bot_versions(self, name: str) -> list[BotEntry]:
        """Every version of a bot, the oldest first."""
        ...

    def all_bots(self) -> list[BotEntry]:
        """Every version of every bot, the oldest first."""
        ...

    def retire_bot(self, name: str, version: str | None = None, *, retired: bool = True) -> None:
        """Keep a bot, or one version of it, out of tournaments to come, or let it in again; UsageError if unknown."""
        ...

    def begin_tournament(self, game: str, settings: Mapping[str, Any]) -> TournamentEntry:
        """The unfinished tournament with exactly these settings that is not apart, or else a new one."""
        ...

    def adopt_tournament(self, game: str, settings: Mapping[str, Any], arrival: Arrival) -> TournamentEntry:
        """The tournament that has the matches of an archive or may take them in, or else a new one.

        One transaction decides. UsageError if some went otherwise here and shall not be kept apart.
        """
        ...

    def finish_tournament(self, tournament_id: int, checksum: str | None = None) -> None:
        """Note that every match was played; UsageError if its checksum is not the one that is expected."""
        ...

    def tournament(self, tournament_id: int) -> TournamentEntry:
        """The tournament of this number; UsageError if there is none."""
        ...

    def tournaments(self, game: str | None = None) -> list[TournamentEntry]:
        """All tournaments, the oldest first."""
        ...

    def add_match(self, match: MatchEntry, record: bytes, weak_limits: Sequence[str] = ()) -> bool:
        """Keep a match, and what was not fully held in it, in one transaction; False if it was there already."""
        ...

    def add_matches(self, tournament_id: int, kept_matches: Iterable[KeptMatch]) -> int:
        """Keep those that are missing, all in one transaction, and say how many these were.

        UsageError if one of them is kept already, but otherwise.
        """
        ...

    def matches(self, *, tournament_id: int | None = None, game: str | None = None) -> list[MatchEntry]:
        """The matches of a tournament, or of all tournaments of a game, in the order of their schedules.

        All of them as objects: for small stores and tests. Tables are made of tallies, lists of pages.
        """
        ...

    def latest_matches(
        self,
        *,
        before: int | None = None,
        limit: int = 30,
        game: str | None = None,
        tournament_id: int | None = None,
        bot_id: int | None = None,
        against: int | None = None,
    ) -> list[ListedMatch]:
        """A page of matches, the newest first: of all, or of a game, a tournament, a bot, or of these together.

        `against` names a second bot that played in them. A tournament that is apart is on pages of its own only.

        The next page is the one before the number of its last match. The time does not depend on how many there are.
        """
        ...

    def find_matches(self, bot_id: int, beginning: str) -> list[MatchEntry]:
        """The matches of a bot whose names begin like this, the oldest first."""
        ...

    def latest_number(self) -> int:
        """The running number of the newest match, 0 if there is none: nothing was played while it stays the same."""
        ...

    def data_version(self) -> str:
        """Changes with every match, bot and tournament that is kept, finished or retired."""
        ...

    def results(self, *, tournament_id: int | None = None, game: str | None = None) -> Iterator[MatchResult]:
        """The results of a tournament, or of all rated matches of a game, in the order of their schedules.

        They are read piece by piece.
        """
        ...

    def tallies(
        self, *, tournament_id: int | None = None, game: str | None = None, bot_id: int | None = None,
        tests: bool = False, since: datetime | None = None,
    ) -> list[Tally]:  # fmt: skip
        """The results of a tournament, or of all rated matches of a game, counted; of one bot, if it is named.

        Tests of two bots are not rated, and have a count of their own; tournaments that are apart are in neither.
        `since` takes only tournaments begun then or later.
        There are as many as there are different results, however many matches were played.
        """
        ...

    def seat_tallies(
        self, *, tournament_id: int | None = None, game: str | None = None, bot_id: int | None = None,
        tests: bool = False, since: datetime | None = None,
    ) -> list[SeatTally]:  # fmt: skip
        """Times and endings by bot and seat, of the same matches as `tallies`."""
        ...

    def weak_limits(
        self, *, tournament_id: int | None = None, game: str | None = None, tests: bool = False,
        since: datetime | None = None,
    ) -> tuple[str, ...]:  # fmt: skip
        """What was not fully held in some of the same matches as those of `tallies`."""
        ...

    def tournament_summaries(
        self,
        *,
        before: int | None = None,
        limit: int | None = None,
        game: str | None = None,
        bot_id: int | None = None,
        rated: bool = False,
    ) -> list[TournamentSummary]:
        """A page of tournaments, the newest first: of all, or of a game, or of those that a bot has played in.

        With `rated` tests are left out.
        The next page is the one before the id of its last tournament; without a limit all are on one page.
        """
        ...

    def match_keys(self, beginning: str) -> list[tuple[int, str]]:
        """The tournaments and full names of at most 100 matches whose names begin like this, the oldest first."""
        ...

    def record(self, tournament_id: int, match_id: str) -> bytes:
        """The record of a match; UsageError if there is none."""
        ...

    def kept(self, tournament_id: int, *, up_to: int | None = None) -> Iterator[KeptMatch]:
        """All that is kept of each match of a tournament, in the order of its schedule; piece by piece.

        With the latest number (see `latest_number`) no match is among them that was kept later.
        """
        ...

    def kept_match(self, tournament_id: int, match_id: str) -> KeptMatch:
        """All that is kept of one match; UsageError if there is none."""
        ...

    def report_run(self, run_id: str, tournament_id: int, status: Mapping[str, Any]) -> None:
        """Say that a process plays this tournament, and how far it is; to be repeated every few seconds."""
        ...

    def end_run(self, run_id: str) -> None:
        """Say that a process plays no more."""
        ...

    def runs(self, tournament_id: int | None = None) -> list[RunEntry]:
        """The processes that play at present, or died lately, the oldest first; of one tournament, if it is named."""
        ...

    def inconsistencies(self) -> list[str]:
        """Rows that belong to nothing and tallies that are not a recount's, each in a sentence.

        There are none unless somebody changed the tables.
        """
        ...

    def show_running(self, tournament_id: int, changed: Sequence[RunningMatch], ended: Collection[str]) -> None:
        """Let others see these matches of a tournament, and no longer those that have ended."""
        ...

    def clear_running(self, tournament_id: int) -> None:
        """Let nobody see a running match of this tournament any more."""
        ...

    def running_matches(self) -> list[RunningMatch]:
        """What is being played by processes that are alive; see `report_run`."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...

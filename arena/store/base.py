"""What a store keeps and promises; `arena/store/sql.py` is the one that there is.

A store may have a million matches and more. So tables are made of tallies, which are written in the transaction of
each match, and lists are read in pages: every page begins below the lowest number of the one before it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol


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

    @property
    def label(self) -> str:
        """Its name and version, as tables show it."""
        return f"{self.name} {self.version}"

    @property
    def kind(self) -> str:
        """What it is run from: a folder, an image, or `absent` if its files are not here."""
        if not self.origin:
            return "absent"
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
    """A digest over everything that the match was; see arena/play/seal.py."""
    seats: tuple[SeatResult, ...]


@dataclass(frozen=True, slots=True)
class KeptMatch:
    """A match with all that is kept of it, the output of its bots too."""

    entry: MatchEntry
    record: bytes
    checksum: str


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


@dataclass(frozen=True, slots=True)
class Tally:
    """How many matches of the same bots in the same seats ended with the same ranks."""

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
    """The name of an `Ending`; every one but NORMAL is a fault."""
    matches: int
    moves: int
    """Of all seats together."""
    wall_us: int
    cpu_us: int


@dataclass(frozen=True, slots=True)
class TournamentSummary:
    """A tournament in a list."""

    entry: TournamentEntry
    created: datetime
    """When it was begun, in universal time."""
    matches: int
    """How many are kept."""


class Store(Protocol):
    """Keeps everything; a match is kept whole or not at all, and never twice."""

    def add_bot(
        self, *, name: str, version: str, owner: str, digest: str, origin: str, games: Sequence[str]
    ) -> BotEntry:
        """Register a version of a bot; UsageError if another bot has that name and version.

        Without an origin its files are not here; registering the same files again later says where they are.
        """
        ...

    def bots(self, game: str | None = None, *, retired: bool = False) -> list[BotEntry]:
        """The newest version of every bot that plays this game, in order of names."""
        ...

    def bot_versions(self, name: str) -> list[BotEntry]:
        """Every version of a bot, the oldest first."""
        ...

    def all_bots(self) -> list[BotEntry]:
        """Every version of every bot, the oldest first."""
        ...

    def retire_bot(self, name: str) -> None:
        """Keep a bot out of tournaments to come; UsageError if there is none of this name."""
        ...

    def begin_tournament(self, game: str, settings: Mapping[str, Any]) -> TournamentEntry:
        """The unfinished tournament with exactly these settings, or else a new one."""
        ...

    def finish_tournament(self, tournament_id: int) -> None:
        """Note that every match was played."""
        ...

    def tournament(self, tournament_id: int) -> TournamentEntry:
        """The tournament of this number; UsageError if there is none."""
        ...

    def tournaments(self, game: str | None = None) -> list[TournamentEntry]:
        """All tournaments, the oldest first."""
        ...

    def add_match(self, match: MatchEntry, record: bytes) -> bool:
        """Keep a match in one transaction; False if it was there already."""
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

        `against` names a second bot that played in them.

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
        """The results of a tournament, or of all of a game, in the order of their schedules, read piece by piece."""
        ...

    def tallies(
        self, *, tournament_id: int | None = None, game: str | None = None, bot_id: int | None = None
    ) -> list[Tally]:
        """The results of a tournament, or of all tournaments of a game, counted; of one bot, if it is named.

        There are as many as there are different results, however many matches were played.
        """
        ...

    def seat_tallies(
        self, *, tournament_id: int | None = None, game: str | None = None, bot_id: int | None = None
    ) -> list[SeatTally]:
        """Times and endings by bot and seat, of a tournament or of all tournaments of a game."""
        ...

    def tournament_summaries(
        self,
        *,
        before: int | None = None,
        limit: int | None = None,
        game: str | None = None,
        bot_id: int | None = None,
    ) -> list[TournamentSummary]:
        """A page of tournaments, the newest first: of all, or of a game, or of those that a bot has played in.

        The next page is the one before the id of its last tournament; without a limit all are on one page.
        """
        ...

    def match_keys(self, beginning: str) -> list[tuple[int, str]]:
        """The tournaments and full names of at most 100 matches whose names begin like this, the oldest first."""
        ...

    def record(self, tournament_id: int, match_id: str) -> bytes:
        """The record of a match; UsageError if there is none."""
        ...

    def kept(self, tournament_id: int) -> Iterator[KeptMatch]:
        """All that is kept of each match of a tournament, in the order of its schedule."""
        ...

    def kept_match(self, tournament_id: int, match_id: str) -> KeptMatch:
        """All that is kept of one match; UsageError if there is none."""
        ...

    def inconsistencies(self) -> list[str]:
        """Rows that belong to nothing and tallies that are not a recount's, each in a sentence.

        There are none unless somebody changed the tables.
        """
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...

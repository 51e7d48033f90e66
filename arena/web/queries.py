"""What pages ask the store: aggregates and short pages of matches."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from arena.store.base import BotEntry, KeptMatch, MatchEntry, Store, TournamentEntry


@dataclass(frozen=True, slots=True)
class ListedMatch:
    """A match on a page of many, without its record and the output of its bots."""

    number: int
    game: str
    created: datetime
    entry: MatchEntry


@dataclass(frozen=True, slots=True)
class MatchResult:
    ordinal: int
    bot_ids: tuple[int, ...]
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many matches of the same bots in the same seats ended with the same ranks."""

    bot_ids: tuple[int, ...]
    ranks: tuple[int, ...]
    matches: int


@dataclass(frozen=True, slots=True)
class SeatTally:
    """Sums over the matches that a bot played in one seat and that ended for it in the same way."""

    bot_id: int
    seat: int
    ending: str
    matches: int
    moves: int
    wall_us: int
    cpu_us: int


@dataclass(frozen=True, slots=True)
class TournamentSummary:
    """A tournament in a list."""

    entry: TournamentEntry
    created: datetime
    matches: int


@dataclass(frozen=True, slots=True)
class Search:
    """Which matches a list has."""

    game: str | None = None
    tournament_id: int | None = None
    bot_id: int | None = None
    against: int | None = None
    """A second bot that played in them."""


class Queries:
    """Reads of one store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def version(self) -> str:
        """Changes whenever the store's content may have changed."""
        return str(len(self._all))

    def bots(self) -> Mapping[int, BotEntry]:
        """Every version of every bot by its number."""
        return {bot.id: bot for bot in self._store.all_bots()}

    def tournament(self, number: int) -> TournamentEntry:
        """The tournament of this number; UsageError if there is none."""
        return self._store.tournament(number)

    def summaries(
        self, *, before: int | None = None, limit: int | None = None, game: str | None = None, bot_id: int | None = None
    ) -> list[TournamentSummary]:
        """Tournaments, the newest first."""
        played = Counter(match.entry.tournament_id for match in self._all)
        return [TournamentSummary(entry, datetime.now(UTC), played[entry.id]) for entry in self._store.tournaments()][::-1]

    def tallies(self, *, game: str | None = None, tournament_id: int | None = None) -> list[Tally]:
        """The counted results of a game or of a tournament."""
        counted = Counter(
            (tuple(seat.bot_id for seat in row.entry.seats), tuple(seat.rank for seat in row.entry.seats))
            for row in self._chosen(Search(game, tournament_id))
        )
        return [Tally(*key, times) for key, times in counted.items()]

    def seat_tallies(self, *, game: str | None = None, tournament_id: int | None = None) -> list[SeatTally]:
        sums: dict[tuple[int, int, str], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        for row in self._chosen(Search(game, tournament_id)):
            for number, seat in enumerate(row.entry.seats):
                total = sums[seat.bot_id, number, seat.ending]
                for place, value in enumerate((1, row.entry.moves, seat.wall_us, seat.cpu_us)):
                    total[place] += value
        return [SeatTally(*key, *total) for key, total in sums.items()]

    def results(self, *, tournament_id: int | None = None, game: str | None = None) -> Iterator[MatchResult]:
        for row in self._chosen(Search(game, tournament_id)):
            yield MatchResult(row.entry.ordinal, tuple(s.bot_id for s in row.entry.seats), tuple(s.rank for s in row.entry.seats))

    def matches(self, search: Search, *, before: int | None = None, limit: int = 30) -> list[ListedMatch]:
        """A page of matches, the newest first."""
        chosen = [row for row in self._chosen(search) if before is None or row.number < before]
        return chosen[::-1][:limit]

    def match(self, tournament_id: int, match_id: str) -> KeptMatch:
        """All that is kept of a match; UsageError if there is none."""
        return self._store.kept_match(tournament_id, match_id)

    def _chosen(self, search: Search) -> Iterator[ListedMatch]:
        wanted = {number for number in (search.bot_id, search.against) if number is not None}
        for row in self._all:
            playing = {seat.bot_id for seat in row.entry.seats}
            if (
                search.game in (None, row.game)
                and search.tournament_id in (None, row.entry.tournament_id)
                and playing >= wanted
            ):
                yield row

    @cached_property
    def _all(self) -> list[ListedMatch]:
        games = {entry.id: entry.game for entry in self._store.tournaments()}
        return [
            ListedMatch(number, games[entry.tournament_id], datetime.now(UTC), entry)
            for number, entry in enumerate(self._store.matches(), 1)
        ]

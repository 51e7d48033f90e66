"""What the API answers, as values: their fields are the fields of the JSON, and their comments its description."""

from dataclasses import dataclass
from datetime import datetime

from arena.contest.people import Person
from arena.contest.submissions import Step, Submission
from arena.standings.table import Row
from arena.store.base import BotEntry, ListedMatch, TournamentSummary


@dataclass(frozen=True, slots=True)
class ContestAnswer:
    """What the contest is."""

    title: str
    about: str
    games: tuple[str, ...]
    clock: str
    standings: str
    opens: datetime | None
    closes: datetime | None
    open: bool


@dataclass(frozen=True, slots=True)
class RatingAnswer:
    """A bot in the table of a game; what cannot be compared yet has no place and no rating."""

    place: int | None
    bot: int
    name: str
    version: str
    owner: str
    mu: float | None
    sigma: float | None
    rank_low: int | None
    rank_high: int | None
    games: int
    wins: int
    draws: int
    losses: int
    faults: int

    @classmethod
    def of(cls, row: Row, owner: str) -> "RatingAnswer":
        """The line of a table."""
        known, told = row.rating, row.comparable
        low, high = known.ranks
        return cls(
            place=row.place or None,
            bot=row.bot.id,
            name=row.bot.name,
            version=row.bot.version,
            owner=owner,
            mu=known.mu if told else None,
            sigma=known.field_sigma if told else None,
            rank_low=low if told else None,
            rank_high=high if told else None,
            games=known.games,
            wins=known.wins,
            draws=known.draws,
            losses=known.losses,
            faults=row.faults,
        )


@dataclass(frozen=True, slots=True)
class BotAnswer:
    """A version of a bot."""

    id: int
    name: str
    version: str
    owner: str
    games: tuple[str, ...]
    retired: bool
    registered: datetime

    @classmethod
    def of(cls, bot: BotEntry, owner: str) -> "BotAnswer":
        """A version with the name under which its owner is shown."""
        return cls(bot.id, bot.name, bot.version, owner, bot.games, bot.retired, bot.created)


@dataclass(frozen=True, slots=True)
class SeatAnswer:
    """How a match ended for a seat."""

    bot: int
    rank: int
    score: float
    ending: str


@dataclass(frozen=True, slots=True)
class MatchAnswer:
    """A finished match."""

    id: str
    number: int
    game: str
    tournament: int
    moves: int
    reason: str
    kept: datetime
    seats: tuple[SeatAnswer, ...]

    @classmethod
    def of(cls, match: ListedMatch) -> "MatchAnswer":
        """A match of a list."""
        entry = match.entry
        seats = tuple(SeatAnswer(seat.bot_id, seat.rank, seat.score, seat.ending) for seat in entry.seats)
        name = f"{entry.tournament_id}-{entry.match_id}"
        return cls(name, match.number, match.game, entry.tournament_id, entry.moves, entry.reason, match.created, seats)


@dataclass(frozen=True, slots=True)
class TournamentAnswer:
    """A tournament."""

    id: int
    game: str
    title: str
    state: str
    matches: int
    begun: datetime
    checksum: str

    @classmethod
    def of(cls, summary: TournamentSummary) -> "TournamentAnswer":
        """A tournament of a list."""
        entry = summary.entry
        return cls(
            entry.id, entry.game, entry.title, entry.state, summary.matches, summary.created, entry.checksum
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class PersonAnswer:
    """Whoever the token belongs to."""

    name: str
    display: str
    team: str
    role: str

    @classmethod
    def of(cls, person: Person) -> "PersonAnswer":
        """An account."""
        return cls(person.name, person.display, person.team.name, person.role)


@dataclass(frozen=True, slots=True)
class SubmissionAnswer:
    """Something that was handed in, and how far it has come."""

    id: int
    file_name: str
    digest: str
    bytes: int
    state: str
    decided: bool
    ahead: int | None
    """How many are checked before it, while it waits."""
    reason: str
    output: str
    """What the bot printed last."""
    bot: int | None
    handed_in: datetime
    changed: datetime

    @classmethod
    def of(cls, found: Submission, ahead: int | None) -> "SubmissionAnswer":
        """A submission with its place in the queue."""
        return cls(
            found.id, found.file_name, found.digest, found.bytes, found.state, found.is_decided, ahead, found.reason,
            found.output, found.bot_id, found.created, found.changed,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class StepAnswer:
    """One step of a submission."""

    number: int
    state: str
    text: str
    at: datetime

    @classmethod
    def of(cls, step: Step) -> "StepAnswer":
        """A line of its story."""
        return cls(step.number, step.state, step.text, step.at)


@dataclass(frozen=True, slots=True)
class Problem:
    """Why there is no answer, as RFC 9457 has it."""

    title: str
    status: int
    detail: str

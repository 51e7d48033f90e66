"""Matches and tournaments as lists show them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from arena.game import GameInfo
from arena.match import MatchSpec
from arena.store.base import BotEntry, ListedMatch, MatchEntry, TournamentEntry, TournamentSummary
from arena.web.formats import amount, counted

Games = Mapping[str, GameInfo]
Bots = Mapping[int, BotEntry]


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat in a list."""

    bot: BotEntry
    first: bool
    """It won alone."""
    rank: int
    score: float
    ending: str
    fault: bool
    """Whether its bot was at fault."""
    sentence: str
    wall_us: int
    cpu_us: int


@dataclass(frozen=True, slots=True)
class MatchView:
    """A match in a list."""

    name: str
    """How its page is called."""
    game: str
    title: str
    reason: str
    result: str
    """How it ended, in one sentence."""
    moves: int
    seed: int
    when: datetime | None
    seats: tuple[SeatView, ...]
    ended_at_fault: bool = False
    """It ended although others could have played on, and is not rated."""

    @property
    def fault(self) -> bool:
        """Whether a bot was at fault."""
        return any(seat.fault for seat in self.seats)

    @property
    def words(self) -> str:
        return " against ".join(seat.bot.label for seat in self.seats)


@dataclass(frozen=True, slots=True)
class TournamentView:
    """A tournament in a list."""

    id: int
    game: str
    title: str
    words: str
    when: datetime
    played: int
    planned: int | None
    finished: bool
    entry: TournamentEntry


@dataclass(frozen=True, slots=True)
class RunningRow:
    """A running match in a list."""

    name: str
    game: str
    title: str
    bots: tuple[BotEntry, ...]
    moves: int

    @property
    def words(self) -> str:
        return " against ".join(bot.label for bot in self.bots)


def running_row(
    name: str, spec: MatchSpec[Any], moves: int, bots: Mapping[tuple[str, str], BotEntry], games: Games
) -> RunningRow:
    """A running match with its bots, which are found by name and version."""
    found = (bots.get((bot.name, bot.version)) or _stranger(0, bot.name, bot.version) for bot in spec.contestants)
    return RunningRow(name, spec.game, title_of(spec.game, games), tuple(found), moves)


def match_name(tournament_id: int, match_id: str) -> str:
    """How the page of a match is called."""
    return f"{tournament_id}-{match_id}"


def entry_view(
    entry: MatchEntry, game: str, bots: Bots, games: Games, plies: Mapping[int, int], when: datetime | None = None
) -> MatchView:
    """The match with its bots; `plies` are those of its faults, `when` says when it was kept, if that is known."""
    alone = sum(seat.rank == 1 for seat in entry.seats) == 1
    seats = tuple(
        SeatView(
            bots.get(seat.bot_id) or _unknown(seat.bot_id), alone and seat.rank == 1, seat.rank, seat.score,
            seat.ending, seat.at_fault, entry.seat_words(number), seat.wall_us, seat.cpu_us,
        )
        for number, seat in enumerate(entry.seats)
    )  # fmt: skip
    name = match_name(entry.tournament_id, entry.match_id)
    result = entry.result([seat.bot.label for seat in seats], plies)
    return MatchView(
        name, game, title_of(game, games), entry.reason, result, entry.moves, entry.seed, when, seats,
        entry.ended_at_fault,
    )  # fmt: skip


def _unknown(bot_id: int) -> BotEntry:
    """A bot that was registered after the tables of the site were made, as it is named until the next ones."""
    return _stranger(bot_id, f"bot {bot_id}", "")


def _stranger(bot_id: int, name: str, version: str) -> BotEntry:
    # The same at every look: a section with it has not changed.
    return BotEntry(bot_id, name, version, "", "", "", (), retired=False, created=datetime.min.replace(tzinfo=UTC))


def match_views(
    matches: Iterable[ListedMatch], bots: Bots, games: Games, plies_of: Callable[[MatchEntry], Mapping[int, int]]
) -> list[MatchView]:
    return [entry_view(match.entry, match.game, bots, games, plies_of(match.entry), match.created) for match in matches]


def tournament_view(summary: TournamentSummary, games: Games, planned: int | None) -> TournamentView:
    entry, settings = summary.entry, summary.entry.settings
    title = f"{title_of(entry.game, games)}, {settings.get('format', 'tournament')} {entry.id}"
    title = f"{entry.title} ({title})" if entry.title else title
    progress = f"{summary.matches:,} of {counted(planned, 'match')}" if planned else counted(summary.matches, "match")
    words = f"{counted(len(entry.field), 'bot')}, {progress}"
    finished = entry.finished
    return TournamentView(
        entry.id, entry.game, title, words, summary.created, summary.matches, planned, finished, entry
    )


def title_of(game: str, games: Games) -> str:
    """The title of a game, or its name if it is not installed here."""
    return games[game].title if game in games else game


def settings_facts(settings: Mapping[str, Any], info: GameInfo | None) -> list[tuple[str, str]]:
    """The settings of a tournament as pairs of a name and a value."""
    options = {option.name: option.help for option in info.options} if info else {}
    facts = [
        ("format", str(settings.get("format", ""))),
        ("seats", str(settings.get("seats", ""))),
        ("rounds", str(settings.get("rounds") or "no last one")),
        ("seed", str(settings.get("seed", ""))),
        ("clock", str(settings.get("clock", ""))),
        ("sandbox", str(settings.get("sandbox", ""))),
        ("memory", amount(settings.get("memory_bytes") or 0)),
        ("processors", f"{settings.get('cpus', 0):g}"),
        ("strikes", str(settings.get("strikes", 0))),
        ("thinking in others' time", "allowed" if settings.get("ponder") else "no: frozen"),
        ("processes", "new in each match" if settings.get("fresh") else "kept between matches"),
    ]
    facts += [
        (name.replace("_", " "), str(value)) for name, value in settings.get("options", {}).items() if name in options
    ]
    facts += [(f"goal: {name}", f"{value:g}") for name, value in settings.get("goal", {}).items()]
    return facts

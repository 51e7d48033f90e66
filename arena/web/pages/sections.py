"""What the sections show that change while somebody looks at their page; each has a template of its name in `live/`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from arena.standings.table import Row
from arena.store.base import BotEntry
from arena.web.pages.ladder import Column
from arena.web.pages.views import MatchView, RunningRow, TournamentView


@dataclass(frozen=True, slots=True)
class Lead:
    """How far a tournament is, in a sentence."""

    words: str
    state: str
    when: datetime
    game: str
    """With a ladder here, or else nothing."""
    title: str


@dataclass(frozen=True, slots=True)
class RunningMatches:
    """What is being played."""

    rows: Sequence[RunningRow]
    show_game: bool = True


@dataclass(frozen=True, slots=True)
class Progress:
    """How many matches of a tournament were played, and how many there will be."""

    played: int
    planned: int | None


@dataclass(frozen=True, slots=True)
class StandingsTable:
    """The table of a tournament."""

    rows: Sequence[Row]
    columns: Sequence[Column]
    bars: Mapping[int, Markup]
    scale: Markup
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class CrossTable:
    """Who beat whom."""

    rows: Sequence[tuple[BotEntry, Sequence[tuple[tuple[float, int] | None, str, str]]]]
    """A bot, and for each opponent points and games, how the page of both is called if there is one, and its label."""
    left_out: int


@dataclass(frozen=True, slots=True)
class LatestMatches:
    """The latest matches of a tournament, or of all."""

    rows: Sequence[MatchView]
    tournament: int | None = None


@dataclass(frozen=True, slots=True)
class OpenTournaments:
    """Tournaments that are not finished."""

    rows: Sequence[TournamentView]

"""The three reports, each in one file: the ratings of a game, who beat whom, and the history of one bot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from arena.match import ordinal
from arena.standings.table import Row, Standings
from arena.web import charts
from arena.web.formats import counted, heat, percent, rank_interval
from arena.web.pages.ladder import seats_chart
from arena.web.rendering import OutputMode, Page, SiteContext, render

RATING_HEADS = ("#", "bot", "owner", "rating", "± 2 sd", "rank", "best", "games")
RATING_NOTE = (
    "Ratings are TrueSkill's, fitted to all matches at once; the bars are 95 % intervals. "
    "“Rank” is the interval of the bot's true place, “best” the chance that it is the best of all."
)
SEATS_NOTE = "In points of rating, against the mean of all seats; the bars are 95 % intervals."
CROSS_NOTE = "Points from each pair of seats in a match: 1 for a win, ½ for a draw. Each row is read from the left."


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table; text is escaped when it is shown."""

    text: str
    number: bool = False
    """Numbers stand at the right."""
    style: str = ""
    """Its classes."""
    head: bool = False
    """It names its row."""


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A part of a page: a drawing, a table, and a note below them."""

    title: str = ""
    drawings: Sequence[Markup] = ()
    columns: Sequence[Cell] = ()
    rows: Sequence[Sequence[Cell]] = ()
    note: str = ""
    caption: str = field(default="", kw_only=True)
    """What the table shows, for screen readers."""


@dataclass(frozen=True, slots=True)
class Report:
    """What the page shows below its title."""

    subtitle: str
    sections: Sequence[ReportSection]


@dataclass(frozen=True, slots=True)
class GameHistory:
    """How one bot fared in one game, the oldest match first."""

    game: str
    chart: Markup | None
    """The curve of its rating."""
    results: Sequence[charts.Mark]
    rows: Sequence[Mapping[str, object]]


def ratings_page(title: str, tables: Mapping[str, Sequence[Row]], standings: Standings) -> str:
    """The page of the rating tables: one, or one for each role."""
    sections = [_ratings_section(f"As {role}" if role else "", rows) for role, rows in tables.items()]
    if (drawing := seats_chart(standings)) is not None:
        sections.append(ReportSection("What a seat is worth", (drawing,), note=SEATS_NOTE))
    sections += _notes_section(standings.notes)
    return render_report(
        title, f"{counted(standings.matches, 'match')}, {counted(len(standings.rows), 'bot')}", sections
    )


def crosstable_page(
    title: str, order: Sequence[str], cells: Sequence[Sequence[tuple[float, int]]], notes: Sequence[str] = ()
) -> str:
    """The page of who beat whom, as a heat map."""
    columns = [Cell("bot"), *(Cell(str(number), number=True) for number in range(1, len(order) + 1))]
    rows = [
        [Cell(f"{number}  {bot}", head=True), *(_duel(points, games) for points, games in row)]
        for number, (bot, row) in enumerate(zip(order, cells), 1)
    ]
    section = ReportSection(
        "", (), columns, rows, CROSS_NOTE, caption="Points of the bot in the row against that in the column"
    )
    return render_report(
        title, f"{counted(len(order), 'bot')} in the order of the table of ratings", [section, *_notes_section(notes)]
    )


def history_page(bot: str, histories: Sequence[GameHistory]) -> str:
    """The page of one bot's matches, a section for each game."""
    return render_report(bot, "Rating and results from the first match on", [*map(_history_section, histories)])


def render_report(title: str, subtitle: str, sections: Sequence[ReportSection]) -> str:
    page = Page("report.html", "report.html", title, subtitle, Report(subtitle, sections))
    return render(page, SiteContext(mode=OutputMode.SINGLE))


def _ratings_section(title: str, rows: Sequence[Row]) -> ReportSection:
    bars = [charts.Interval(row.bot.label, row.low, row.rating.mu, row.high) for row in rows if row.comparable]
    drawing = (charts.intervals(bars, "Ratings with their 95 % intervals"),) if bars else ()
    seats = max((len(row.rating.places) for row in rows), default=0)
    cells = [_rating_cells(row, seats) for row in rows]
    results = ("won", "drawn", "lost") if seats <= 2 else map(ordinal, range(1, seats + 1))
    heads = [Cell(name, number=name not in ("bot", "owner")) for name in (*RATING_HEADS, *results, "faults")]
    return ReportSection(title, drawing, heads, cells, RATING_NOTE, caption="Ratings")


def _rating_cells(row: Row, seats: int) -> list[Cell]:
    known = row.rating
    skill = (f"{known.mu:.1f}", f"{2 * known.field_sigma:.1f}", rank_interval(known.ranks), percent(known.best))
    if not row.comparable:
        skill = ("–" if known.games else row.status, *("–",) * 3)
    results = (known.wins, known.draws, known.losses) if seats <= 2 else known.places
    tally = (known.games, *results, row.faults)
    numbers = [Cell(text, number=True) for text in (*skill, *map(str, tally))]
    return [Cell(str(row.place or "–"), number=True), Cell(row.bot.label, head=True), Cell(row.bot.owner), *numbers]


def _notes_section(notes: Sequence[str]) -> list[ReportSection]:
    return [ReportSection("Notes", note=" ".join(notes))] if notes else []


def _duel(points: float, games: int) -> Cell:
    if not games:
        return Cell("·", number=True)
    return Cell(f"{points:g}/{games}", number=True, style=heat(points / games))


def _history_section(history: GameHistory) -> ReportSection:
    drawings = [charts.strip(history.results, "Results, the oldest first")]
    if history.chart is not None:
        drawings.insert(0, history.chart)
    heads = [Cell(name, number=_is_number(value)) for name, value in (history.rows[0] if history.rows else {}).items()]
    rows = [[_plain_cell(value) for value in row.values()] for row in history.rows]
    note = "The band is the 95 % interval. Below: wins stand up, losses hang down, faults in red."
    return ReportSection(history.game, drawings, heads, rows, note, caption=f"Matches of {history.game}")


def _plain_cell(value: object) -> Cell:
    return Cell(f"{value:g}" if isinstance(value, float) else str(value), number=_is_number(value))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)

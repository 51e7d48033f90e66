"""The three reports as pages: the ratings of a game, who beat whom, and the course of one bot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from arena.match import ordinal
from arena.standings.table import Row, Standings
from arena.web import charts
from arena.web.formats import heat, percent, rank_interval
from arena.web.page import Cell, Section, render

RATING_HEADS = ("#", "bot", "rating", "± 2 sd", "rank", "best", "games")
RATING_NOTE = (
    "Ratings are TrueSkill's, fitted to all matches at once; the bars are 95 % intervals. "
    "“Rank” is the interval of the bot's true place, “best” the chance that it is the best of all."
)
CROSS_NOTE = (
    "Points of games, two seats of a match at a time: 1 for a win, ½ for a draw. Each row is read from the left."
)


@dataclass(frozen=True, slots=True)
class Course:
    """How one bot fared in one game, the oldest match first."""

    game: str
    chart: Markup | None
    """The curve of its rating."""
    results: Sequence[charts.Mark]
    rows: Sequence[Mapping[str, object]]


def ratings_page(title: str, tables: Mapping[str, Sequence[Row]], standings: Standings) -> str:
    """The page of the rating tables: one, or one for each role."""
    sections = [_ratings_section(f"As {role}" if role else "", rows) for role, rows in tables.items()]
    if standings.advantages:
        sections.append(_advantages_section(standings))
    sections += _notes_section(standings.notes)
    return render(title, f"matches: {standings.matches:,}, bots: {len(standings.rows)}", sections)


def crosstable_page(
    title: str, order: Sequence[str], cells: Sequence[Sequence[tuple[float, int]]], notes: Sequence[str] = ()
) -> str:
    """The page of who beat whom, as a heat map; the bots are in the order of their ratings."""
    columns = [Cell("bot"), *(Cell(str(number), number=True) for number in range(1, len(order) + 1))]
    rows = [
        [Cell(f"{number}  {bot}", head=True), *(_duel(points, games) for points, games in row)]
        for number, (bot, row) in enumerate(zip(order, cells), 1)
    ]
    section = Section(
        "", (), columns, rows, CROSS_NOTE, caption="Points of the bot in the row against that in the column"
    )
    return render(title, f"{len(order)} bots in the order of their ratings", [section, *_notes_section(notes)])


def history_page(bot: str, courses: Sequence[Course]) -> str:
    """The page of one bot's matches, a section for each game."""
    return render(bot, "Rating and results from the first match on", [_course_section(course) for course in courses])


def _ratings_section(title: str, rows: Sequence[Row]) -> Section:
    bars = [charts.Interval(row.bot.label, row.low, row.rating.mu, row.high) for row in rows if row.rating.games]
    drawing = (charts.intervals(bars, "Ratings with their 95 % intervals"),) if bars else ()
    seats = max((len(row.rating.places) for row in rows), default=0)
    cells = [_rating_cells(row, seats) for row in rows]
    results = ("won", "drawn", "lost") if seats <= 2 else map(ordinal, range(1, seats + 1))
    heads = [Cell(name, number=name != "bot") for name in (*RATING_HEADS, *results, "faults")]
    return Section(title, drawing, heads, cells, RATING_NOTE, caption="Ratings")


def _rating_cells(row: Row, seats: int) -> list[Cell]:
    known = row.rating
    skill = (f"{known.mu:.1f}", f"{2 * known.field_sigma:.1f}", rank_interval(known.ranks), percent(known.best))
    if not known.games:
        skill = ("–",) * 4  # alone in its group it would be the best for certain
    results = (known.wins, known.draws, known.losses) if seats <= 2 else known.places
    tally = (known.games, *results, row.faults)
    numbers = [Cell(text, number=True) for text in (*skill, *map(str, tally))]
    return [Cell(str(row.place), number=True), Cell(row.bot.label, head=True), *numbers]


def _notes_section(notes: Sequence[str]) -> list[Section]:
    return [Section("What is to be known about it", note=" ".join(notes))] if notes else []


def _advantages_section(standings: Standings) -> Section:
    bars = [
        charts.Interval(
            advantage.role,
            advantage.value - 2 * advantage.sigma,
            advantage.value,
            advantage.value + 2 * advantage.sigma,
        )
        for advantage in standings.advantages
    ]
    note = "In points of rating, against the mean of all seats; the bars are 95 % intervals."
    return Section("What a seat is worth", (charts.intervals(bars, "What a seat is worth"),), note=note)


def _duel(points: float, games: int) -> Cell:
    if not games:
        return Cell("·", number=True)
    return Cell(f"{points:g}/{games}", number=True, style=heat(points / games))


def _course_section(course: Course) -> Section:
    drawings = [charts.strip(course.results, "Results, the oldest first")]
    if course.chart is not None:
        drawings.insert(0, course.chart)
    heads = [Cell(name, number=_is_number(value)) for name, value in (course.rows[0] if course.rows else {}).items()]
    rows = [[_plain_cell(value) for value in row.values()] for row in course.rows]
    note = "The band is the 95 % interval. Below: wins stand up, losses hang down, faults in red."
    return Section(course.game, drawings, heads, rows, note, caption=f"Matches of {course.game}")


def _plain_cell(value: object) -> Cell:
    return Cell(f"{value:g}" if isinstance(value, float) else str(value), number=_is_number(value))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)

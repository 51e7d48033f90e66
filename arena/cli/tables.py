"""Tables of ratings for people."""

from collections.abc import Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from arena.cli.output import cell, marked
from arena.ratings import Rating
from arena.ratings.standings import Standings

BAR = 13
"""Characters of the bar that shows a rating with its doubt."""


def print_standings(standings: Standings, title: str, console: Console) -> None:
    """The rating table, and below it what seats or roles are worth."""
    console.print(rating_table(standings.rows, standings.faults, f"{title}, {standings.matches} matches"))
    for role, rows in standings.by_role.items():
        console.print(rating_table(rows, {}, f"as {role}"))
    if standings.advantages:
        worth = ", ".join(f"{seat.role} {seat.value:+.1f} ± {2 * seat.sigma:.1f}" for seat in standings.advantages)
        console.print(f"[dim]worth of a seat, in points of rating: {marked(worth)}[/dim]", soft_wrap=True)


def rating_table(rows: Sequence[Rating], faults: Mapping[str, int], title: str) -> Table:
    """One table of ratings."""
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("#", justify="right")
    table.add_column("bot", overflow="fold")
    table.add_column("rating ± 2sd", justify="right", no_wrap=True)
    table.add_column("", min_width=BAR, no_wrap=True)
    for name in ("rank", "best", "games", "W-D-L", "faults"):
        table.add_column(name, justify="right", no_wrap=True)
    low, high = _span(rows)
    for place, row in enumerate(rows, 1):
        ranks = str(row.ranks[0]) if row.ranks[0] == row.ranks[1] else f"{row.ranks[0]}-{row.ranks[1]}"
        skill = (f"{row.mu:.1f} ± {2 * row.field_sigma:4.1f}", _bar(row, low, high), ranks, f"{row.best:.0%}")
        tally = (str(row.games), f"{row.wins}-{row.draws}-{row.losses}", str(faults.get(row.bot, 0)))
        table.add_row(str(place), cell(row.bot), *skill, *tally)
    return table


def _span(rows: Sequence[Rating]) -> tuple[float, float]:
    """The range of ratings that the bars show."""
    low = min((row.mu - 2 * row.field_sigma for row in rows), default=0.0)
    high = max((row.mu + 2 * row.field_sigma for row in rows), default=1.0)
    return low, high


def _bar(row: Rating, low: float, high: float) -> str:
    """The rating as a mark on the line of its 95 % interval."""
    cells = [" "] * BAR

    def cell(value: float) -> int:
        return min(BAR - 1, max(0, round((value - low) / max(high - low, 1e-9) * (BAR - 1))))

    for place in range(cell(row.mu - 2 * row.field_sigma), cell(row.mu + 2 * row.field_sigma) + 1):
        cells[place] = "─"
    cells[cell(row.mu)] = "●"
    return "".join(cells)

"""Tables of ratings for people."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from arena.cli.output import cell, marked, narrow_table
from arena.match import ordinal, percent
from arena.standings.table import Row, Standings
from arena.web.formats import counted

BAR = 9
"""Characters of the bar that shows a rating with its doubt."""


def print_standings(standings: Standings, title: str, console: Console) -> None:
    """The rating table, and below it what seats or roles are worth, and what is to be known about it."""
    matches = counted(standings.matches, "match")
    console.print(rating_table(standings.rows, f"{title}, {matches}"))
    for role, rows in standings.by_role.items():
        console.print()
        console.print(rating_table(rows, f"as {role}"))
    console.print()
    if standings.seats > 2:
        places = "-".join(map(ordinal, range(1, standings.seats + 1)))
        console.print(f"[dim]places: how often {places}[/dim]", highlight=False)
    if standings.advantages:
        worth = ", ".join(
            f"{seat.role} {round(seat.value, 1) + 0.0:+.1f} ± {2 * seat.sigma:.1f}" for seat in standings.advantages
        )
        console.print(f"[dim]worth of a seat, in points of rating: {marked(worth)}[/dim]")
    print_notes(standings, console)


def print_notes(standings: Standings, console: Console) -> None:
    """What a reader must know about a table."""
    for note in standings.notes:
        console.print(f"[yellow]{marked(note)}[/yellow]", highlight=False)


def rating_table(rows: Sequence[Row], title: str) -> Table:
    """One table of ratings; a line divides groups of bots that never met."""
    table = narrow_table(title=title, title_justify="left", title_style="bold")
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("bot", overflow="fold", min_width=10)
    table.add_column("rating ± 2sd", justify="right", no_wrap=True)
    table.add_column("", width=BAR, no_wrap=True)
    seats = max((len(row.rating.places) for row in rows), default=0)
    results = "W-D-L" if seats <= 2 else "places"
    for name in ("rank", "best", "games", results, "faults"):
        table.add_column(name, justify="right", overflow="fold", no_wrap=name != results)
    low, high = _span(rows)
    for row in rows:
        known = row.rating
        if row.place == 1 and known.group > 1:
            table.add_section()
        ranks = str(known.ranks[0]) if known.ranks[0] == known.ranks[1] else f"{known.ranks[0]}-{known.ranks[1]}"
        skill = (f"{known.mu:.1f} ± {2 * known.field_sigma:4.1f}", _bar(row, low, high), ranks, percent(known.best))
        if not known.games:
            skill = ("–", "", "–", "–")  # alone in its group it would be the best for certain
        score = (known.wins, known.draws, known.losses) if seats <= 2 else known.places
        tally = (str(known.games), "-".join(map(str, score)), str(row.faults))
        table.add_row(*map(cell, (str(row.place), row.bot.label, *skill, *tally)))
    return table


def _span(rows: Sequence[Row]) -> tuple[float, float]:
    """The range of ratings that the bars show."""
    low = min((row.low for row in rows if row.rating.games), default=0.0)
    high = max((row.high for row in rows if row.rating.games), default=1.0)
    return low, high


def _bar(row: Row, low: float, high: float) -> str:
    """The rating as a mark on the line of its 95 % interval."""
    cells = [" "] * BAR

    def cell(value: float) -> int:
        return min(BAR - 1, max(0, round((value - low) / max(high - low, 1e-9) * (BAR - 1))))

    for place in range(cell(row.low), cell(row.high) + 1):
        cells[place] = "─"
    cells[cell(row.rating.mu)] = "●"
    return "".join(cells)

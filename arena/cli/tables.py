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
WIDE = 96
"""In so many characters there is room for owners beside the bars."""


def print_standings(standings: Standings, title: str, console: Console) -> None:
    """The rating table, and below it what seats or roles are worth, and what is to be known about it."""
    matches = counted(standings.matches, "match")
    console.print(rating_table(standings.rows, f"{title}, {matches}", console.width))
    for role, rows in standings.by_role.items():
        console.print()
        console.print(rating_table(rows, f"as {role}", console.width))
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


def rating_table(rows: Sequence[Row], title: str, width: int = 0) -> Table:
    """One table of ratings, or of points as long as nobody is ranked.

    Where the width is known it has the owners, if they differ: instead of the bars, or beside them if there is room.
    """
    table = narrow_table(title=title, title_justify="left", title_style="bold")
    ranked, owned = any(row.place for row in rows), bool(width) and len({row.bot.owner for row in rows}) > 1
    bars = ranked and (width >= WIDE or not owned)
    seats = max((len(row.rating.places) for row in rows), default=0)
    results = "W-D-L" if seats <= 2 else "places"
    if ranked:
        table.add_column("#", justify="right", no_wrap=True)
    table.add_column("bot", overflow="fold", min_width=10)
    if owned:
        table.add_column("owner", overflow="fold")
    if ranked:
        table.add_column("rating ±2sd", justify="right", no_wrap=True)
    if bars:
        table.add_column("", width=BAR, no_wrap=True)
    for name in (*(("rank", "best") if ranked else ("points",)), "games", results, "faults"):
        table.add_column(name, justify="right", overflow="fold", no_wrap=name != results)
    low, high = _span(rows)
    for row in rows:
        known = row.rating
        named = (row.bot.label, row.bot.owner) if owned else (row.bot.label,)
        score = (known.wins, known.draws, known.losses) if seats <= 2 else known.places
        tally = (str(known.games), "-".join(map(str, score)), str(row.faults))
        if ranked:
            rating, *doubt = _skill(row)
            bar = (_bar(row, low, high) if row.comparable else "",) if bars else ()
            facts = (str(row.place or "–"), *named, rating, *bar, *doubt, *tally)
        else:
            facts = (*named, percent(row.share) if known.games else "–", *tally)
        table.add_row(*map(cell, facts))
    return table


def _skill(row: Row) -> tuple[str, str, str]:
    """What is known of its rating, its rank and its chance to be the best."""
    known = row.rating
    if not row.comparable:
        return "–" if known.games else "not played", "–", "–"
    first, last = known.ranks
    ranks = str(first) if first == last else f"{first}-{last}"
    return f"{known.mu:.1f} ± {2 * known.field_sigma:4.1f}", ranks, percent(known.best)


def _span(rows: Sequence[Row]) -> tuple[float, float]:
    """The range of ratings that the bars show."""
    low = min((row.low for row in rows if row.comparable), default=0.0)
    high = max((row.high for row in rows if row.comparable), default=1.0)
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

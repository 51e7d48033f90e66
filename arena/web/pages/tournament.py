"""The page of a tournament: how far it is, who wins, who beat whom, and how anybody checks it."""

from collections.abc import Sequence

from arena.game import GameInfo
from arena.standings.table import Standings
from arena.web.links import file_of, pair_name
from arena.web.pages.ladder import bars_of, columns_of
from arena.web.pages.views import MatchView, RunningRow, TournamentView, settings_facts
from arena.web.rendering import Page

CROSS = 40
"""Bots of a cross-table at most."""


def tournament_page(
    view: TournamentView,
    info: GameInfo | None,
    table: Standings,
    latest: Sequence[MatchView],
    live: Sequence[RunningRow],
) -> Page:
    """The page."""
    bars, scale = bars_of(table.rows, table.rows)
    field = table.rows[:CROSS]
    cross = [
        (row, [(cell, pair_name(row.bot.id, other.bot.id), other) for cell, other in zip(cells, field)])
        for row, cells in zip(field, table.crosstable(CROSS))
    ]
    data = {
        "view": view,
        "info": info,
        "table": table,
        "columns": columns_of(table)[:9],
        "bars": bars,
        "scale": scale,
        "cross": cross,
        "left_out": len(table.rows) - len(field),
        "facts": settings_facts(view.entry.settings, info),
        "latest": latest,
        "live": live,
    }
    leader = f" {table.rows[0].bot.label} {'won' if view.finished else 'leads'}." if table.rows else ""
    description = f"{view.title}: {view.words}.{leader}"
    return Page(
        file_of("tournament", view.id), "tournament.html", view.title, description, data, part="tournaments",
        live=not view.finished,
    )  # fmt: skip


def tournaments_page(items: Sequence[TournamentView], older: str = "") -> Page:
    """The list of tournaments, the newest first."""
    data = {"items": items, "older": older}
    return Page(
        file_of("tournaments"), "tournaments.html", "Tournaments", "All tournaments, the newest first.", data,
        part="tournaments",
    )  # fmt: skip

"""The page of a tournament: how far it is, who wins, who beat whom, and how anybody checks it."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.game import GameInfo
from arena.standings.table import Standings
from arena.web.links import file_of, pair_name
from arena.web.pages.ladder import bars_of, columns_of
from arena.web.pages.sections import CrossTable, LatestMatches, Lead, Progress, RunningMatches, StandingsTable
from arena.web.pages.views import MatchView, RunningRow, TournamentView, settings_facts
from arena.web.rendering import Page, Section

CROSS = 40
"""Bots of a cross-table at most."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """What the page of a tournament shows beside its sections."""

    view: TournamentView
    facts: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class TournamentList:
    """A page of tournaments, with the address of the next one."""

    items: Sequence[TournamentView]
    older: str


def tournament_page(
    view: TournamentView,
    info: GameInfo | None,
    table: Standings,
    latest: Sequence[MatchView],
    live: Sequence[RunningRow],
) -> Page:
    bars, scale = bars_of(table.rows, table.rows)
    lead = Lead(view.words, view.entry.state, view.when, info.name if info else "", info.title if info else "")
    sections = [Section("lead", lead)]
    if not view.finished:
        sections += [
            Section("matches", RunningMatches(live, show_game=False)),
            Section("progress", Progress(view.played, view.planned)),
        ]
    # On a page that is live each has its place, and is hidden as long as it is empty.
    if table.rows or not view.finished:
        columns = columns_of(table, trend=False)
        sections += [
            Section("standings", StandingsTable(table.rows, columns, bars, scale, table.notes)),
            Section("cross", _cross(table, linked=not view.entry.apart)),
        ]
    if latest or not view.finished:
        sections.append(Section("latest", LatestMatches(latest, view.id)))
    leader = f" {table.leader.bot.label} {'won' if view.finished else 'leads'}." if table.leader else ""
    description = f"{view.title}: {view.words}.{leader}"
    return Page(
        file_of("tournament", view.id), "tournament.html", view.title, description,
        Tournament(view, settings_facts(view.entry.settings, info)), part="tournaments", live=not view.finished,
        sections=sections,
    )  # fmt: skip


def _cross(table: Standings, *, linked: bool) -> CrossTable:
    """Who beat whom, with links to the meetings of two bots; those of an imported tournament are on no other page."""
    field = table.rows[:CROSS]
    rows = [
        (
            row.bot,
            [
                (None if other is row else cell, pair_name(row.bot.id, other.bot.id) if linked else "", other.bot.label)
                for cell, other in zip(cells, field)
            ],
        )
        for row, cells in zip(field, table.crosstable(CROSS))
    ]
    return CrossTable(rows, len(table.rows) - len(field))


def tournaments_page(items: Sequence[TournamentView], older: str = "") -> Page:
    return Page(
        file_of("tournaments"), "tournaments.html", "Tournaments", "All tournaments, the newest first.",
        TournamentList(items, older), part="tournaments",
    )  # fmt: skip

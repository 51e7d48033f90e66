"""The first page: the games with their leaders, what is running, what was played last."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from arena.game import GameInfo
from arena.standings.table import Row, Standings
from arena.web.links import file_of
from arena.web.pages.ladder import bars_of
from arena.web.pages.sections import LatestMatches, OpenTournaments, RunningMatches
from arena.web.pages.views import MatchView, RunningRow, TournamentView
from arena.web.rendering import Page, Section

LEADERS = 3


@dataclass(frozen=True, slots=True)
class GameCard:
    """A game on the first page."""

    info: GameInfo
    matches: int
    bots: int
    leaders: Sequence[Row]
    bars: Mapping[int, Markup]
    latest: MatchView | None
    """Its latest match, rated or not."""


@dataclass(frozen=True, slots=True)
class Home:
    """What the first page shows beside its sections."""

    cards: Sequence[GameCard]
    bots: int
    matches: int
    finished: Sequence[TournamentView]
    latest: Sequence[MatchView]


def home_page(
    title: str,
    tables: Mapping[GameInfo, Standings],
    bots: int,
    tournaments: Sequence[TournamentView],
    latest: Sequence[MatchView],
    newest: Mapping[str, MatchView],
    live: Sequence[RunningRow],
) -> Page:
    """The page; `newest` is the latest match of every game that was played."""
    cards = [_card(info, table, newest.get(info.name)) for info, table in tables.items()]
    # What was played comes first; games of equal rank stay in the order of their names.
    cards.sort(key=lambda card: not card.matches)
    finished = [item for item in tournaments if item.finished]
    home = Home(cards, bots, sum(card.matches for card in cards), finished, latest)
    sections = (
        Section("matches", RunningMatches(live)),
        Section("tournaments", OpenTournaments([item for item in tournaments if not item.finished])),
        Section("latest", LatestMatches(latest)),
    )
    names = ", ".join(card.info.title for card in cards)
    return Page(
        file_of("home"), "home.html", title, f"Bots play {names}: ladders, tournaments, replays.", home, live=True,
        sections=sections,
    )  # fmt: skip


def _card(info: GameInfo, table: Standings, latest: MatchView | None) -> GameCard:
    leaders = [row for row in table.rows[:LEADERS] if row.place]
    bars, _ = bars_of(leaders, leaders, height=24)
    return GameCard(info, table.matches, len(table.rows), leaders, bars, latest)

"""The ladder of a game: who is best, and how sure that is."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from arena.game import GameInfo
from arena.match import ordinal
from arena.standings.table import Row, Standings
from arena.web import charts
from arena.web.formats import counted
from arena.web.links import file_of
from arena.web.pages.views import MatchView
from arena.web.rendering import Page

PER_PAGE = 100
"""Rows of a served table; one in a folder has all, because only the browser can turn its pages."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a rating table."""

    key: str
    label: str
    sort: str = ""
    """How the browser compares it: `number` or `text`; nothing if it cannot be sorted by."""
    tip: str = ""
    ascending: bool = False
    """Whether the first click puts the smallest first."""

    @property
    def style(self) -> str:
        return {"span": "span", "bot": "stick", "owner": "roomy"}.get(self.key, "number")


COLUMNS = (
    Column("place", "#", "number", "the place by rating", ascending=True),
    Column("bot", "bot", "text", ascending=True),
    Column("owner", "owner", "text", ascending=True),
    Column("rating", "rating", "number", "TrueSkill's, with twice its standard deviation in the field"),
    Column("span", ""),
    Column("rank", "rank", "number", "the 95 % interval of the true place", ascending=True),
    Column("best", "best", "number", "the chance to be the best of all"),
    Column("games", "games", "number"),
    Column("share", "W–D–L", "number", "won, drawn, lost"),
    Column("faults", "faults", "number", "matches lost by a fault"),
    Column("trend", "trend", "number", "against the version before"),
)
KEYS: Mapping[str, Callable[[Row], Any]] = {
    "place": lambda row: row.place or math.inf,
    "bot": lambda row: (row.bot.name.lower(), row.bot.id),
    "owner": lambda row: row.bot.owner.lower(),
    "rating": lambda row: row.rating.mu if row.comparable else -math.inf,
    "rank": lambda row: row.rating.ranks if row.comparable else (math.inf, math.inf),
    "best": lambda row: row.rating.best if row.comparable else 0.0,
    "games": lambda row: row.rating.games,
    "share": lambda row: row.share,
    "faults": lambda row: row.faults,
    "trend": lambda row: row.trend or 0.0,
}
ORDERS = ("ascending", "descending")


@dataclass(frozen=True, slots=True)
class TableState:
    """Which rows of a table are shown and in which order, as the address says."""

    sort: str = ""
    order: str = ""
    q: str = ""
    settled: bool = False
    first: int = 1
    total: int = 0

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "TableState":
        """The state of an address; what is not understood is left out."""
        sort, order, first = query.get("sort", ""), query.get("order", ""), query.get("from", "")
        if sort not in KEYS or order not in ORDERS:
            sort = order = ""
        number = int(first) if first.isascii() and first.isdigit() and len(first) < 8 else 1
        return cls(sort, order, query.get("q", "")[:60], "settled" in query, max(number, 1))

    def href(self, column: Column) -> str:
        """The address of this table sorted by a column; the other way round if it is sorted so already."""
        usual = column.ascending
        falling = usual if self.sort == column.key and (self.order == "ascending") == usual else not usual
        return replace(self, sort=column.key, order=ORDERS[falling], first=1)._address()

    @property
    def later(self) -> str:
        """The address of the next page."""
        return replace(self, first=self.first + PER_PAGE)._address() if self.first + PER_PAGE <= self.total else ""

    @property
    def earlier(self) -> str:
        """The address of the page before."""
        return replace(self, first=max(1, self.first - PER_PAGE))._address() if self.first > 1 else ""

    def choose(self, rows: Sequence[Row], owner_name: Callable[[str], str]) -> list[Row]:
        """The rows that fit, in their order."""
        text = self.q.strip().lower()
        fitting = [
            row
            for row in rows
            if text in f"{row.bot.label} {owner_name(row.bot.owner)}".lower() and not (self.settled and row.unsettled)
        ]
        if self.sort:
            by_owner: Callable[[Row], Any] = lambda row: owner_name(row.bot.owner).lower()  # noqa: E731
            key = by_owner if self.sort == "owner" else KEYS[self.sort]
            fitting.sort(key=key, reverse=self.order == "descending")
        return fitting

    def _address(self) -> str:
        values = {"sort": self.sort, "order": self.order, "q": self.q}
        values |= {"settled": "1" if self.settled else "", "from": str(self.first) if self.first > 1 else ""}
        return "?" + urlencode({key: value for key, value in values.items() if value})


@dataclass(frozen=True, slots=True)
class RatingTable:
    """Rows with their bars over a common axis."""

    rows: Sequence[Row]
    bars: Mapping[int, Markup]
    scale: Markup


@dataclass(frozen=True, slots=True)
class Ladder:
    """The ratings of a game, beside those of the others."""

    info: GameInfo
    games: Sequence[GameInfo]
    table: Standings
    columns: Sequence[Column]
    short_columns: Sequence[Column]
    """Those of the tables by role."""
    shown: RatingTable
    """What fits the state of the table."""
    state: TableState
    roles: Mapping[str, RatingTable]
    worth: Markup | None
    """What the seats are worth, as a drawing."""
    latest: Sequence[MatchView]


def ladder_page(
    info: GameInfo, games: Sequence[GameInfo], table: Standings, latest: Sequence[MatchView],
    state: TableState | None, owner_name: Callable[[str], str],
) -> Page:  # fmt: skip
    """The page; `state` says which rows a served one shows, without it all are there."""
    chosen = state.choose(table.rows, owner_name) if state else list(table.rows)
    rows = chosen[state.first - 1 : state.first - 1 + PER_PAGE] if state else chosen
    leader = f" {table.leader.bot.label} leads." if table.leader else ""
    ladder = Ladder(
        info, games, table, columns_of(table), columns_of(table, trend=False),
        RatingTable(rows, *bars_of(table.rows, rows)), replace(state, total=len(chosen)) if state else TableState(),
        {role: RatingTable(part, *bars_of(part, part)) for role, part in table.by_role.items()},
        seats_chart(table), latest,
    )  # fmt: skip
    description = f"Who is best at {info.title}, and how sure that is: {counted(len(table.rows), 'bot')}.{leader}"
    return Page(file_of("ladder", info.name), "ladder.html", f"{info.title} ladder", description, ladder, part="ladder")


def columns_of(table: Standings, *, trend: bool = True) -> tuple[Column, ...]:
    """The columns of a table; owners if they differ, and where more than two play, places instead of won and lost."""
    places = Column("share", "–".join(map(ordinal, range(1, table.seats + 1))), "number", "how often it had each place")
    owned = len({row.bot.owner for row in table.rows}) > 1
    left_out = {key for key, shown in (("owner", owned), ("trend", trend)) if not shown}
    chosen = (column for column in COLUMNS if column.key not in left_out)
    return tuple(places if column.key == "share" and table.seats > 2 else column for column in chosen)


def bars_of(everything: Sequence[Row], shown: Sequence[Row], *, height: int = 43) -> tuple[dict[int, Markup], Markup]:
    """The bars of these rows that can be compared, over an axis for all such rows, and the numbers of that axis."""
    known = [row for row in everything if row.comparable]
    if not known:
        return {}, Markup()
    axis = charts.Axis(min(row.low for row in known), max(row.high for row in known))
    bars = {
        row.bot.id: charts.bar(axis, row.low, row.rating.mu, row.high, height=height) for row in shown if row.comparable
    }
    return bars, charts.scale(axis)


def seats_chart(table: Standings) -> Markup | None:
    """What each seat is worth, if that is known."""
    bars = [
        charts.Interval(seat.role, seat.value - 2 * seat.sigma, seat.value, seat.value + 2 * seat.sigma)
        for seat in table.advantages
    ]
    return charts.intervals(bars, "What a seat is worth") if bars else None

"""The pages of matches: the replay, the same for frames of other sites, and lists."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from arena.game import GameInfo
from arena.store.base import TournamentEntry
from arena.web.links import file_of
from arena.web.pages.views import MatchView
from arena.web.rendering import Page
from arena.web.replay_data import Replay


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Which matches a served list shows."""

    game: str = ""
    tournament: str = ""
    bot: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """A match that was played."""

    view: MatchView
    tournament: TournamentEntry
    trouble: str
    """Why it cannot be replayed, if it cannot."""
    outputs: Mapping[int, str]
    """The last that its bots printed, by seat, where that may be shown."""


@dataclass(frozen=True, slots=True)
class Running:
    """A match that is being played."""

    tournament: str
    game: str
    title: str
    delay: float
    """Seconds by which its moves are shown later."""


@dataclass(frozen=True, slots=True)
class Embed:
    """A match alone, whose page has this name."""

    name: str


@dataclass(frozen=True, slots=True)
class MatchList:
    """A page of matches, with the addresses of its neighbours."""

    rows: Sequence[MatchView]
    games: Sequence[GameInfo]
    chosen: MatchFilter
    older: str
    newer: str


def match_page(
    view: MatchView, tournament: TournamentEntry, replay: Replay | None, trouble: str, outputs: Mapping[int, str]
) -> Page:
    """The page of a match; `trouble` says why it cannot be replayed, if it cannot."""
    title = " – ".join(seat.bot.label for seat in view.seats)
    words = f"{view.title}: {title}. {view.result}."
    return Page(
        file_of("match", view.name), "match.html", f"{title}, {view.title}", words,
        Match(view, tournament, trouble, outputs), part="matches", replay=replay,
        replay_file=file_of("replay", view.name),
    )  # fmt: skip


def running_page(name: str, replay: Replay, delay: float) -> Page:
    """The page of a match that is being played; when it is over, the page at this address is that of its replay."""
    title = f"{replay.title}, {replay.game_title}"
    return Page(
        file_of("match", name), "running_page.html", title, f"A match that is being played: {title}.",
        Running(name.partition("-")[0], replay.game, replay.game_title, delay), part="matches", replay=replay,
        replay_file=file_of("replay", name), live=True,
    )  # fmt: skip


def embed_page(name: str, page: Page) -> Page:
    """What the page of the match of this name plays, alone, for a frame of another site."""
    return replace(page, path=file_of("embed", name), template="embed.html", data=Embed(name), part="", framed=True)


def matches_page(
    path: str, rows: Sequence[MatchView], games: Sequence[GameInfo], chosen: MatchFilter, *, older: str, newer: str = ""
) -> Page:
    """A list of matches, the newest first; `older` and `newer` are the addresses of its neighbours."""
    listed = MatchList(rows, games, chosen, older, newer)
    return Page(path, "matches.html", "Matches", "The latest matches, each to watch.", listed, part="matches")

"""The pages of matches: the replay, the same for frames of other sites, and lists."""

from collections.abc import Sequence
from dataclasses import dataclass

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


def match_page(view: MatchView, tournament: TournamentEntry, replay: Replay | None, trouble: str) -> Page:
    """The page of a match; `trouble` says why it cannot be replayed, if it cannot."""
    title = " – ".join(seat.bot.label for seat in view.seats)
    data = {"view": view, "tournament": tournament, "trouble": trouble}
    words = f"{view.title}: {title}. {view.reason}."
    return Page(
        file_of("match", view.name), "match_page.html", f"{title}, {view.title}", words, data,
        part="matches", replay=replay, replay_file=file_of("replay", view.name),
    )  # fmt: skip


def running_page(name: str, replay: Replay, delay: float) -> Page:
    """The page of a match that is being played; when it is over, the page at this address is that of its replay."""
    tournament = name.partition("-")[0]
    title = f"{replay.title}, {replay.game_title}"
    data = {"name": name, "tournament": tournament, "game": replay.game, "title": replay.game_title, "delay": delay}
    return Page(
        file_of("match", name), "running_page.html", title, f"A match that is being played: {title}.", data,
        part="matches", replay=replay, replay_file=file_of("replay", name), live=True,
    )  # fmt: skip


def running_embed(name: str, replay: Replay) -> Page:
    """A match that is being played alone, for a frame of another site."""
    return Page(
        file_of("embed", name), "embed.html", f"{replay.title}, {replay.game_title}",
        f"A match of {replay.game_title} that is being played.", {"name": name}, replay=replay,
        replay_file=file_of("replay", name), framed=True, live=True,
    )  # fmt: skip


def embed_page(view: MatchView, replay: Replay) -> Page:
    """The replay alone, for a frame of another site."""
    title = " – ".join(seat.bot.label for seat in view.seats)
    return Page(
        file_of("embed", view.name), "embed.html", f"{title}, {view.title}", f"A match of {view.title}.",
        {"name": view.name}, replay=replay, replay_file=file_of("replay", view.name), framed=True,
    )  # fmt: skip


def matches_page(
    path: str, rows: Sequence[MatchView], games: Sequence[GameInfo], chosen: MatchFilter, *, older: str, newer: str = ""
) -> Page:
    """A list of matches, the newest first; `older` and `newer` are the addresses of its neighbours."""
    data = {"rows": rows, "games": games, "chosen": chosen, "older": older, "newer": newer}
    return Page(path, "matches.html", "Matches", "The latest matches, each to watch.", data, part="matches")

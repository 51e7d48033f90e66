"""The replay of a match as a page of its own, in one file."""

from collections.abc import Mapping
from dataclasses import dataclass

from arena.web.rendering import OutputMode, Page, SiteContext, render
from arena.web.replay_data import Replay


@dataclass(frozen=True, slots=True)
class _Shown:
    outputs: Mapping[int, str]


def replay_page(replay: Replay, *, framed: bool = False, outputs: Mapping[int, str] | None = None) -> Page:
    """The page; one that other sites may show in a frame has no heading and no details.

    `outputs` is the last that bots printed, by seat, to be shown.
    """
    title = f"{replay.title} · {replay.game_title}"
    description = f"A match of {replay.game_title}: {replay.title}. {replay.result}."
    data = _Shown(outputs or {})
    return Page("replay.html", "replay.html", title, description, data, replay=replay, framed=framed)


def replay_html(replay: Replay, *, framed: bool = False, outputs: Mapping[int, str] | None = None) -> str:
    """The page with all that it needs, as HTML."""
    return render(replay_page(replay, framed=framed, outputs=outputs), SiteContext(mode=OutputMode.SINGLE))

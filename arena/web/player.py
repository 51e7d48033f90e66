"""The replay player around a game's viewer, as a part of a page."""

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from arena.web.assets import Assets, static
from arena.web.replay_data import Replay
from arena.web.viewers import Viewer

STYLES = ("theme.css", "player.css")
"""The style sheets of the player, in this order; the viewer's comes after them."""


@dataclass(frozen=True, slots=True)
class PlayerPart:
    """What goes into the head of the page, and what `player.html` shows."""

    head: Sequence[Markup]
    viewer_address: str
    data_address: str
    """Where the player fetches the packed data, which needs a server; without it they are in the page."""
    events_address: str
    data: str


def player_part(replay: Replay, assets: Assets, *, data_address: str = "", events_address: str = "") -> PlayerPart:
    """The player for a page; the page's assets learn what it needs."""
    viewer, scripts = replay.viewer, assets.delivery.scripts
    head = [assets.script("head.js", static("head.js"))]
    head += [assets.style(name, static(name)) for name in STYLES]
    head.append(assets.style(viewer_file(viewer, "css"), viewer.style))
    sources = {"player": static("player.js"), "viewer": viewer.script}
    head.append(assets.module("watch.js", sources, "await player.start(viewer);\n"))
    address = scripts(viewer_file(viewer, "js")) if scripts else ""
    data = "" if data_address else base64.b64encode(replay.packed()).decode()
    return PlayerPart(head, address, data_address, events_address, data)


def viewer_file(viewer: Viewer, kind: str) -> str:
    """The name under which linked pages ask for a viewer's script or style."""
    return f"viewers/{viewer.name}.{kind}"


def asset_files(viewers: Iterable[Viewer]) -> dict[str, str]:
    """Every file that linked pages ask for, by its name: ours, and those of these viewers."""
    names = ("head.js", "watch.js", "player.js", "live.js", *STYLES)
    files = {name: static(name) for name in names}
    for viewer in viewers:
        files |= {viewer_file(viewer, "js"): viewer.script, viewer_file(viewer, "css"): viewer.style}
    return files

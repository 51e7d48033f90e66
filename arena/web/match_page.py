"""The page of one match: the replay player around a game's viewer, as a page of its own or as a part of another."""

import base64
from dataclasses import dataclass
from enum import Enum

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from arena.web.assets import INLINED, Assets, Delivery, static
from arena.web.replay_data import Replay
from arena.web.viewers import Viewer

STYLES = ("theme.css", "player.css")
"""The style sheets of the player, in this order; the viewer's comes after them."""


class Frame(Enum):
    """Whether other sites may show the page in a frame."""

    REFUSED = "refuse"
    """An ordinary page: it hides itself in a frame, since only a header could keep it out."""
    ALLOWED = "allow"
    """An embed: board, controls and moves, without heading and details."""


@dataclass(frozen=True, slots=True)
class Link:
    """A way out of the page."""

    address: str
    text: str


@dataclass(frozen=True, slots=True)
class PlayerPart:
    """The player for the layout of another page: what goes into head and body, and what the policy must allow."""

    head: Markup
    body: Markup
    assets: Assets


def match_page(
    replay: Replay,
    delivery: Delivery = INLINED,
    *,
    frame: Frame = Frame.REFUSED,
    data_address: str = "",
    links: tuple[Link, ...] = (),
    policy_in_page: bool = True,
) -> str:
    """The page as HTML.

    Without `data_address` the packed data is in the page; else the player fetches it from there, which needs a server.
    `links` lead on from here; in an embed the first one should be the full page. A server that sends the policy as a
    header (`Assets.policy`) leaves it out of the page.
    """
    part = player_part(replay, delivery, frame=frame, data_address=data_address)
    policy = part.assets.policy(connect=bool(data_address)) if policy_in_page else ""
    return (
        _environment()
        .get_template("match.html")
        .render(replay=replay, part=part, policy=policy, frame=frame.value, links=links, embed=frame is Frame.ALLOWED)
    )


def player_part(
    replay: Replay,
    delivery: Delivery = INLINED,
    *,
    frame: Frame = Frame.REFUSED,
    data_address: str = "",
    events_address: str = "",
    assets: Assets | None = None,
) -> PlayerPart:
    """The player as head and body; `assets` of the page around it, if there are any, learn what it needs."""
    assets = assets or Assets(delivery)
    viewer = replay.viewer
    head = [assets.script("head.js", static("head.js"))]
    head += [assets.style(name, static(name)) for name in STYLES]
    head.append(assets.style(viewer_file(viewer, "css"), viewer.style))
    head.append(
        assets.module(
            "watch.js", {"player": static("player.js"), "viewer": viewer.script}, "await player.start(viewer);\n"
        )
    )
    address = delivery.scripts(viewer_file(viewer, "js")) if delivery.scripts else ""
    body = (
        _environment()
        .get_template("player.html")
        .render(
            replay=replay,
            viewer_address=address,
            data_address=data_address,
            events_address=events_address,
            data="" if data_address else base64.b64encode(replay.packed()).decode(),
            embed=frame is Frame.ALLOWED,
        )
    )
    return PlayerPart(Markup("\n").join(head), Markup(body), assets)  # noqa: S704  (rendered with autoescape)


def viewer_file(viewer: Viewer, kind: str) -> str:
    """The name under which linked pages ask for a viewer's script or style."""
    return f"viewers/{viewer.name}.{kind}"


def asset_files(viewers: tuple[Viewer, ...]) -> dict[str, str]:
    """Every file that linked pages ask for, by its name: ours, and those of these viewers."""
    names = ("head.js", "watch.js", "player.js", "live.js", *STYLES)
    files = {name: static(name) for name in names}
    for viewer in viewers:
        files |= {viewer_file(viewer, "js"): viewer.script, viewer_file(viewer, "css"): viewer.style}
    return files


def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("arena.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip

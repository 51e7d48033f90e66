"""From a page's data to HTML: one set of templates for sites in a folder, served sites and single files."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import Field, dataclass, field, fields
from enum import Enum
from functools import cache
from typing import Any, ClassVar, NamedTuple, Protocol

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from arena.game import AnyGame
from arena.registry import games
from arena.untrusted.text import printable
from arena.web import formats
from arena.web.assets import INLINED, Assets, Delivery, static
from arena.web.example import Example, example_position
from arena.web.links import ASSETS, events_of, file_of, up_from
from arena.web.player import PlayerPart, asset_files, player_part, viewer_file
from arena.web.replay_data import Replay
from arena.web.viewers import find_icon, find_viewer

STYLES = ("theme.css", "site.css")
ICON = "favicon.svg"


class OutputMode(Enum):
    """Where pages go, which decides how they carry their scripts and styles."""

    SERVED = "served"
    """Scripts are files and the server's headers say what may run; tables are sorted by the server."""
    FOLDER = "folder"
    """Scripts are in the pages, because browsers load no modules from a folder; tables are sorted by the browser."""
    SINGLE = "single"
    """Everything is in one file."""


class Model(Protocol):
    """What a template shows: any dataclass, whose fields are the names in the template."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page that changes while somebody looks at it; its template in `live/` has its name."""

    name: str
    data: Model

    @property
    def version(self) -> str:
        """Changes with all that it shows."""
        return hashlib.sha256(repr(self.data).encode()).hexdigest()[:20]


@dataclass(frozen=True, slots=True)
class Page:
    """What a page shows, and with which template."""

    path: str
    """Its file below the root of the site."""
    template: str
    title: str
    description: str
    data: Model
    part: str = ""
    """The part of the site that it belongs to, for the navigation."""
    replay: Replay | None = None
    """The match that it plays, if it does."""
    replay_file: str = ""
    """Where a served page finds the positions of the match, below the root of the site."""
    example: Example | None = None
    """A position that it draws, if it does."""
    framed: bool = False
    """Whether other sites may show it in a frame."""
    live: bool = False
    """Whether it changes while it is looked at: its sections, or the match that it plays."""
    sections: Sequence[Section] = ()


class NavLink(NamedTuple):
    """A part of the site, in the navigation of every page."""

    part: str
    path: str
    word: str


NAV = tuple(NavLink(kind, file_of(kind), kind.capitalize()) for kind in ("tournaments", "matches", "bots"))


@dataclass(frozen=True, slots=True)
class SiteContext:
    """What the pages of a site have in common."""

    title: str = "Arena"
    mode: OutputMode = OutputMode.SERVED
    has: Callable[[str, object], bool] = field(default=lambda kind, name: True, compare=False)  # noqa: ARG005
    """Whether the site has this page; links to others are left out."""
    nav: tuple[NavLink, ...] = NAV
    owner_name: Callable[[str], str] = field(default=str, compare=False)
    """What an owner of bots is called here."""
    version: str = ""
    """Changes with what `owner_name` answers."""
    packages: tuple[str, ...] = ("arena.web",)
    """Where templates are looked for, in this order."""

    @property
    def served(self) -> bool:
        """Whether a server answers, so that tables can be sorted by their address."""
        return self.mode is OutputMode.SERVED


def render(page: Page, around: SiteContext) -> str:
    up = up_from(page.path)
    delivery = _delivery(around.mode, up)
    assets = Assets(delivery)
    part = _player(page, around, assets, up)
    single = around.mode is OutputMode.SINGLE
    head: list[Markup] = []
    if part:
        # What the player says about itself comes after what holds for all pages.
        head += [*([] if single else [assets.style("site.css", static("site.css"))]), *part.head]
    if not single:
        head += [] if part else [assets.script("head.js", static("head.js"))]
        head += [assets.module("site.js", {"site": static("site.js")}, "")]
    if page.live and around.served and not part:
        head += [assets.module("live_page.js", {}, "")]
    if page.example:
        head += _drawing(page.example, assets)
    if not part:
        head += [assets.style(name, static(name)) for name in STYLES]

    def section(name: str) -> Markup:
        found = (render_section(section, page, around) for section in page.sections if section.name == name)
        return Markup(next(found, ""))  # noqa: S704  (rendered with autoescape)

    surroundings = _around(page, around) | {
        "section": section,
        "head": head,
        "player": part,
        "viewer": _viewer_address(page, delivery),
        "policy": "" if around.served else assets.policy(),
        "events": up + events_of(page.path) if page.live and around.served else "",
        "icon": "" if single else _address(ICON),
    }
    return _environment(around.packages).get_template(page.template).render(**_names(page.data), **surroundings)


def render_section(section: Section, page: Page, around: SiteContext) -> str:
    """A section of the page as HTML."""
    template = _environment(around.packages).get_template(f"live/{section.name}.html")
    return template.render(**_names(section.data), **_around(page, around))


def _names(data: Model) -> dict[str, Any]:
    """What a template finds under which name."""
    return {field.name: getattr(data, field.name) for field in fields(data)}


def _around(page: Page, around: SiteContext) -> dict[str, Any]:
    up = up_from(page.path)

    def link(kind: str, name: object = "") -> str:
        return up + file_of(kind, name) if around.has(kind, name) else ""

    return {"page": page, "site": around, "link": link, "up": up}


def render_alone(template: str, data: Model) -> str:
    """A page that is no part of a site: a whole template, with nothing of the site around it."""
    return (
        _environment(SiteContext().packages)
        .get_template(template)
        .render({item.name: getattr(data, item.name) for item in fields(data)})
    )


def prepare(known: Iterable[AnyGame], packages: tuple[str, ...] = SiteContext().packages) -> None:
    """Do what is done only once, so that the first page of each kind takes no longer than the others."""
    environment = _environment(packages)
    for name in environment.list_templates():
        environment.get_template(name)
    for game in known:
        example_position(game)


def site_files(known: Iterable[AnyGame]) -> dict[str, str]:
    """Every file that pages of these games link to, by its name below the folder of assets."""
    own = {name: static(name) for name in (*STYLES, "site.js", "live_page.js", "example.js", "example_page.js", ICON)}
    return asset_files(map(find_viewer, known)) | own


def _delivery(mode: OutputMode, up: str) -> Delivery:
    def address(name: str) -> str:
        return up + _address(name)

    match mode:
        case OutputMode.SERVED:
            return Delivery(styles=address, scripts=address)
        case OutputMode.FOLDER:
            return Delivery(styles=address)
    return INLINED


def _player(page: Page, around: SiteContext, assets: Assets, up: str) -> PlayerPart | None:
    if page.replay is None:
        return None
    data = up + page.replay_file if around.served and page.replay_file else ""
    events = up + events_of(page.path) if page.live and around.served else ""
    return player_part(page.replay, assets, data_address=data, events_address=events)


def _drawing(example: Example, assets: Assets) -> list[Markup]:
    viewer = example.viewer
    style = assets.style(viewer_file(viewer, "css"), viewer.style)
    sources = {"example": static("example.js"), "viewer": viewer.script}
    return [style, assets.module("example_page.js", sources, "example.show(viewer);\n")]


def _viewer_address(page: Page, delivery: Delivery) -> str:
    return delivery.scripts(viewer_file(page.example.viewer, "js")) if page.example and delivery.scripts else ""


def _address(name: str) -> str:
    """The address of an asset; it changes with our version, so that no browser keeps an old one."""
    return f"{ASSETS}/{name}?v={assets_version()}"


@cache
def assets_version() -> str:
    """A digest of all files for browsers, those of the games too."""
    return hashlib.sha256("".join(site_files(games().values()).values()).encode()).hexdigest()[:10]


@cache
def _environment(packages: tuple[str, ...]) -> Environment:
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]), autoescape=True,
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {name: getattr(formats, name) for name in formats.__all__}
    environment.filters["printable"] = printable
    environment.filters["icon"] = _icon
    return environment


@cache
def _icon(name: str) -> Markup:
    """The picture of a game; its own package has it, so it is as trusted as its rules."""
    game = games().get(name)
    return Markup(find_icon(game)) if game else Markup()  # noqa: S704  (see above)

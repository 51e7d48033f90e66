"""What draws a game in a browser: the viewer in the game's own package, or the generic one of terminal pictures."""

from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable

from arena.game import AnyGame

GENERIC = "generic"


@dataclass(frozen=True, slots=True)
class Viewer:
    """The sources of a viewer: an ES module without imports that exports scene, draw and say, and its style sheet."""

    name: str
    """The name of the game, or `generic`."""
    script: str
    style: str

    @property
    def generic(self) -> bool:
        """Whether it draws lines of text instead of the game's messages."""
        return self.name == GENERIC


def find_viewer(game: AnyGame) -> Viewer:
    """The viewer of this game, wherever its package was installed from."""
    folder = _folder(game)
    if folder.joinpath("viewer.js").is_file():
        return _read(game.info.name, folder, "viewer")
    return _read(GENERIC, resources.files("arena.web").joinpath("static"), "generic_viewer")


def find_icon(game: AnyGame) -> str:
    """The picture that stands for this game in lists, as SVG; empty if its package has none."""
    icon = _folder(game).joinpath("icon.svg")
    return icon.read_text("utf-8") if icon.is_file() else ""


def _folder(game: AnyGame) -> Traversable:
    return resources.files(type(game).__module__.rpartition(".")[0]).joinpath("viewer")


def _read(name: str, folder: Traversable, stem: str) -> Viewer:
    script, style = (folder.joinpath(f"{stem}.{kind}") for kind in ("js", "css"))
    return Viewer(name, script.read_text("utf-8"), style.read_text("utf-8") if style.is_file() else "")

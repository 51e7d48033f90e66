"""Which games there are: the packages under `engines`, and entry points of the group `arena.games`."""

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING

from arena.errors import RegistryError, UsageError
from arena.game import AnyGame, Game

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "arena.games"


@cache
def games() -> Mapping[str, AnyGame]:
    """Every game by its name, in alphabetical order; one that is broken stops everything with RegistryError."""
    from importlib.metadata import entry_points  # noqa: PLC0415  (a bot that names its game starts without it)

    found = {game.info.name: game for game in map(_load_engine, _engine_names())}
    for point in entry_points(group=GROUP):
        game = _load_entry_point(point)
        if game.info.name in found:
            raise RegistryError(f"two games are called {game.info.name!r}: one of them comes from {point.value}")
        found[game.info.name] = game
    return MappingProxyType(dict(sorted(found.items())))


def find(name: str) -> AnyGame:
    """The game of this name, or UsageError with the names that exist."""
    # A bot that plays one game need not wait for the others; `games` finds another game of the same name.
    if name in _engine_names():
        return _load_engine(name)
    if name not in games():
        raise UsageError(f"there is no game {name!r}: choose {', '.join(games())}")
    return games()[name]


def compiled() -> bool:
    """Whether the rules of the games that come with Arena are compiled or interpreted."""
    return bool(_engines().compiled())


@cache
def _engines() -> ModuleType:
    """Our own package of games; RegistryError if Python finds another package of that name, which is not even run."""
    spec = find_spec("engines")
    where = next(iter(spec.submodule_search_locations or [str(spec.origin)]), "no file") if spec else "no folder"
    ours = Path(where).resolve() == Path(__file__).resolve().parents[1] / "engines"
    # Another one may have been installed over ours.
    found = import_module("engines") if ours else None
    if found is None or getattr(found, "BELONGS_TO", None) != "arena":
        raise RegistryError(
            f"the package `engines` in {where} is not Arena's: remove or rename it (`pip uninstall engines` if pip "
            "brought it), and install Arena again"
        )
    return found


def _engine_names() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(_engines().__path__) if module.ispkg]


def _load_engine(name: str) -> AnyGame:
    try:
        module = import_module(f"engines.{name}")
    except Exception as error:  # whatever a broken module raises, it must not go unnoticed
        raise RegistryError(f"the game in engines/{name} cannot be loaded: {type(error).__name__}: {error}") from error
    game = _checked(getattr(module, "GAME", None), f"engines/{name}")
    if game.info.name != name:
        raise RegistryError(f"the game in engines/{name} calls itself {game.info.name!r}: the names must be the same")
    return game


def _load_entry_point(point: "EntryPoint") -> AnyGame:
    try:
        loaded = point.load()
    except Exception as error:  # see _load_engine
        raise RegistryError(f"the game {point.value} cannot be loaded: {type(error).__name__}: {error}") from error
    return _checked(loaded, point.value)


def _checked(found: object, where: str) -> AnyGame:
    if not isinstance(found, Game):
        raise RegistryError(f"{where} has no game: it must export GAME, an instance of arena.game.Game")
    return found

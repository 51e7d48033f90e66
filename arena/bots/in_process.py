"""Bots that play in this process, without a sandbox: a function, a Bot, a built-in or sample bot, or a folder."""

import runpy
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.bots.builtin import BUILTIN
from arena.bots.manifest import NAME, PYTHONS, Builtin, Folder, Image, locate, unknown_bot
from arena.errors import Crashed, UsageError
from arena.game import AnyGame
from arena.sdk import Bot, Session, Turn
from arena.sdk.serve import BotFactory, collect_bots

BotLike = Callable[[Turn[Any, Any]], Any] | type[Bot[Any, Any]] | Bot[Any, Any] | str | Path
"""A function from a turn to a move, a subclass or an object of Bot, or the name of a bot or its folder."""


@dataclass(frozen=True, slots=True)
class InProcessBot:
    """A name for the tables, and how to make the bot for one match; the argument is the seed of the match."""

    name: str
    make: Callable[[int], Bot[Any, Any]]


class FunctionBot(Bot[Any, Any]):
    """Asks a function for every move."""

    def __init__(self, function: Callable[[Turn[Any, Any]], Any]) -> None:
        self._function = function

    def choose(self, turn: Turn[Any, Any]) -> Any:
        """What the function answers."""
        return self._function(turn)


class OpenSession:
    """A session that keeps the exception of its bot, so that it can be raised where the match was started."""

    def __init__(self, game: AnyGame, bot: Bot[Any, Any]) -> None:
        self._session = Session(game, bot)
        self.failure: Exception | None = None

    def handle(self, data: bytes) -> bytes | None:
        """The reply to one request; Crashed if the bot raised an exception."""
        try:
            return self._session.handle(data)
        except Exception as error:
            self.failure = error
            raise Crashed(f"{type(error).__name__}: {error}") from error


def resolve_bot(game: AnyGame, given: BotLike) -> InProcessBot:
    """The bot that is meant, by whatever it was given as."""
    if isinstance(given, str | Path):
        return _named(game, str(given))
    if isinstance(given, Bot):
        return InProcessBot(type(given).__name__, lambda _: given)
    if isinstance(given, type) and issubclass(given, Bot):
        return InProcessBot(given.__name__, lambda _: given())
    if callable(given):
        name = getattr(given, "__name__", type(given).__name__)
        return InProcessBot(name if NAME.fullmatch(name) else "function", lambda _: FunctionBot(given))
    raise UsageError(f"{given!r:.80} is not a bot: give a function, a Bot, the name of a bot, or its folder")


def _named(game: AnyGame, text: str) -> InProcessBot:
    match locate(text, BUILTIN):
        case Builtin(name):
            return InProcessBot(name, BUILTIN[name])
        case Folder(path, manifest) if manifest.command and manifest.command[0] in PYTHONS:
            factory = served_bots(path, manifest.command).get(game.info.name)
            if factory is None:
                raise UsageError(f"the bot {text} does not play {game.info.name}")
            made = factory
            return InProcessBot(manifest.name, lambda _: made())
        case Image(name) if NAME.fullmatch(name):  # more likely a name that is mistyped
            raise unknown_bot(text, "here a bot is a function, a Bot, a sample bot, or a folder with a Python bot")
    raise UsageError(f"{text!r} cannot play in this process: only Python bots can, all others play in `arena match`")


def served_bots(folder: Path, command: Sequence[str]) -> Mapping[str, BotFactory]:
    """The bots that a folder's program would serve, for each game: it is run here, and serves nothing."""
    script = next((word for word in command[1:] if word.endswith(".py")), None)
    if script is None:
        raise UsageError(f"{folder} cannot play in this process: its bot.toml starts no .py file")
    with _importing_from(folder), collect_bots() as served:
        runpy.run_path(str(folder / script), run_name="__main__")
    return served


@contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    """Let modules be imported from this folder, and forget their names afterwards: other bots use the same ones."""
    before = dict(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in sys.modules.keys() - before.keys():
            if Path(getattr(sys.modules[name], "__file__", None) or "/").is_relative_to(folder):
                del sys.modules[name]

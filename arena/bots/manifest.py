"""Where a bot comes from, and what the manifest of its folder, bot.toml, says.

name = "my-bot"                    # letters, digits, dots and dashes
version = "1"
games = ["claim"]                  # the games that it plays
command = ["python3", "bot.py"]    # how to start it in its folder; or
image = "my-bot:1"                 # the container image to run instead
rules = true                       # optional: offer it the rules of all games on a second socket
build = ["make"]                   # optional: what makes the program in its folder, for those who build it
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.bots.shipped import SAMPLES
from arena.errors import UsageError, did_you_mean
from arena.untrusted.filetree import map_read_errors
from arena.untrusted.text import quoted
from arena.untrusted.toml import read_toml

MANIFEST = "bot.toml"
TEMPLATE = "random"
"""The sample bot that `arena bot new` begins with: it is there to be copied, and played by its path only."""
PYTHONS = ("python", "python3")
"""Commands that mean the Python that Arena itself runs with."""
MAX_MANIFEST_BYTES = 1 << 14
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
"""Names without special meaning to a terminal, an HTML page, a spreadsheet or a file system."""

_REMOTE = re.compile(r"grpc://([A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\]):(\d{1,5})")
_IMAGE = re.compile(r"[a-z0-9][a-z0-9._/:@-]{0,254}")
_KEYS = {"name", "version", "games", "command", "image", "build", "rules"}


@dataclass(frozen=True, slots=True)
class Manifest:
    """What bot.toml says."""

    name: str
    version: str
    games: tuple[str, ...]
    command: tuple[str, ...] = ()
    image: str = ""
    """Run this image instead of a command; one of the two is there."""
    build: tuple[str, ...] = ()
    rules: bool = False
    """Whether it wants a RulesService beside it."""


@dataclass(frozen=True, slots=True)
class Builtin:
    """A player inside the referee."""

    name: str


@dataclass(frozen=True, slots=True)
class Folder:
    """A bot given as a directory with a bot.toml."""

    path: Path
    manifest: Manifest


@dataclass(frozen=True, slots=True)
class Image:
    """A bot given as a container image, by name or digest."""

    reference: str


@dataclass(frozen=True, slots=True)
class Remote:
    """A bot that somebody else has started, reached over TCP: for development only."""

    host: str
    port: int


Source = Builtin | Folder | Image | Remote


def locate(text: str, builtin: Collection[str]) -> Source:
    """The bot that a user means: a built-in name, grpc://host:port, a folder, a sample bot, or else an image."""
    if text in builtin:
        return Builtin(text)
    if text.startswith("grpc:"):
        found = _REMOTE.fullmatch(text)
        if not found or not 0 < int(found[2]) < 65536:
            raise UsageError(f"{text!r} is not a valid address: write grpc://host:port")
        return Remote(found[1].strip("[]"), int(found[2]))
    with map_read_errors(quoted(text)):  # a name of thousands of characters, for one
        is_folder = bool(text) and Path(text).is_dir()
    if is_folder:
        return Folder(Path(text).resolve(), read_manifest(Path(text)))
    if (sample := find_sample(text)) is not None:
        return sample
    if text.startswith((".", "/")) or not _IMAGE.fullmatch(text):
        raise unknown_bot(
            text, f"give a folder, {', '.join(sorted({*builtin, *samples()}))}, an image or grpc://host:port"
        )
    return Image(text)


def unknown_bot(text: str, advice: str) -> UsageError:
    """That there is no such bot, what may have been meant, and what to do."""
    meant = did_you_mean(text, [*samples(), *(path.parent.name for path in Path().glob(f"*/{MANIFEST}"))])
    return UsageError(f"there is no bot {text!r}{meant or ':'} {advice[0].upper() + advice[1:] if meant else advice}")


def samples() -> dict[str, Folder]:
    """The sample bots that need nothing but Python, by name; `random` means the player inside the referee, always."""
    found = {
        path.parent.name: Folder(path.parent, read_manifest(path.parent))
        for path in SAMPLES.glob(f"*/{MANIFEST}")
        if path.parent.name != TEMPLATE
    }
    return {name: found[name] for name in sorted(found) if found[name].manifest.command[0] in PYTHONS}


def template_games() -> tuple[str, ...]:
    """The games that random players take part in unasked: those of the sample bot that is only copied."""
    folder = SAMPLES / TEMPLATE
    return read_manifest(folder).games if folder.is_dir() else ()


def find_sample(name: str) -> Folder | None:
    """The sample bot of this name, if it needs nothing but Python."""
    return samples().get(name) if NAME.fullmatch(name) else None


def read_manifest(folder: Path) -> Manifest:
    """The bot.toml of a folder; UsageError says what is wrong with it."""
    path = folder / MANIFEST
    with map_read_errors(str(path)):
        if not path.is_file():
            raise UsageError(f"{folder} has no {MANIFEST}: `arena bot new` writes one")
    content = read_toml(path, MAX_MANIFEST_BYTES)
    if unknown := sorted(content.keys() - _KEYS):
        raise UsageError(f"{path} has the unknown key {unknown[0]!r:.60}: it knows {', '.join(sorted(_KEYS))}")
    return Manifest(
        name=checked_name(content.get("name"), f"{path}: name"),
        version=checked_name(content.get("version"), f"{path}: version"),
        games=_words(content, "games", path),
        command=() if "image" in content else _words(content, "command", path),
        image=_image(content, path),
        build=_words(content, "build", path) if "build" in content else (),
        rules=_rules(content, path),
    )


def _brief(value: object) -> str:
    """A value that may be anything, short enough for a sentence."""
    try:
        return f"{value!r:.60}"
    except (ValueError, RecursionError):  # a number with too many digits to be written
        return f"a value of type {type(value).__name__} that is too long"


def _image(content: dict[str, Any], path: Path) -> str:
    image = content.get("image", "")
    if "image" in content and "command" in content:
        raise UsageError(f"{path}: give a command or an image, not both")
    if "image" in content and not (isinstance(image, str) and _IMAGE.fullmatch(image)):
        raise UsageError(f"{path}: image must be the name of a container image, not {_brief(image)}")
    return str(image)


def _rules(content: dict[str, Any], path: Path) -> bool:
    rules = content.get("rules", False)
    if not isinstance(rules, bool):
        raise UsageError(f"{path}: rules must be true or false, not {_brief(rules)}")
    if rules and "image" in content:
        raise UsageError(f"{path}: an image starts the rules itself (ENTRYPOINT), so leave `rules` out")
    return rules


def checked_name(value: object, what: str) -> str:
    """The value, if it can be shown and stored anywhere without harm."""
    if not isinstance(value, str) or not NAME.fullmatch(value):
        raise UsageError(f"{what} must be 1 to 40 letters, digits, dots, dashes or underscores, not {_brief(value)}")
    return value


def _words(content: dict[str, Any], key: str, path: Path) -> tuple[str, ...]:
    value = content.get(key)
    if not isinstance(value, list) or not value or not all(isinstance(word, str) and word for word in value):
        raise UsageError(f"{path}: {key} must be a list of one or more texts")
    if any("\0" in word for word in value):
        raise UsageError(f"{path}: {key} must not contain the character NUL (\\u0000): no program can be given it")
    return tuple(value)

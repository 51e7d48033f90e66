"""What a bot is before it runs: where it comes from, and what its bot.toml says.

name = "my-bot"                    # letters, digits, dots and dashes
version = "1"
games = ["claim"]                  # the games that it plays
command = ["python3", "bot.py"]    # how to start it in its folder; or
image = "my-bot:1"                 # the container image to run instead
rules = true                       # optional: offer it the rules of all games on a second socket
build = ["make"]                   # optional: what makes the program in its folder, for those who build it
"""

import hashlib
import os
import re
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.errors import UsageError

MANIFEST = "bot.toml"
MAX_MANIFEST_BYTES = 1 << 16
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
"""Nothing in a name can be obeyed by a terminal, a page, a spreadsheet or a file system."""

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
    """The bot that a user means: a built-in name, grpc://host:port, a folder, or else an image."""
    if text in builtin:
        return Builtin(text)
    if text.startswith("grpc:"):
        found = _REMOTE.fullmatch(text)
        if not found or not 0 < int(found[2]) < 65536:
            raise UsageError(f"{text!r} is no address: write grpc://host:port")
        return Remote(found[1].strip("[]"), int(found[2]))
    if text and Path(text).is_dir():
        return Folder(Path(text).resolve(), read_manifest(Path(text)))
    if text.startswith((".", "/")) or not _IMAGE.fullmatch(text):
        raise UsageError(f"there is no bot {text!r}: give {', '.join(builtin)}, a folder, an image or grpc://host:port")
    return Image(text)


def read_manifest(folder: Path) -> Manifest:
    """The bot.toml of a folder; UsageError says what is wrong with it."""
    path = folder / MANIFEST
    if not path.is_file():
        raise UsageError(f"{folder} has no {MANIFEST}: `arena bot new` writes one")
    if path.stat().st_size > MAX_MANIFEST_BYTES:
        raise UsageError(f"{path} is longer than {MAX_MANIFEST_BYTES >> 10} KiB")
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path} is no valid TOML: {error}") from error
    if unknown := sorted(content.keys() - _KEYS):
        raise UsageError(f"{path} has the unknown key {unknown[0]!r}: it knows {', '.join(sorted(_KEYS))}")
    return Manifest(
        name=checked_name(content.get("name"), f"{path}: name"),
        version=checked_name(content.get("version"), f"{path}: version"),
        games=_words(content, "games", path),
        command=() if "image" in content else _words(content, "command", path),
        image=_image(content, path),
        build=_words(content, "build", path) if "build" in content else (),
        rules=_rules(content, path),
    )


def _image(content: dict[str, Any], path: Path) -> str:
    image = content.get("image", "")
    if "image" in content and "command" in content:
        raise UsageError(f"{path}: give a command or an image, not both")
    if "image" in content and not (isinstance(image, str) and _IMAGE.fullmatch(image)):
        raise UsageError(f"{path}: image must be the name of a container image, not {image!r:.60}")
    return str(image)


def _rules(content: dict[str, Any], path: Path) -> bool:
    rules = content.get("rules", False)
    if not isinstance(rules, bool):
        raise UsageError(f"{path}: rules must be true or false, not {rules!r:.60}")
    if rules and "image" in content:
        raise UsageError(f"{path}: an image starts the rules itself (ENTRYPOINT), so leave `rules` out")
    return rules


def checked_name(value: object, what: str) -> str:
    """The value, if it can be shown and stored anywhere without harm."""
    if not isinstance(value, str) or not NAME.fullmatch(value):
        raise UsageError(f"{what} must be 1 to 40 letters, digits, dots, dashes or underscores, not {value!r:.60}")
    return value


def _words(content: dict[str, Any], key: str, path: Path) -> tuple[str, ...]:
    value = content.get(key)
    if not isinstance(value, list) or not value or not all(isinstance(word, str) and word for word in value):
        raise UsageError(f"{path}: {key} must be a list of one or more texts")
    return tuple(value)


def folder_digest(folder: Path) -> str:
    """A digest over all files of a folder: their names, what is in them, where links lead, and what can be run."""
    digest = hashlib.sha256()
    for path in folder_files(folder):
        name = path.relative_to(folder).as_posix().encode(errors="surrogateescape")
        if path.is_symlink():
            kind, content = b"link", os.readlink(path).encode(errors="surrogateescape")
        else:
            with path.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").digest()
            kind = b"program" if path.stat().st_mode & 0o100 else b"file"
        digest.update(b"%s %d %s\n%d %s\n" % (kind, len(name), name, len(content), content))
    return f"sha256:{digest.hexdigest()}"


def folder_files(folder: Path) -> Iterator[Path]:
    """The files and links of a folder in a fixed order, without what Python keeps of earlier runs."""
    paths = (path for path in folder.rglob("*") if path.is_symlink() or path.is_file())
    return iter(sorted(path for path in paths if "__pycache__" not in path.relative_to(folder).parts))

"""What plays on a machine, as a digest: all machines of a tournament must play by the same rules, in the same way.

Only files that a worker uses are in it. What tells, shows, stores or checks may differ between driver and nodes, and
so may what a checkout and a wheel of the same commit have beside them.
"""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path

from arena import registry

PLAYING: Sequence[str] = (
    "*.py",
    "bots/**/*.py",
    "links/**/*.py",
    "monitoring/__init__.py",
    "monitoring/figures.py",
    "referee/**/*.py",
    "sandboxes/**/*.py",
    "sdk/**/*.py",
    "store/__init__.py",
    "store/base.py",
    "store/bot_files.py",
    "untrusted/**/*.py",
    "wire/**/*.py",
    "workers/**/*.py",
)
"""The files of Arena that a worker uses; a test compares them with those that one loads."""
GAMES: Sequence[str] = ("__init__.py", "*/**/*.py", "*/**/*.toml")
"""The files of the games that come with Arena: their rules, and their boards."""
ANYTHING: Sequence[str] = ("**/*.py", "**/*.toml")
"""Of the package of another game, about which nothing is known."""


@cache
def program_digest(game: str) -> str:
    """A digest of all that plays: Arena, the games that come with it, and the package of this one, if that is other."""
    package = type(registry.find(game)).__module__.partition(".")[0]
    patterns = {package: ANYTHING, "arena": PLAYING, "engines": GAMES}
    digest = hashlib.sha256()
    for name in sorted(patterns):
        for path, where in playing_files(name, patterns[name]):
            digest.update(f"{where}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def playing_files(package: str, patterns: Sequence[str]) -> Iterator[tuple[Path, str]]:
    """The files of a package that fit these patterns, or its only one, each with its place in it."""
    module = import_module(package)
    if not hasattr(module, "__path__"):
        yield Path(str(module.__file__)), package
        return
    for folder in map(Path, module.__path__):
        for path in sorted({path for pattern in patterns for path in folder.glob(pattern)}):
            yield path, f"{package}/{path.relative_to(folder).as_posix()}"

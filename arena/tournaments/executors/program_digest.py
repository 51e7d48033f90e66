"""What is installed on a machine, as a digest: all machines of a tournament must play by the same rules."""

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from arena import registry


@cache
def program_digest(game: str) -> str:
    """A digest of Arena, the games that come with it, and the package of this game, if that is another one."""
    package = type(registry.find(game)).__module__.partition(".")[0]
    digest = hashlib.sha256()
    for name in sorted({"arena", "engines", package}):
        for path, where in _sources(name):
            digest.update(f"{where}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _sources(package: str) -> Iterator[tuple[Path, str]]:
    """The files of a package, or of a single module, each with its place in it."""
    module = import_module(package)
    if not hasattr(module, "__path__"):
        yield Path(str(module.__file__)), package
        return
    for folder in map(Path, module.__path__):
        for path in sorted(folder.rglob("*.py")):
            yield path, f"{package}/{path.relative_to(folder)}"

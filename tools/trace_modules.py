"""Lists the modules of arena/ that the driver enters between the command `arena tournament` and its printed table.

    python -m tools.trace_modules            a short tournament of its own
    python -m tools.trace_modules ARGUMENT…  the command `arena ARGUMENT…`

A module is entered when one of its functions is called; what runs only while it is imported, the contract, and the
worker processes do not count.
"""

import inspect
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import arena
from arena.cli import main as command

ROOT = Path(arena.__file__).parent
CONTRACT = {"errors", "distribution", "rng", "canonical", "clock", "match", "game", "codec", "registry", "vectors"}
SHORT = ("tournament", "--game", "claim", "--bots", "greedy,random", "--rounds", "1", "--sandbox", "process")


class Tracer:
    """Notes the file of every function that is called, in all threads, while it is entered as a context."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def __enter__(self) -> "Tracer":
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or code.co_filename in self._seen or not code.co_flags & inspect.CO_OPTIMIZED:
            return  # the bodies of modules and classes are not optimized: only functions are
        if not _is_importing(frame):
            self._seen.add(code.co_filename)

    def modules(self) -> list[str]:
        """The modules of arena/ among them, without the contract and the generated messages."""
        files = (Path(name) for name in self._seen)
        inside = (file.relative_to(ROOT).with_suffix("") for file in files if file.is_relative_to(ROOT))
        names = (".".join(path.parts).removesuffix(".__init__") for path in inside)
        return sorted(name for name in names if name not in CONTRACT and not name.startswith("wire."))


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def main(words: list[str]) -> None:
    """Run the command, and print the modules with their number."""
    with tempfile.TemporaryDirectory() as folder, Tracer() as tracer, suppress(SystemExit):
        command(words or [*SHORT, "--db", str(Path(folder) / "arena.db")])
    names = tracer.modules()
    sys.stdout.write("\n  ".join([f"{len(names)} modules entered:", *names]) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])

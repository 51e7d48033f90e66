"""Images built from a Dockerfile by the docker engine: for one's own bots, since it is no sandbox."""

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from arena.errors import InfraError, UsageError
from arena.sandboxes.base import MIB
from arena.sandboxes.docker import images
from arena.sandboxes.docker.client import Engine, NoAnswer, NotFound, status_code
from arena.sandboxes.docker.images import Image
from arena.sandboxes.logs import TAIL_BYTES, escape

MAX_CONTEXT_BYTES = 256 * MIB
BUILD_S = 600.0
_BUILD_MEMORY = 2048 * MIB
_STEP = re.compile(r"^ ---> ([0-9a-f]{12})$", re.MULTILINE)
_BAD_REQUEST = 400
_STORE_S = 60.0
"""How long the engine may take to remove an image from a busy disk."""


def build(directory: Path, *, tag: str, within_s: float = BUILD_S) -> Image:
    """Build a directory with a Dockerfile, within a time limit; no image is left but the one with the tag.

    What runs during the build has no network and bounded memory. But FROM, ADD and COPY --from are done by the engine,
    which has a network and knows every image of this machine: build only what you trust.
    """
    check_context(directory)
    steps: list[str] = []
    with Engine(_STORE_S) as engine:
        known, replaced = _digests(engine), _find(engine, tag)
        try:
            _run(directory, tag, within_s, steps)
            return _accept(engine, tag)
        finally:
            made = {digest.removeprefix("sha256:")[:12]: digest for digest in _digests(engine) - known}
            # Children first: the engine removes no image that another one stands on.
            _remove_unnamed(engine, [*(made[step] for step in reversed(steps) if step in made), replaced])


def check_context(directory: Path) -> None:
    """UsageError for a directory that cannot be built, or is too large to be sent to the engine."""
    if not (directory / "Dockerfile").is_file():
        raise UsageError(f"there is no Dockerfile in {directory}")
    total = 0
    for path in directory.rglob("*"):
        total += path.lstat().st_size
        if total > MAX_CONTEXT_BYTES:
            raise UsageError(f"{directory} has more than {MAX_CONTEXT_BYTES // MIB} MiB")


def _run(directory: Path, tag: str, within_s: float, steps: list[str]) -> None:
    options = {
        "path": str(directory), "tag": tag, "network_mode": "none", "pull": False, "rm": True, "forcerm": True,
        "decode": True, "container_limits": {"memory": _BUILD_MEMORY, "memswap": _BUILD_MEMORY},
    }  # fmt: skip
    with Engine(within_s) as engine:
        try:
            engine.call(lambda: _follow(engine.api.build(**options), steps))
        except NoAnswer as error:
            raise UsageError(f"the build took longer than {within_s:g} s") from error
        except InfraError as error:
            # The engine itself tells a wrong Dockerfile from a failure of its own.
            if status_code(error) == _BAD_REQUEST:
                raise UsageError(f"the image cannot be built: {error}") from error
            raise


def _follow(events: Iterable[dict[str, Any]], steps: list[str]) -> None:
    """Read the build's output to its end, noting the image of each step; UsageError with the last of it on failure."""
    log = b""
    for event in events:
        text = str(event.get("stream", ""))
        steps += _STEP.findall(text)
        log = (log + text.encode())[-TAIL_BYTES:]
        if "error" in event:
            raise UsageError(f"the image cannot be built: {escape(str(event['error']).encode())}\n{escape(log)}")


def _accept(engine: Engine, tag: str) -> Image:
    """The image that was built, if it may be run; or else it loses its name again."""
    try:
        return images.resolve(engine, tag)
    except UsageError:
        engine.call(engine.api.remove_image, tag, force=True)
        raise


def _digests(engine: Engine) -> set[str]:
    return set(engine.call(engine.api.images, quiet=True, all=True))


def _find(engine: Engine, tag: str) -> str | None:
    with suppress(NotFound):
        return str(engine.call(engine.api.inspect_image, tag)["Id"])
    return None


def _remove_unnamed(engine: Engine, digests: Iterable[str | None]) -> None:
    """Remove those that have no name and are not in use."""
    for digest in filter(None, digests):
        with suppress(InfraError):
            if not engine.call(engine.api.inspect_image, digest)["RepoTags"]:
                engine.call(engine.api.remove_image, digest)

"""Container images of bots: built without network, named by what they contain, refused when they ask for too much."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.errors import InfraError, UsageError
from arena.sandboxes.base import MIB
from arena.sandboxes.engine import Engine
from arena.sandboxes.logs import TAIL_BYTES, escape

MAX_CONTEXT_BYTES = 256 * MIB
MAX_IMAGE_BYTES = 4096 * MIB
BUILD_S = 600.0
_BUILD_MEMORY = 2048 * MIB


@dataclass(frozen=True, slots=True)
class Image:
    """An image that was found and may be run."""

    digest: str
    """The engine's name for exactly this content; a tag may point elsewhere tomorrow."""
    size_bytes: int


def resolve(engine: Engine, reference: str) -> Image:
    """The image of that name or digest; UsageError when it is missing or asks for what no bot gets."""
    try:
        found = engine.call(engine.api.inspect_image, reference)
    except engine.not_found:
        raise UsageError(f"there is no image {reference}; images are never pulled, so build or load it first") from None
    check(reference, found.get("Config") or {}, found["Size"])
    return Image(digest=found["Id"], size_bytes=found["Size"])


def build(engine: Engine, directory: Path, *, tag: str) -> Image:
    """Build a directory with a Dockerfile; nothing that runs during the build has a network."""
    _check_context(directory)
    options = {
        "path": str(directory), "tag": tag, "network_mode": "none", "pull": False, "rm": True, "forcerm": True,
        "decode": True, "container_limits": {"memory": _BUILD_MEMORY, "memswap": _BUILD_MEMORY},
    }  # fmt: skip
    try:
        engine.call(lambda: _follow(engine.api.build(**options)))
    except InfraError as error:
        # The engine itself tells a wrong Dockerfile from a failure of its own.
        if getattr(error.__cause__, "status_code", None) == 400:
            raise UsageError(f"the image cannot be built: {error}") from error
        raise
    try:
        return resolve(engine, tag)
    except UsageError:
        engine.call(engine.api.remove_image, tag, force=True)
        raise


def _follow(events: Iterable[dict[str, Any]]) -> None:
    """Read the build's output to its end; UsageError with the last of it when the build fails or takes too long."""
    deadline, log = time.monotonic() + BUILD_S, b""
    for event in events:
        log = (log + str(event.get("stream", "")).encode())[-TAIL_BYTES:]
        if "error" in event:
            raise UsageError(f"the image cannot be built: {escape(str(event['error']).encode())}\n{escape(log)}")
        if time.monotonic() > deadline:
            raise UsageError(f"the build took longer than {BUILD_S:.0f} s")


def check(reference: str, settings: dict[str, Any], size_bytes: int) -> None:
    """UsageError when an image asks for what no bot gets, or is too large."""
    if settings.get("Volumes"):
        raise UsageError(f"the image {reference} declares volumes; a bot's files must be in the image or in /tmp")
    if size_bytes > MAX_IMAGE_BYTES:
        raise UsageError(f"the image {reference} has {size_bytes // MIB} MiB; at most {MAX_IMAGE_BYTES // MIB}")
    if not settings.get("Entrypoint") and not settings.get("Cmd"):
        raise UsageError(f"the image {reference} does not say what to run: add an ENTRYPOINT")


def _check_context(directory: Path) -> None:
    if not (directory / "Dockerfile").is_file():
        raise UsageError(f"there is no Dockerfile in {directory}")
    total = 0
    for path in directory.rglob("*"):
        total += path.lstat().st_size
        if total > MAX_CONTEXT_BYTES:
            raise UsageError(f"{directory} has more than {MAX_CONTEXT_BYTES // MIB} MiB")

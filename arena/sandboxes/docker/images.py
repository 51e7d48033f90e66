"""Container images of bots: found by name or digest, and checked before they are run."""

import io
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from arena.errors import UsageError
from arena.sandboxes.base import MIB
from arena.sandboxes.docker import image_files
from arena.sandboxes.docker.client import DockerClient, NotFound

MAX_IMAGE_BYTES = 4096 * MIB
SAVE_S = 300.0
_CHUNK = 1 << 20
_NOWHERE = Path("/nonexistent")


class NoSuchImage(UsageError):
    """The daemon has no image of that name."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image that was checked and may be run."""

    digest: str
    """The image id of the daemon, which depends on the content; a tag may point elsewhere later."""
    size_bytes: int


def resolve(client: DockerClient, reference: str) -> Image:
    """The image of that name or digest; UsageError when it is missing or not allowed."""
    try:
        found = client.call(client.api.inspect_image, reference)
    except NotFound:
        raise NoSuchImage(
            f"there is no image {reference}; images are never pulled, so build or load it first"
        ) from None
    check(reference, found.get("Config") or {}, found["Size"])
    if found["Id"] not in _checked_digests:
        _check_files(reference, found)
        _checked_digests.add(found["Id"])
    return Image(digest=found["Id"], size_bytes=found["Size"])


_checked_digests: set[str] = set()
"""Digests of images whose files have passed the check."""


def _check_files(reference: str, found: dict[str, Any]) -> None:
    """Check an image's files without making a container: even copying files out of a container can hang the daemon."""
    image, data = f"the image {reference}", (found.get("GraphDriver") or {}).get("Data") or {}
    layers = [data.get("UpperDir"), *(data.get("LowerDir") or "").split(":")]
    try:
        image_files.check_directories(image, [Path(layer) for layer in layers if layer] or [_NOWHERE])
    except OSError:
        # We may not read the layers, or they are not stored as folders: then the daemon writes an archive, in seconds.
        with DockerClient(SAVE_S) as client:
            client.call(lambda: image_files.check_saved(image, _saved(client, found["Id"])))


def _saved(client: DockerClient, digest: str) -> IO[bytes]:
    return io.BufferedReader(image_files.Chunks(client.api.get_image(digest, chunk_size=_CHUNK)), _CHUNK)


def check(reference: str, settings: dict[str, Any], size_bytes: int) -> None:
    """UsageError when the settings of an image are not allowed, or it is too large."""
    if settings.get("Volumes"):
        raise UsageError(f"the image {reference} declares volumes; a bot's files must be in the image or in /tmp")
    if size_bytes > MAX_IMAGE_BYTES:
        raise UsageError(f"the image {reference} has {size_bytes // MIB} MiB; at most {MAX_IMAGE_BYTES // MIB}")
    if not settings.get("Entrypoint") and not settings.get("Cmd"):
        raise UsageError(f"the image {reference} does not say what to run: add an ENTRYPOINT")

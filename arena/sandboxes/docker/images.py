"""Container images of bots: found by name or digest, and checked before they are run."""

import io
import posixpath
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from arena.errors import UsageError
from arena.sandboxes.docker import image_files
from arena.sandboxes.docker.client import DockerClient, NotFound
from arena.untrusted.text import printable
from arena.untrusted.units import MIB

MAX_IMAGE_BYTES = 4096 * MIB
MAX_ENTRIES = 100_000
"""Of all layers together: each takes a block of the disk and an inode, however small it is."""
MAX_ARCHIVE_BYTES = MAX_IMAGE_BYTES + 3072 * MAX_ENTRIES
"""The files of an image with their headers."""
SAVE_S = 300.0
_CHUNK = 1 << 20
_NOWHERE = Path("/nonexistent")
DEFAULT_WORKDIR = "/tmp"  # noqa: S108  (a file system of the container's own)
_MAX_WORKDIR = 200
_NOT_OF_THE_IMAGE = ("proc", "sys", "dev", "run")
"""Folders that a container gets from the machine: /proc/self/fd once led out of it (CVE-2024-21626)."""


class NoSuchImage(UsageError):
    """The daemon has no image of that name."""


@dataclass(frozen=True, slots=True)
class CheckedImage:
    """An image that was checked and may be run."""

    digest: str
    """The image id of the daemon, which depends on the content; a tag may point elsewhere later."""
    size_bytes: int
    workdir: str = DEFAULT_WORKDIR
    """Where its program starts."""


def find(client: DockerClient, reference: str) -> CheckedImage:
    """The image of that name or digest by its settings alone; UsageError when it is missing or not allowed."""
    return _image(reference, _inspect(client, reference))


def resolve(client: DockerClient, reference: str) -> CheckedImage:
    """The image of that name or digest, whose files may be run; UsageError when it is missing or not allowed."""
    found = _inspect(client, reference)
    image = _image(reference, found)
    if image.digest not in _checked_digests:
        _check_files(reference, found, image.workdir)
        _checked_digests.add(image.digest)
    return image


def _inspect(client: DockerClient, reference: str) -> dict[str, Any]:
    try:
        return dict(client.call(client.api.inspect_image, reference))
    except NotFound:
        raise NoSuchImage(
            f"there is no image {reference}; images are never pulled, so build or load it first"
        ) from None


def _image(reference: str, found: dict[str, Any]) -> CheckedImage:
    settings = found.get("Config") or {}
    check(reference, settings, found["Size"])
    return CheckedImage(digest=found["Id"], size_bytes=found["Size"], workdir=workdir_of(reference, settings))


_checked_digests: set[str] = set()
"""Digests of images whose files have passed the check."""


def _check_files(reference: str, found: dict[str, Any], workdir: str) -> None:
    """Check an image's files without making a container: even copying files out of a container can hang the daemon."""
    image, data = f"the image {reference}", (found.get("GraphDriver") or {}).get("Data") or {}
    layers = [data.get("UpperDir"), *(data.get("LowerDir") or "").split(":")]
    try:
        image_files.check_directories(image, [Path(layer) for layer in layers if layer] or [_NOWHERE], workdir)
    except OSError:
        # We may not read the layers, or they are not stored as folders: then the daemon writes an archive, in seconds.
        with DockerClient(SAVE_S) as client:
            client.call(lambda: image_files.check_saved(image, saved(client, found["Id"]), workdir, MAX_ARCHIVE_BYTES))


def saved(client: DockerClient, digest: str) -> IO[bytes]:
    """An image as `docker save` writes it."""
    return io.BufferedReader(image_files.Chunks(client.api.get_image(digest, chunk_size=_CHUNK)), _CHUNK)


def check(reference: str, settings: dict[str, Any], size_bytes: int) -> None:
    """UsageError when the settings of an image are not allowed, or it is too large."""
    if settings.get("Volumes"):
        raise UsageError(f"the image {reference} declares volumes: leave out VOLUME, write to /tmp only")
    if size_bytes > MAX_IMAGE_BYTES:
        raise UsageError(f"the image {reference} has {size_bytes // MIB} MiB; at most {MAX_IMAGE_BYTES // MIB}")
    if not settings.get("Entrypoint") and not settings.get("Cmd"):
        raise UsageError(f"the image {reference} does not say what to run: add an ENTRYPOINT")


def workdir_of(reference: str, settings: dict[str, Any]) -> str:
    """The folder in which an image's program starts: its WORKDIR, or /tmp if it has none; UsageError if not allowed."""
    wanted = settings.get("WorkingDir") or "/"
    if wanted == "/":
        return DEFAULT_WORKDIR
    if not isinstance(wanted, str) or not wanted.startswith("/") or len(wanted) > _MAX_WORKDIR:
        raise UsageError(f"the image {reference} has no absolute path as its WORKDIR: choose a folder such as /bot")
    path = "/" + posixpath.normpath(wanted).lstrip("/")
    if ".." in wanted.split("/") or path.split("/")[1] in _NOT_OF_THE_IMAGE:
        shown = printable(wanted)
        raise UsageError(f"the image {reference} has the WORKDIR {shown}: choose a folder of its own, such as /bot")
    return path

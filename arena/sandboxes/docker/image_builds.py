"""Building images from a Dockerfile: only for trusted bots, because the docker daemon does it outside of a sandbox."""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from arena.errors import InfraError, UsageError
from arena.sandboxes.docker import images
from arena.sandboxes.docker.client import DockerClient, NoAnswer, NotFound, status_code
from arena.sandboxes.docker.images import CheckedImage
from arena.sandboxes.logs import TAIL_BYTES
from arena.untrusted.text import printable_bytes
from arena.untrusted.units import MIB

MAX_CONTEXT_BYTES = 256 * MIB
BUILD_S = 600.0
_BUILD_MEMORY = 2048 * MIB
_STEP = re.compile(r"^ ---> ([0-9a-f]{12})$", re.MULTILINE)
_BAD_REQUEST = 400
_STORE_S = 60.0
"""Seconds that the daemon may take to remove an image from a busy disk."""


Report = Callable[[str], None]
"""Is told every step of a build as it begins."""


def _say_nothing(_: str) -> None:
    """Nobody watches the build."""


def build(directory: Path, *, tag: str, within_s: float = BUILD_S, report: Report = _say_nothing) -> CheckedImage:
    """Build a directory with a Dockerfile, within a time limit; no image is left but the one with the tag.

    What runs during the build has no network and bounded memory. But FROM, ADD and COPY --from are done by the daemon,
    which has a network and knows every image of this machine: build only what you trust.
    """
    check_context(directory)
    steps: list[str] = []
    with DockerClient(_STORE_S) as client:
        known, replaced = _digests(client), _find(client, tag)
        try:
            _run(directory, tag, within_s, steps, report)
            return _accept(client, tag)
        finally:
            made = {digest.removeprefix("sha256:")[:12]: digest for digest in _digests(client) - known}
            # Children first: the daemon removes no image that another one stands on.
            _remove_unnamed(client, [*(made[step] for step in reversed(steps) if step in made), replaced])


def check_context(directory: Path) -> None:
    """UsageError for a directory that cannot be built, or is too large to be sent to the daemon."""
    if not (directory / "Dockerfile").is_file():
        raise UsageError(f"there is no Dockerfile in {directory}")
    total = 0
    for path in directory.rglob("*"):
        total += path.lstat().st_size
        if total > MAX_CONTEXT_BYTES:
            raise UsageError(f"{directory} has more than {MAX_CONTEXT_BYTES // MIB} MiB")


def _run(directory: Path, tag: str, within_s: float, steps: list[str], report: Report) -> None:
    options = {
        "path": str(directory), "tag": tag, "network_mode": "none", "pull": False, "rm": True, "forcerm": True,
        "decode": True, "container_limits": {"memory": _BUILD_MEMORY, "memswap": _BUILD_MEMORY},
    }  # fmt: skip
    with DockerClient(within_s) as client:
        try:
            client.call(lambda: _read_build_output(client.api.build(**options), steps, report))
        except NoAnswer as error:
            raise UsageError(f"the build took longer than {within_s:g} s") from error
        except InfraError as error:
            # The daemon itself tells a wrong Dockerfile from a failure of its own.
            if status_code(error) == _BAD_REQUEST:
                raise UsageError(f"the image cannot be built: {error}") from error
            raise


def _read_build_output(events: Iterable[dict[str, Any]], steps: list[str], report: Report) -> None:
    """Read the output of a build and collect the image of each step; UsageError with the end of it on failure."""
    log = b""
    for event in events:
        text = str(event.get("stream", ""))
        steps += _STEP.findall(text)
        if text.startswith("Step "):
            report(text.strip())
        log = (log + text.encode())[-TAIL_BYTES:]
        if "error" in event:
            raise UsageError(
                f"the image cannot be built: {printable_bytes(str(event['error']).encode())}\n{printable_bytes(log)}"
            )


def _accept(client: DockerClient, tag: str) -> CheckedImage:
    """The image that was built; if it may not be run, its tag is removed."""
    try:
        return images.resolve(client, tag)
    except UsageError:
        client.call(client.api.remove_image, tag, force=True)
        raise


def _digests(client: DockerClient) -> set[str]:
    return set(client.call(client.api.images, quiet=True, all=True))


def _find(client: DockerClient, tag: str) -> str | None:
    with suppress(NotFound):
        return str(client.call(client.api.inspect_image, tag)["Id"])
    return None


def _remove_unnamed(client: DockerClient, digests: Iterable[str | None]) -> None:
    """Remove the images that have no name and are not in use."""
    for digest in filter(None, digests):
        with suppress(InfraError):
            if not client.call(client.api.inspect_image, digest)["RepoTags"]:
                client.call(client.api.remove_image, digest)

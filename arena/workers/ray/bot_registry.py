"""Images in a registry that the organiser names: always by the digest of their manifest, never by a tag."""

import re
from typing import Any

from arena.errors import InfraError, UsageError
from arena.intake import image_storage
from arena.sandboxes.docker.client import DockerClient, NotFound

PULL_S = 600.0
"""Seconds within which an image must have arrived."""
_REFERENCE = re.compile(r"[a-z0-9][a-z0-9._:/-]{0,200}@sha256:[0-9a-f]{64}")


def find_reference(digest: str, registry: str) -> str:
    """What an image of this machine's docker is called in a registry; UsageError if it was never pushed there."""
    with DockerClient() as client:
        names: list[str] = client.call(client.api.inspect_image, digest).get("RepoDigests") or []
    found = [name for name in names if name.startswith(registry.rstrip("/") + "/")]
    if not found:
        raise UsageError(f"the image {digest} is not in the registry {registry}: tag it for there and `docker push` it")
    return found[0]


def pull_image(reference: str, digest: str, tag: str) -> None:
    """Fetch an image into docker under this tag; InfraError if it is not the one with this digest."""
    if not _REFERENCE.fullmatch(reference):
        raise InfraError(f"{reference!r:.300} is not pulled: only name@sha256:… says what will arrive")
    with DockerClient(PULL_S) as client:
        client.call(_pull, client.api, reference)
        try:
            arrived = client.call(client.api.inspect_image, reference)["Id"]
        except NotFound as error:
            raise InfraError(f"the image {reference} did not arrive") from error
        try:
            if arrived != digest:
                raise InfraError(f"the image {digest} arrived with another digest: {arrived}")
            client.call(client.api.tag, digest, *tag.split(":"))
        finally:
            # Only our tag holds it from here on, so that it goes when nobody uses it.
            image_storage.remove_tag(client, reference)


def _pull(api: Any, reference: str) -> None:
    """Read the daemon's progress to its end: an error is told in the middle of it."""
    for step in api.pull(reference, stream=True, decode=True):
        if "error" in step:
            raise OSError(f"{reference} cannot be pulled: {step['error']}")

"""Storage of submitted images: docker keeps them under tags of our own, so that `docker image prune` spares them."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from arena.errors import InfraError
from arena.sandboxes.docker.client import DockerClient
from arena.sandboxes.referee_id import is_alive, referee_id

REPOSITORY = "arena-submitted"
_TEMPORARY = "new-"


@contextmanager
def temporary_tag(client: DockerClient) -> Iterator[str]:
    """A tag for an image that is still being checked; removed with the context, and the image unless it was kept."""
    _remove_orphans(client)
    name = f"{REPOSITORY}:{_TEMPORARY}{referee_id()}"
    try:
        yield name
    finally:
        remove_tag(client, name)


def add(client: DockerClient, digest: str) -> bool:
    """Give an image its permanent tag; whether it did not have it yet."""
    label = digest.removeprefix("sha256:")
    known = client.call(client.api.images, name=f"{REPOSITORY}:{label}", quiet=True)
    client.call(client.api.tag, digest, REPOSITORY, label)
    return not known


def remove_tag(client: DockerClient, name: str) -> None:
    """Remove a tag, and with its last tag the image."""
    with suppress(InfraError):
        client.call(client.api.remove_image, name)


def permanent_tag(digest: str) -> str:
    """The tag under which docker keeps this image."""
    return f"{REPOSITORY}:{digest.removeprefix('sha256:')}"


def _remove_orphans(client: DockerClient) -> None:
    """Remove the temporary tags of processes that were killed."""
    for image in client.call(client.api.images, name=REPOSITORY):
        for name in image["RepoTags"] or ():
            label = name.partition(":")[2]
            if label.startswith(_TEMPORARY) and not is_alive(label.removeprefix(_TEMPORARY)):
                remove_tag(client, name)

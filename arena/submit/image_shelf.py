"""Where the images of submitted bots are kept: in the daemon, under names of our own, so that nobody prunes them."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from arena.errors import InfraError
from arena.sandboxes.docker.client import DockerClient
from arena.sandboxes.owner import is_alive, owner

REPOSITORY = "arena-submitted"
_NEW = "new-"


@contextmanager
def workname(client: DockerClient) -> Iterator[str]:
    """A name for an image that is still being looked at; the image goes with it, unless it was kept."""
    _sweep(client)
    name = f"{REPOSITORY}:{_NEW}{owner()}"
    try:
        yield name
    finally:
        forget(client, name)


def keep(client: DockerClient, digest: str) -> bool:
    """Give an image the name that keeps it; whether it did not have it yet."""
    label = digest.removeprefix("sha256:")
    known = client.call(client.api.images, name=f"{REPOSITORY}:{label}", quiet=True)
    client.call(client.api.tag, digest, REPOSITORY, label)
    return not known


def forget(client: DockerClient, name: str) -> None:
    """Take a name from an image, which is removed if it has no other."""
    with suppress(InfraError):
        client.call(client.api.remove_image, name)


def kept_name(digest: str) -> str:
    """The name that keeps this image."""
    return f"{REPOSITORY}:{digest.removeprefix('sha256:')}"


def _sweep(client: DockerClient) -> None:
    """Forget what a process that was killed has left."""
    for image in client.call(client.api.images, name=REPOSITORY):
        for name in image["RepoTags"] or ():
            label = name.partition(":")[2]
            if label.startswith(_NEW) and not is_alive(label.removeprefix(_NEW)):
                forget(client, name)

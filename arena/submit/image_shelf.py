"""Where the images of submitted bots are kept: in the engine, under names of our own, so that nobody prunes them."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from arena.errors import InfraError
from arena.sandboxes.docker.client import Engine
from arena.sandboxes.owner import is_alive, owner

REPOSITORY = "arena-submitted"
_NEW = "new-"


@contextmanager
def workname(engine: Engine) -> Iterator[str]:
    """A name for an image that is still being looked at; the image goes with it, unless it was kept."""
    _sweep(engine)
    name = f"{REPOSITORY}:{_NEW}{owner()}"
    try:
        yield name
    finally:
        forget(engine, name)


def keep(engine: Engine, digest: str) -> bool:
    """Give an image the name that keeps it; whether it did not have it yet."""
    label = digest.removeprefix("sha256:")
    known = engine.call(engine.api.images, name=f"{REPOSITORY}:{label}", quiet=True)
    engine.call(engine.api.tag, digest, REPOSITORY, label)
    return not known


def forget(engine: Engine, name: str) -> None:
    """Take a name from an image, which is removed if it has no other."""
    with suppress(InfraError):
        engine.call(engine.api.remove_image, name)


def kept_name(digest: str) -> str:
    """The name that keeps this image."""
    return f"{REPOSITORY}:{digest.removeprefix('sha256:')}"


def _sweep(engine: Engine) -> None:
    """Forget what a process that was killed has left."""
    for image in engine.call(engine.api.images, name=REPOSITORY):
        for name in image["RepoTags"] or ():
            label = name.partition(":")[2]
            if label.startswith(_NEW) and not is_alive(label.removeprefix(_NEW)):
                forget(engine, name)

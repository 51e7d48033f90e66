"""The sandboxes under test: what each needs of this machine, and how it runs a bot of this folder."""

import asyncio
import fcntl
import hashlib
import os
import shutil
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from arena.bots.launch import python_paths
from arena.errors import ArenaError, InfraError
from arena.referee.enforcement import weaknesses
from arena.sandboxes.base import BotDirectory, BotImage, Limits
from arena.sandboxes.docker import image_builds, images
from arena.sandboxes.docker.client import DockerClient
from arena.sandboxes.docker.gvisor import GvisorSandbox
from arena.sandboxes.docker.sandbox import DockerSandbox
from arena.sandboxes.kernel.cgroup_tree import Hierarchy
from arena.sandboxes.launched.bubblewrap import BubblewrapSandbox

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
KIT = HERE / "_kit"
SDK_IMAGE = "arena/python:bookworm"
IMAGE = "arena-test/hostile"
_LOCK = f"{tempfile.gettempdir()}/arena-hostile-image-{os.getuid()}.lock"  # a user cannot open that of another one
OLD_S = 3600.0
"""Seconds after which an image of earlier bots is cleared away."""
AnySandbox = BubblewrapSandbox | DockerSandbox

_DOCKERFILE = f"""FROM {SDK_IMAGE}
COPY src /hostile/src
COPY bots /hostile
ENV PYTHONPATH=/hostile/src:/hostile/_kit:/opt/arena/site
CMD ["sleep", "60"]
"""


class Backend(ABC):
    """One kind of sandbox."""

    name: str

    @abstractmethod
    def missing(self) -> str | None:
        """Why it cannot be used here."""

    @abstractmethod
    def sandbox(self, folder: Path, command: Sequence[str], limits: Limits) -> AnySandbox:
        """A sandbox for a bot of this folder; `{bot}` in the command is where the bot finds its files."""

    @abstractmethod
    def probe(self) -> AnySandbox:
        """A sandbox that only shows what can be enforced."""

    @cache  # noqa: B019  (there is one object of each kind)
    def weak(self) -> frozenset[str]:
        """The lines of the enforcement that a hostile bot could get around here."""
        enforcement = asyncio.run(_rehearse(self))
        return frozenset(line.partition(":")[0] for line in weaknesses(enforcement))


async def _rehearse(backend: Backend) -> dict[str, str]:
    return await backend.probe().dry_run()


class Bubblewrap(Backend):
    """The folder itself, in bubblewrap."""

    name = "bubblewrap"
    hierarchies: Sequence[Hierarchy] | None = None
    """The control groups that may be used; all that there are if None."""

    @cache  # noqa: B019
    def missing(self) -> str | None:
        """Whatever keeps a sandbox from being built."""
        try:
            self.weak()
        except ArenaError as error:
            return f"bubblewrap: {error}"
        return None

    def sandbox(self, folder: Path, command: Sequence[str], limits: Limits) -> AnySandbox:
        """The bot finds the kit under its own name."""
        words = [sys.executable if word == "python3" else word.replace("{bot}", "/bot") for word in command]
        shown = (*python_paths(), KIT)
        program = BotDirectory(folder, tuple(words), shown, {"PYTHONPATH": str(KIT)})
        return BubblewrapSandbox(program, limits, hierarchies=self.hierarchies)

    def probe(self) -> AnySandbox:
        """Any folder will do."""
        return BubblewrapSandbox(BotDirectory(KIT, ("true",)), Limits(), hierarchies=self.hierarchies)


class WithoutGroups(Bubblewrap):
    """Bubblewrap as on a machine whose control groups are not ours to use."""

    name = "no-cgroups"
    hierarchies = ()


class Docker(Backend):
    """All bots in one image, on top of Arena's own for Python."""

    name = "docker"
    sandbox_class = DockerSandbox

    @cache  # noqa: B019
    def missing(self) -> str | None:
        """No daemon, or no base image."""
        try:
            self._image()
            self.weak()
        except ArenaError as error:
            return f"{self.name}: {error} (docker/build-base.sh --sdk builds the base image)"
        return None

    def sandbox(self, folder: Path, command: Sequence[str], limits: Limits) -> AnySandbox:
        """The bots are below /hostile."""
        place = f"/hostile/{folder.relative_to(HERE)}" if folder.is_relative_to(HERE) else f"/hostile/{folder.name}"
        words = [word.replace("{bot}", place) for word in command]
        return self.sandbox_class(BotImage(self._image(), tuple(words)), limits)

    def probe(self) -> AnySandbox:
        """The image waits for a minute by itself."""
        return self.sandbox_class(BotImage(self._image()), Limits())

    @cache  # noqa: B019
    def _image(self) -> str:
        """The image of the bots as they are now, built if need be; two test processes build it once."""
        client = DockerClient()
        try:
            base = images.resolve(client, SDK_IMAGE)
            tag = f"{IMAGE}:{_digest(base.digest)}"
            with open(_LOCK, "w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not client.call(client.api.images, name=tag, quiet=True):
                    _build(client, tag)
        finally:
            client.close()
        return tag


class Gvisor(Docker):
    """The same image, on a kernel of its own."""

    name = "gvisor"
    sandbox_class = GvisorSandbox


def _build(client: DockerClient, tag: str) -> None:
    for old in client.call(client.api.images, name=IMAGE):
        if time.time() - old["Created"] > OLD_S:  # a younger one may belong to another run
            with suppress(InfraError):
                client.call(client.api.remove_image, old["Id"])
    with tempfile.TemporaryDirectory() as context:
        for path in _sources():
            target = Path(context, "bots" if path.is_relative_to(HERE) else "src") / path.relative_to(
                HERE if path.is_relative_to(HERE) else ROOT
            )
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
        Path(context, "bots", "random").mkdir()
        shutil.copy(ROOT / "sample_bots" / "random" / "bot.py", Path(context, "bots", "random"))
        Path(context, "Dockerfile").write_text(_DOCKERFILE)
        os.chmod(context, 0o755)
        image_builds.build(Path(context), tag=tag)


def _sources() -> Iterator[Path]:
    """The bots, and Arena as it is now: the base image may hold an older one."""
    for folder in (HERE, ROOT / "arena", ROOT / "engines"):
        yield from (path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)


def _digest(base: str) -> str:
    digest = hashlib.sha256(f"{base}\n{_DOCKERFILE}".encode())
    for path in _sources():
        digest.update(f"{path.relative_to(ROOT)}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


BACKENDS: dict[str, Backend] = {
    backend.name: backend for backend in (Bubblewrap(), Docker(), Gvisor(), WithoutGroups())
}

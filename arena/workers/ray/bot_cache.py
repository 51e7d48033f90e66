"""The bots on a node of a cluster: kept by their digest as long as a process of the node holds a lease on them."""

import fcntl
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from arena.bots.launch import BotPlan
from arena.bots.manifest import Folder, Image
from arena.errors import InfraError, UsageError
from arena.intake import image_archive, image_storage, packing
from arena.intake.folder_storage import FolderStorage, remove
from arena.sandboxes.docker.client import DockerClient, NotFound
from arena.workers.ray.bot_registry import pull_image

IMAGE_REPOSITORY = "arena-node"
"""Images that were sent to this node have a tag here."""
_LEASE = ".lease"
_IMAGE = "image-"


class BotCache:
    """A folder that all processes of a node share; what nobody holds any more is removed.

    A lease is a shared lock on a file, so that it ends with its process, however that ends.
    """

    def __init__(self, folder: Path) -> None:
        self._storage = FolderStorage(folder)
        self._leases: dict[str, int] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InfraError(f"{folder} cannot be written to: {error.strerror}") from error

    def lease(self, bots: Iterable[BotPlan]) -> tuple[str, ...]:
        """Hold these bots from here on; the digests of those that are not on this node yet."""
        missing = []
        for bot in bots:
            if isinstance(bot.source, Folder):
                self._hold(_key(bot.contestant.digest))
                present = self._storage.is_intact(bot.contestant.digest)
            elif isinstance(bot.source, Image):
                self._hold(_IMAGE + _key(bot.contestant.digest))
                present = _has_image(bot.contestant.digest)
            else:
                continue
            if not present:
                missing.append(bot.contestant.digest)
        self._prune()
        return tuple(dict.fromkeys(missing))

    def add(self, bot: BotPlan, archive: Iterable[bytes]) -> None:
        """Unpack a bot that is leased, unless another process did; InfraError if it is not what its digest says."""
        digest = bot.contestant.digest
        with self._storage.locked(), self._storage.working_folder() as working:
            if isinstance(bot.source, Image):
                if not _has_image(digest):
                    packed = working / "archive.tar"
                    packing.write(archive, packed)
                    _load_image(packed, working, digest)
            elif not self._storage.is_intact(digest):
                self._storage.add(_unpacked(archive, working, digest), digest)

    def pull(self, bot: BotPlan, reference: str) -> None:
        """Fetch an image that is leased from a registry; InfraError if it is not what its digest says."""
        digest = bot.contestant.digest
        with self._storage.locked():
            if not _has_image(digest):
                pull_image(reference, digest, _tag(digest))

    def localized(self, bot: BotPlan) -> BotPlan:
        """The same bot, run from where it is on this node."""
        if isinstance(bot.source, Folder):
            return replace(bot, source=replace(bot.source, path=self._storage.path_of(bot.contestant.digest)))
        if isinstance(bot.source, Image):
            return replace(bot, source=Image(_name_here(bot.contestant.digest) or bot.contestant.digest))
        return bot

    def release(self) -> None:
        """Hold nothing any more, and remove what nobody holds."""
        while self._leases:
            os.close(self._leases.popitem()[1])
        self._prune()

    def _hold(self, key: str) -> None:
        if key not in self._leases:
            self._leases[key] = _locked(self._lease_file(key), fcntl.LOCK_SH)

    def _lease_file(self, key: str) -> Path:
        return self._storage.folder / f"{key}{_LEASE}"

    def _prune(self) -> None:
        for path in self._storage.folder.glob(f"*{_LEASE}"):
            key = path.name.removesuffix(_LEASE)
            if key in self._leases:
                continue
            with suppress(OSError):  # somebody holds it
                descriptor = _locked(path, fcntl.LOCK_EX | fcntl.LOCK_NB)
                try:
                    self._remove(key)
                    path.unlink()
                finally:
                    os.close(descriptor)

    def _remove(self, key: str) -> None:
        if not key.startswith(_IMAGE):
            remove(self._storage.folder / key)
            return
        with suppress(InfraError), DockerClient() as client:
            # Another tag, of whoever runs this machine, keeps the image.
            image_storage.remove_tag(client, _tag(key.removeprefix(_IMAGE)))


def _key(digest: str) -> str:
    return digest.removeprefix("sha256:")


def _locked(path: Path, mode: int) -> int:
    """A descriptor of this file with a lock on it; of the file that is there now, not of one that was just removed."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, mode)
            if os.path.samestat(os.stat(path), os.fstat(descriptor)):
                return descriptor
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _unpacked(archive: Iterable[bytes], working: Path, digest: str) -> Path:
    try:
        return packing.unpack(archive, digest, working, f"the bot {digest}")
    except UsageError as error:
        raise InfraError(f"{error}, as it arrived on this node") from error


def _tag(digest: str) -> str:
    return f"{IMAGE_REPOSITORY}:{_key(digest)}"


def _has_image(digest: str) -> bool:
    return _name_here(digest) is not None


def _name_here(digest: str) -> str | None:
    """What this node's docker calls an image: by our tag if it was sent, since a copy has a digest of its own."""
    with DockerClient() as client:
        for name in (_tag(digest), digest):
            with suppress(NotFound):
                client.call(client.api.inspect_image, name)
                return name
    return None


def _load_image(packed: Path, working: Path, digest: str) -> None:
    tag = _tag(digest)
    try:
        sent, _ = image_archive.load(packed, working_folder=working, tag=tag)
    except UsageError as error:
        raise InfraError(str(error)) from error
    if sent != digest:
        with DockerClient() as client:
            image_storage.remove_tag(client, tag)
        raise InfraError(f"the image {digest} arrived with another digest")

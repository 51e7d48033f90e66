"""Taking in what is submitted: a folder, an archive or an image becomes something that can be run in a sandbox."""

import asyncio
import filecmp
import shutil
import tempfile
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

from arena.bots.making import SandboxOptions, build_of
from arena.bots.manifest import MANIFEST, Folder, Image, Manifest, folder_files, read_manifest
from arena.errors import InfraError, UsageError
from arena.sandboxes.docker import images
from arena.sandboxes.docker.client import DockerClient
from arena.sandboxes.launched.bubblewrap import find_bubblewrap
from arena.submit import folders, image_archive, image_shelf
from arena.submit.readers import is_zip
from arena.submit.shelf import Shelf, own_digest, remove
from arena.untrusted.filetree import readable, shown


@dataclass(frozen=True)
class Received:
    """What was handed in."""

    source: Folder | Image
    manifest: Manifest | None
    """None for an image alone, which does not say who it is."""

    @cached_property
    def digest(self) -> str:
        """What exactly it is."""
        return self.source.reference if isinstance(self.source, Image) else own_digest(self.source.path)


class Intake:
    """Takes in one submission; at the end of the context everything is gone that was not kept."""

    def __init__(self, shelf: Shelf, options: SandboxOptions) -> None:
        self.shelf = shelf
        self._options = options
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._workplace = self._stack.enter_context(self.shelf.workplace())
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def receive(self, text: str) -> Received:
        """Look through what the user names, and unpack it; nothing of it is run."""
        path = Path(text)
        with readable(shown(text)):
            is_folder, is_file = path.is_dir(), path.is_file()
        if is_folder:
            return self._received(folders.receive(path, self._workplace, text))
        if is_file:
            return self._archive(path)
        return Received(self._find_image(text), None)

    def build(self, received: Received, what: str) -> Received:
        """Run its build command in a sandbox; docker is no sandbox to build a stranger's Dockerfile in."""
        folder, manifest = received.source, received.manifest
        if not isinstance(folder, Folder) or manifest is None:
            return received
        if (reason := self._why_no_folders()) is not None:
            raise UsageError(
                f"{reason}, and Dockerfiles are not built here: hand in an image as `docker save` writes it"
            )
        if not manifest.build:
            return received
        built = self._workplace / "built"
        asyncio.run(folders.build(build_of(folder), built, what))
        if not (built / MANIFEST).is_file() or read_manifest(built) != manifest:
            raise UsageError(f"the build of {what} changed its {MANIFEST}")
        return Received(Folder(built, manifest), manifest)

    def origin(self, received: Received) -> str:
        """Where it is, or will be, once it is kept."""
        digest = received.digest
        return digest if isinstance(received.source, Image) else str(self.shelf.place(digest))

    def keep(self, received: Received) -> bool:
        """Keep it for good; whether it was not kept yet."""
        if isinstance(received.source, Image):
            return image_shelf.keep(self._client, received.digest)
        return self.shelf.keep(received.source.path, received.digest)[1]

    def discard(self, received: Received) -> None:
        """Undo `keep`."""
        if isinstance(received.source, Image):
            image_shelf.forget(self._client, image_shelf.kept_name(received.digest))
        else:
            remove(Path(self.origin(received)))

    def _archive(self, path: Path) -> Received:
        if not is_zip(path) and image_archive.holds_image(path, MANIFEST):
            return Received(Image(image_archive.load(self._client, path, self._workname)), None)
        folder = folders.receive(path, self._workplace, path.name)
        if folder.manifest.image:
            raise UsageError(f"{path.name} names an image instead of holding it: submit what `docker save` writes")
        return self._received(folder)

    def _find_image(self, text: str) -> Image:
        try:
            return Image(images.resolve(self._client, text).digest)
        except InfraError as error:
            raise UsageError(f"there is no folder or archive {text!r}, and an image needs docker: {error}") from error
        except images.NoSuchImage as error:
            raise UsageError(f"there is no folder or archive {text!r}, or it is no bot: {error}") from error

    def _received(self, folder: Folder) -> Received:
        if folder.manifest.image:
            return Received(self._find_image(folder.manifest.image), folder.manifest)
        return Received(folder, folder.manifest)

    def _why_no_folders(self) -> str | None:
        if self._options.sandbox in ("docker", "gvisor"):
            return f"--sandbox {self._options.sandbox} runs images only"
        try:
            find_bubblewrap()
        except InfraError as error:
            return str(error)
        return None

    @cached_property
    def _client(self) -> DockerClient:
        return self._stack.enter_context(closing(DockerClient()))

    @cached_property
    def _workname(self) -> str:
        return self._stack.enter_context(image_shelf.workname(self._client))


def build_in_place(folder: Path) -> int:
    """Build a folder in the sandbox and put the files that it made into the folder; how many files that are."""
    with tempfile.TemporaryDirectory(prefix="arena-build-") as workplace:
        source = folders.receive(folder, Path(workplace), str(folder))
        if not source.manifest.build:
            raise UsageError(f"{folder} needs no build: its {MANIFEST} has no `build` command")
        built = Path(workplace, "built")
        asyncio.run(folders.build(build_of(source), built, str(folder)))
        return sum(_put(path, folder / path.relative_to(built)) for path in folder_files(built))


def _put(made: Path, target: Path) -> bool:
    """Put a file or link where it belongs, unless it is there already; whether it was not."""
    if made.is_symlink():
        if target.is_symlink() and target.readlink() == made.readlink():
            return False
    elif target.is_file() and not target.is_symlink() and filecmp.cmp(made, target, shallow=False):
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    shutil.copy2(made, target, follow_symlinks=False)
    return True

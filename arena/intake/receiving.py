"""Takes in submissions: a folder, archive or image is checked, unpacked, built and stored, ready for a sandbox."""

import asyncio
import filecmp
import shutil
import tempfile
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

from arena.bots.files import folder_files
from arena.bots.launch import SandboxOptions, build_of
from arena.bots.manifest import MANIFEST, Folder, Image, Manifest, read_manifest
from arena.errors import InfraError, UsageError
from arena.intake import folders, image_archive, image_storage
from arena.intake.folder_storage import FolderStorage, own_digest
from arena.intake.go_cache import with_go_cache
from arena.intake.readers import is_zip
from arena.sandboxes.base import BotDirectory
from arena.sandboxes.docker import images
from arena.sandboxes.docker.client import DockerClient
from arena.sandboxes.launched.bubblewrap import find_bubblewrap
from arena.store.bot_files import BotFiles
from arena.untrusted.filetree import map_read_errors
from arena.untrusted.text import quoted


@dataclass(frozen=True)
class Submission:
    """A submitted bot after it was unpacked."""

    source: Folder | Image
    manifest: Manifest | None
    """None for an image alone, which has no bot.toml."""
    loaded: bool = False
    """Whether it is an image that we have written and loaded."""

    @cached_property
    def digest(self) -> str:
        """The digest of its files or of its image."""
        return self.source.reference if isinstance(self.source, Image) else own_digest(self.source.path)


class Intake:
    """Receives, builds and stores one submission; what was not stored is removed at the end of the context."""

    def __init__(self, storage: FolderStorage, options: SandboxOptions) -> None:
        """With the folder on this machine beside whose bots it works; `files` says where they are kept."""
        self._storage = storage
        self._options = options
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._working_folder = self._stack.enter_context(self._storage.working_folder())
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def receive(self, text: str) -> Submission:
        """Find, check and unpack what the user names; nothing of it is run."""
        path = Path(text)
        with map_read_errors(quoted(text)):
            is_folder, is_file = path.is_dir(), path.is_file()
        if is_folder:
            return self._received(folders.receive(path, self._working_folder, text))
        if is_file:
            return self._archive(path)
        return Submission(self._find_image(text), None)

    def build(self, submission: Submission, what: str) -> Submission:
        """Run its build command in a sandbox; Dockerfiles are not built: docker is no sandbox for that.

        An image that docker has is copied: what it was loaded from may have been a stranger's.
        """
        folder, manifest = submission.source, submission.manifest
        if isinstance(folder, Image):
            return submission if submission.loaded else self._copied(submission, what)
        if manifest is None:
            return submission
        if (reason := self._why_no_folders()) is not None:
            raise UsageError(
                f"{reason}, and Dockerfiles are not built here: submit an image as `docker save` writes it"
            )
        if not manifest.build:
            return submission
        built = self._working_folder / "built"
        asyncio.run(self._build(build_of(folder), built, what))
        if not (built / MANIFEST).is_file() or read_manifest(built) != manifest:
            raise UsageError(f"the build of {what} changed its {MANIFEST}")
        return Submission(Folder(built, manifest), manifest)

    async def _build(self, program: BotDirectory, built: Path, what: str) -> None:
        await folders.build(await with_go_cache(program, self._storage), built, what)

    def origin(self, submission: Submission, files: BotFiles) -> str:
        """The path from which it is run on this machine, or the digest of its image."""
        digest = submission.digest
        return digest if isinstance(submission.source, Image) else str(files.path_of(digest))

    def keep(self, submission: Submission, files: BotFiles) -> bool:
        """Store it for good; whether it was not stored yet."""
        if isinstance(submission.source, Image):
            return image_storage.add(self._client, submission.digest)
        return files.add(submission.source.path, submission.digest)

    def discard(self, submission: Submission, files: BotFiles) -> None:
        """Undo `keep`."""
        if isinstance(submission.source, Image):
            image_storage.remove_tag(self._client, image_storage.permanent_tag(submission.digest))
        else:
            files.remove(submission.digest)

    def _archive(self, path: Path) -> Submission:
        if not is_zip(path) and image_archive.holds_image(path, MANIFEST):
            return Submission(self._load_image(path), None, loaded=True)
        folder = folders.receive(path, self._working_folder, path.name)
        if folder.manifest.image:
            raise UsageError(f"{path.name} names an image instead of holding it: submit what `docker save` writes")
        return self._received(folder)

    def _load_image(self, archive: Path, reference: str | None = None) -> Image:
        _, loaded = image_archive.load(
            archive, working_folder=self._working_folder, tag=self._temporary_tag, reference=reference
        )
        return Image(loaded)

    def _copied(self, submission: Submission, what: str) -> Submission:
        saved = self._working_folder / "saved.tar"
        image_archive.save(submission.digest, saved, f"the image {what}")
        return Submission(self._load_image(saved, what), submission.manifest, loaded=True)

    def _find_image(self, text: str) -> Image:
        try:
            return Image(images.find(self._client, text).digest)
        except InfraError as error:
            raise UsageError(f"there is no folder or archive {text!r}, and an image needs docker: {error}") from error
        except images.NoSuchImage as error:
            raise UsageError(f"there is no folder or archive {text!r}, or it is no bot: {error}") from error

    def _received(self, folder: Folder) -> Submission:
        if folder.manifest.image:
            return Submission(self._find_image(folder.manifest.image), folder.manifest)
        return Submission(folder, folder.manifest)

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
    def _temporary_tag(self) -> str:
        return self._stack.enter_context(image_storage.temporary_tag(self._client))


def build_in_place(folder: Path) -> int:
    """Build a folder in the sandbox and put the files that it made into the folder; how many files that are."""
    with tempfile.TemporaryDirectory(prefix="arena-build-") as working_folder:
        source = folders.receive(folder, Path(working_folder), str(folder))
        if not source.manifest.build:
            raise UsageError(f"{folder} needs no build: its {MANIFEST} has no `build` command")
        built = Path(working_folder, "built")
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

"""Submitted folders: unpacked in a process with limits, and built in a sandbox."""

from functools import partial
from pathlib import Path

from arena.bots.manifest import Folder, read_manifest
from arena.errors import InfraError
from arena.intake.readers import read_folder
from arena.intake.unpacking import bot_root, unpack, unpack_submission
from arena.sandboxes.base import BotDirectory
from arena.sandboxes.launched.build import BuildSandbox
from arena.untrusted.limited import run_limited


def receive(path: Path, working_folder: Path, what: str) -> Folder:
    """The folder with the bot.toml, unpacked into the working folder from a folder or an archive."""
    unpacked = working_folder / "unpacked"
    run_limited(unpack_submission, str(path), str(unpacked), what, what=what)
    try:
        root = bot_root(unpacked)
    except OSError as error:
        raise InfraError(f"the copy of {what} is gone: {error}") from error
    return Folder(root, read_manifest(root))


async def build(program: BotDirectory, target: Path, what: str) -> None:
    """Run the build command on a copy of the folder in a sandbox, and copy what it made after the same checks."""
    made_by = f"what the build of {what} made"

    def collect(made: Path) -> None:
        # Nothing is parsed here: names and sizes are listed within bounds, and bytes are copied.
        unpack(partial(read_folder, made, made_by), target, made_by)

    await BuildSandbox(program).build(collect)

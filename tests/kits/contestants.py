"""What the tests of the contestants' commands share: bots in folders, and the commands as they are typed."""

import asyncio
import subprocess
import sys
from contextlib import closing
from functools import cache
from pathlib import Path
from textwrap import dedent

from click.testing import CliRunner

from arena.cli import main
from arena.errors import ArenaError
from arena.sandboxes.base import BotDirectory, Limits
from arena.sandboxes.docker import images
from arena.sandboxes.docker.client import DockerClient
from arena.sandboxes.launched.bubblewrap import BubblewrapSandbox
from tests.kits.needs import need

SDK = "from arena.sdk import Bot, serve\n"


def arena(*args, make_executor=None, env=None):
    """The command inside this process; its matches may be played by another executor than that of this machine."""
    return CliRunner().invoke(main, [str(arg) for arg in args], obj=make_executor, env=env)


def arena_process(*args, typed="", cwd=None):
    """The command as a process of its own, with these lines typed; what bots print to the terminal is caught too."""
    return subprocess.run(
        [sys.executable, "-m", "arena", *map(str, args)],
        input=typed, capture_output=True, text=True, cwd=cwd, timeout=90, check=False,
    )  # fmt: skip


def write_bot(folder, source, game="claim"):
    """A bot with this source; `choose` may be given alone, indented like a method."""
    folder.mkdir()
    lines = f'name = "{folder.name}"\nversion = "1"\ngames = ["{game}"]\ncommand = ["python3", "bot.py"]\n'
    (folder / "bot.toml").write_text(lines)
    (folder / "bot.py").write_text(dedent(source))
    return folder


def choosing(body, serves="claim"):
    """The source of a bot whose `choose` has this body."""
    indented = "\n".join(f"        {line}" for line in dedent(body).strip().splitlines())
    return f'{SDK}class B(Bot):\n    def choose(self, turn):\n{indented}\nserve(B, game="{serves}")\n'


SDK_IMAGE = "arena/python:bookworm"


@cache
def _why_no_image(reference, made_by):
    try:
        with closing(DockerClient()) as client:
            images.resolve(client, reference)
    except ArenaError as error:
        return f"{error} (docker/build-base.sh {made_by} builds it)"
    return None


def need_image(reference=SDK_IMAGE, made_by="--sdk"):
    """Skip aloud where there is no docker daemon, or no such base image."""
    need(_why_no_image(reference, made_by))


@cache
def _why_not_bubblewrap():
    try:
        asyncio.run(BubblewrapSandbox(BotDirectory(Path("/usr"), ("true",)), Limits()).dry_run())
    except ArenaError as error:
        return f"bubblewrap cannot be used: {error}"
    return None


def need_bubblewrap():
    """Skip aloud where there is no bubblewrap."""
    need(_why_not_bubblewrap())

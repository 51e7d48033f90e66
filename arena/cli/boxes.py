"""From what a user calls a bot to a bot in its box: the one place that chooses sandboxes."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from arena.bots import Builtin, Folder, Image, Remote, Source, folder_digest, locate
from arena.builtin import BUILTIN
from arena.cli.params import Size
from arena.errors import InfraError, UsageError
from arena.game import AnyGame
from arena.host import BoxedBot, LocalBot, RemoteBot, RunningBot
from arena.links.connection import tcp_connect
from arena.match import Contestant
from arena.sandboxes import images
from arena.sandboxes.base import BotDirectory, BotImage, Limits, Sandbox
from arena.sandboxes.bubblewrap import BubblewrapSandbox
from arena.sandboxes.docker import DockerSandbox
from arena.sandboxes.engine import Engine
from arena.sandboxes.gvisor import GvisorSandbox
from arena.sandboxes.process import ProcessSandbox
from arena.sdk import Session

PYTHONS = ("python", "python3")
"""Commands that mean the Python that Arena itself runs with."""
SANDBOXES = ("auto", "bubblewrap", "docker", "gvisor", "process")
IMAGE_SANDBOXES: Mapping[str, type[DockerSandbox]] = {
    "auto": DockerSandbox, "docker": DockerSandbox, "gvisor": GvisorSandbox,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class BoxOptions:
    """How bots are held, as chosen on the command line."""

    sandbox: str
    limits: Limits
    ponder: bool


def box_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say how bots are held."""
    options = (
        click.option(
            "--sandbox",
            type=click.Choice(SANDBOXES),
            default="auto",
            show_default=True,
            help="What holds the bots: auto takes bubblewrap for folders and docker for images; "
            "gvisor gives images a kernel of their own; process holds nothing and is for bots that you trust.",
        ),
        click.option("--memory", type=Size(), default="512m", show_default=True, help="Memory of each bot."),
        click.option(
            "--cpus", type=click.FloatRange(0.1), default=1.0, show_default=True, help="Processors of each bot."
        ),
        click.option("--ponder", is_flag=True, help="Let bots think on the opponent's time instead of freezing them."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def read_box_options(given: Mapping[str, Any]) -> BoxOptions:
    """The values of the options that `box_options` added."""
    limits = Limits(memory_bytes=given["memory"], cpus=given["cpus"])
    return BoxOptions(given["sandbox"], limits, given["ponder"])


def make_bot(game: AnyGame, text: str, seed: int, boxes: BoxOptions) -> RunningBot:
    """The bot that the user means by this text, not started yet."""
    source = locate(text, BUILTIN)
    match source:
        case Builtin(name):
            return LocalBot(Contestant(name), lambda: Session(game, BUILTIN[name](seed)).handle)
        case Remote(host, port):
            return RemoteBot(Contestant(f"{host}-{port}"), tcp_connect(host, port), boxes.limits.start_s)
        case Folder(_, manifest):
            _check_game(manifest.games, game, text)
            contestant = Contestant(manifest.name, manifest.version, folder_digest(source.path))
        case Image(reference):
            contestant = Contestant(reference.rpartition("/")[2].partition("@")[0], digest=image_digest(reference))
    return boxed(contestant, source, boxes)


def boxed(contestant: Contestant, source: Source, boxes: BoxOptions) -> BoxedBot:
    """A folder or an image in its box, not started yet."""
    sandbox = make_sandbox(source, boxes)
    return BoxedBot(contestant, sandbox, start_s=boxes.limits.start_s, ponder=boxes.ponder)


def make_sandbox(source: Source, boxes: BoxOptions) -> Sandbox:
    """The box for a folder or an image."""
    if isinstance(source, Image):
        if boxes.sandbox not in IMAGE_SANDBOXES:
            raise UsageError(f"an image needs --sandbox docker or gvisor, not {boxes.sandbox}")
        return IMAGE_SANDBOXES[boxes.sandbox](BotImage(source.reference), boxes.limits)
    if not isinstance(source, Folder):
        raise UsageError("only a folder or an image can be put into a box")
    if source.manifest.image:
        return make_sandbox(Image(source.manifest.image), boxes)
    if boxes.sandbox in ("docker", "gvisor"):
        raise UsageError(f"build an image first: arena bot build {source.path}, then give the image's name")
    kind = ProcessSandbox if boxes.sandbox == "process" else BubblewrapSandbox
    return kind(program_of(source), boxes.limits)


def program_of(folder: Folder) -> BotDirectory:
    """What is run for a folder; a Python bot runs with this very Python, so that it finds the SDK."""
    first, *rest = folder.manifest.command
    if folder.manifest.build and "/" in first and not (folder.path / first).exists():
        by_hand = " ".join(folder.manifest.build)
        raise UsageError(
            f"{folder.path} is not built yet: run `{by_hand}` there, or arena bot build {folder.path} --no-image"
        )
    if first not in PYTHONS and not folder.manifest.rules:
        return BotDirectory(folder.path, folder.manifest.command)
    command = (sys.executable if first in PYTHONS else first, *rest)
    if folder.manifest.rules:
        # -P: nothing in the bot's folder shall be taken for a module of ours.
        command = (sys.executable, "-P", "-m", "arena.rules_service", "--", *command)
    # What a bot printed must be readable even if it is killed the next moment.
    unbuffered = {"PYTHONUNBUFFERED": "1"}
    return BotDirectory(folder.path, command, read_only=tuple(python_paths()), env=unbuffered)


def build_of(folder: Folder) -> BotDirectory:
    """What builds a folder."""
    first, *rest = folder.manifest.build
    command = (sys.executable if first in PYTHONS else first, *rest)
    return BotDirectory(folder.path, command, read_only=tuple(python_paths()))


def python_paths() -> list[Path]:
    """Everything that this Python needs to run a bot on the SDK: interpreter, packages, Arena itself."""
    own = Path(__file__).parents[2]
    wanted = {Path(sys.prefix), Path(sys.base_prefix), own / "arena", own / "engines"}
    outside = [path for path in wanted if not path.is_relative_to("/usr")]
    return sorted(
        path for path in outside if not any(path != other and path.is_relative_to(other) for other in outside)
    )


def image_digest(reference: str) -> str:
    """The engine's name for exactly the content of an image; a mistyped folder ends up here too."""
    try:
        engine = Engine()
    except InfraError as error:
        raise UsageError(f"there is no folder {reference!r}, and as an image it needs docker: {error}") from error
    try:
        return images.resolve(engine, reference).digest
    except UsageError as error:
        raise UsageError(f"there is no bot {reference!r}, neither a folder nor a built-in one; {error}") from error
    finally:
        engine.close()


def _check_game(games: tuple[str, ...], game: AnyGame, text: str) -> None:
    if game.info.name not in games:
        raise UsageError(f"the bot {text} does not play {game.info.name}: its bot.toml names {', '.join(games)}")

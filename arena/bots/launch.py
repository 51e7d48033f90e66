"""From what a bot is to a bot in its sandbox: the one place that chooses sandboxes."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.bots.builtin import BUILTIN
from arena.bots.files import current_digest, has_digest
from arena.bots.manifest import PYTHONS, Builtin, Folder, Image, Remote, Source, unknown_bot
from arena.bots.running import LocalBot, RemoteBot, RunningBot, SandboxedBot
from arena.errors import InfraError, UsageError
from arena.game import AnyGame
from arena.links.connection import tcp_connect
from arena.match import Contestant
from arena.sandboxes.base import BotDirectory, BotImage, Limits, Sandbox
from arena.sandboxes.docker import images
from arena.sandboxes.docker.client import DockerClient
from arena.sandboxes.docker.gvisor import GvisorSandbox
from arena.sandboxes.docker.sandbox import DockerSandbox
from arena.sandboxes.launched.bubblewrap import BubblewrapSandbox
from arena.sandboxes.launched.process import ProcessSandbox
from arena.sdk import Session
from arena.store.bot_files import kept_path

IMAGE_SANDBOXES: Mapping[str, type[DockerSandbox]] = {
    "auto": DockerSandbox, "docker": DockerSandbox, "gvisor": GvisorSandbox,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SandboxOptions:
    """How bots are held."""

    sandbox: str
    limits: Limits
    ponder: bool


@dataclass(frozen=True, slots=True)
class BotPlan:
    """All that is needed to run a bot, on this machine or in another process of it."""

    contestant: Contestant
    source: Source
    sandbox_options: SandboxOptions


def plan_bot(game: AnyGame, text: str, source: Source, options: SandboxOptions) -> BotPlan:
    """The plan for a bot that is not registered; `text` is what the user called it."""
    match source:
        case Builtin(name):
            contestant = Contestant(name)
        case Remote(host, port):
            contestant = Contestant(f"{host}-{port}")
        case Folder(path, manifest):
            _check_game(manifest.games, game, text)
            contestant = Contestant(manifest.name, manifest.version, current_digest(path))
        case Image(reference):
            contestant = Contestant(reference.rpartition("/")[2].partition("@")[0], digest=image_digest(reference))
    return BotPlan(contestant, source, options)


def make_bot(game: AnyGame, plan: BotPlan, seed: int) -> RunningBot:
    """The bot, not started yet; UsageError if its folder is not what it was, InfraError if that is a copy of ours."""
    match plan.source:
        case Builtin(name):
            return LocalBot(plan.contestant, lambda: Session(game, BUILTIN[name](seed)).handle)
        case Remote(host, port):
            return RemoteBot(plan.contestant, tcp_connect(host, port), plan.sandbox_options.limits.start_s)
        case Folder(path):
            _check_files(path, plan.contestant)
    sandbox = make_sandbox(plan.source, plan.sandbox_options)
    return SandboxedBot(plan.contestant, sandbox, ponder=plan.sandbox_options.ponder)


def _check_files(folder: Path, contestant: Contestant) -> None:
    """As `check_unchanged`; but a copy that is kept under its digest is ours to care for, and nobody else's."""
    try:
        check_unchanged(folder, contestant)
    except UsageError as error:
        if folder == kept_path(folder.parent, contestant.digest):
            raise InfraError(str(error)) from error
        raise


def check_unchanged(folder: Path, contestant: Contestant) -> None:
    """UsageError unless the folder of a bot is here and holds what its digest says."""
    label = f"{contestant.name} {contestant.version}"
    if not folder.is_dir():
        raise UsageError(f"the folder of {label} is gone: {folder}; put it back, submit it again, or retire the bot")
    if not has_digest(folder, contestant.digest):
        raise UsageError(
            f"{folder} is not what was registered as {label}: name the folder with --bots for a new version, "
            "or retire the bot"
        )


def make_sandbox(source: Source, options: SandboxOptions) -> Sandbox:
    """The sandbox for a folder or an image."""
    if isinstance(source, Image):
        if options.sandbox not in IMAGE_SANDBOXES:
            raise UsageError(f"an image needs --sandbox docker or gvisor, not {options.sandbox}")
        return IMAGE_SANDBOXES[options.sandbox](BotImage(source.reference), options.limits)
    if not isinstance(source, Folder):
        raise UsageError("only a folder or an image can be put into a sandbox")
    if source.manifest.image:
        return make_sandbox(Image(source.manifest.image), options)
    if options.sandbox in ("docker", "gvisor"):
        raise UsageError(f"build an image first: arena bot build {source.path}, then give the image's name")
    kind = ProcessSandbox if options.sandbox == "process" else BubblewrapSandbox
    return kind(program_of(source), options.limits)


def program_of(folder: Folder) -> BotDirectory:
    """What is run for a folder; a Python bot runs with this very Python, so that it finds the SDK."""
    first, *rest = folder.manifest.command
    # The first word with a path is the program, or what an interpreter runs: `build/bot`, `node build/bot.js`.
    paths = [word for word in (first, *rest) if "/" in word and ":" not in word and not word.startswith("-")]
    if folder.manifest.build and paths and not (folder.path / paths[0]).exists():
        by_hand = " ".join(folder.manifest.build)
        raise UsageError(
            f"{folder.path} is not built yet: run `{by_hand}` there, or arena bot build {folder.path} --no-image"
        )
    if first not in PYTHONS and not folder.manifest.rules:
        return BotDirectory(folder.path, folder.manifest.command)
    command = (sys.executable if first in PYTHONS else first, *rest)
    if folder.manifest.rules:
        # -P: nothing in the bot's folder shall be taken for a module of ours.
        command = (sys.executable, "-P", "-m", "arena.sdk.rules_service", "--", *command)
    # What a bot printed must be readable even if it is killed the next moment.
    unbuffered = {"PYTHONUNBUFFERED": "1"}
    return BotDirectory(folder.path, command, read_only=tuple(python_paths()), env=unbuffered)


def build_of(folder: Folder) -> BotDirectory:
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
    """Docker's digest of an image; the text may also be a mistyped folder."""
    try:
        client = DockerClient()
    except InfraError as error:
        advice = f"it is neither a folder nor a sample bot, and as an image it needs docker: {error}"
        raise unknown_bot(reference, advice) from error
    try:
        return images.resolve(client, reference).digest
    except images.NoSuchImage as error:
        raise unknown_bot(reference, f"it is neither a folder nor a sample bot, and {error}") from error
    finally:
        client.close()


def _check_game(games: tuple[str, ...], game: AnyGame, text: str) -> None:
    if game.info.name not in games:
        raise UsageError(f"the bot {text} does not play {game.info.name}: its bot.toml names {', '.join(games)}")

"""The scaffold of a new bot: a copy of a sample bot with its own bot.toml, and its libraries."""

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from arena import registry
from arena.bots.manifest import MANIFEST, TEMPLATE, checked_name, find_sample, read_manifest, samples
from arena.bots.shipped import SAMPLES, shipped
from arena.contestant.new_bot import new_bot
from arena.errors import InfraError, UsageError

PREPARE_S = 300.0
WIRE = Path("arena/wire/v1")
"""Where the messages are below proto/, in a bot's folder as in ours."""
SHARED = ("match", "rules")
"""The messages that do not belong to one game."""
HEALTH = Path("grpc/health/v1/health.proto")
"""The health check that every bot answers, below proto/ too."""


@dataclass(frozen=True, slots=True)
class Template:
    """What a bot in one language starts from."""

    sample: str
    """The folder under sample_bots."""
    source: str
    """The file that a contestant edits."""
    protos: bool = True
    """Whether the .proto files of its game come with it."""
    prepare: tuple[str, ...] = ()
    """Fetches its libraries into its folder; the only step that needs a network."""
    tools: Mapping[str, str] = field(default_factory=dict)
    """What builds it: the Debian package of every program or file that must be there."""

    def missing(self) -> tuple[str, ...]:
        """The Debian packages that this machine lacks to build it."""
        return tuple(package for sign, package in self.tools.items() if not (shutil.which(sign) or Path(sign).exists()))


# A bot needs the code of its libraries, never the programs that their authors run at installation.
NPM = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")

TEMPLATES = {
    "python": Template(TEMPLATE, "bot.py"),
    "node": Template("random_node", "bot.js", prepare=NPM),
    "ts": Template("random_ts", "bot.ts", prepare=NPM, tools={"make": "make", "node": "nodejs", "npm": "npm"}),
    "cpp": Template(
        "random_cpp",
        "bot.cpp",
        tools={
            "make": "make",
            "g++": "g++",
            "/usr/include/grpcpp/grpcpp.h": "libgrpc++-dev",
            "/usr/include/google/protobuf/message.h": "libprotobuf-dev",
            "grpc_cpp_plugin": "protobuf-compiler-grpc",
        },
    ),
    "go": Template(
        "random_go",
        "bot.go",
        tools={
            "make": "make",
            "go": "golang-go",
            "/usr/share/gocode/src/google.golang.org/grpc": "golang-google-grpc-dev",
            # The package of version 1.3, with which gRPC would be content, does not have this file.
            "/usr/share/gocode/src/github.com/golang/protobuf/proto/wire.go": "golang-github-golang-protobuf-1-5-dev",
            "protoc-gen-go": "protoc-gen-go",
        },
    ),
    "java": Template(
        "random_java",
        "src/Bot.java",
        tools={
            "make": "make",
            "javac": "default-jdk-headless",
            "/usr/share/java/grpc-netty.jar": "libgrpc-java",
            "/usr/share/java/guava.jar": "libguava-java",
            "/usr/share/java/netty-codec-http2.jar": "libnetty-java",
            "/usr/share/java/perfmark-api.jar": "libperfmark-java",
            "/usr/share/java/protobuf.jar": "libprotobuf-java",
            "/usr/share/java/geronimo-annotation-1.3-spec.jar": "libgeronimo-annotation-1.3-spec-java",
            "protoc": "protobuf-compiler",
            "grpc_java_plugin": "protobuf-compiler-grpc-java-plugin",
        },
    ),
}


def sample_template(name: str, game: str) -> Template:
    """A copy of the sample bot of this name; UsageError if there is none, or it does not play the game."""
    found = find_sample(name)
    if found is None:
        raise UsageError(
            f"{name!r} cannot be copied: --from takes {', '.join(samples())}; without --from the new bot plays any "
            "legal move, in the language that --lang names"
        )
    if game not in found.manifest.games:
        raise UsageError(f"{name} does not play {game}, but {', '.join(found.manifest.games)}")
    return Template(name, found.manifest.command[-1], protos=False)


def create(target: Path, game: str, template: Template) -> None:
    """Make the folder of a new bot, whole or not at all; UsageError if something is there already."""
    name = checked_name(target.absolute().name, "the name of the bot")
    if target.exists() or target.is_symlink():
        raise UsageError(f"{target} is there already: choose another name, or remove it first")
    if not target.absolute().parent.is_dir():
        raise UsageError(f"{target} cannot be made: there is no folder {target.parent}")
    try:
        with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=target.absolute().parent) as temporary:
            made = Path(temporary, "bot")
            _copy(template, made, game)
            if template is TEMPLATES["python"]:
                (made / template.source).write_text(new_bot(game), encoding="utf-8")
            _set_name_and_game(made, name, game)
            _set_game_in_readme(made / "README.md", game)
            made.rename(target)
    except OSError as error:
        raise UsageError(f"{target} cannot be made: {error.strerror or error}") from error


def prepare(folder: Path, template: Template) -> None:
    """Fetch the libraries of a new bot; InfraError says what to run when that fails."""
    command = " ".join(template.prepare[:2])
    hint = f"the bot is in {folder}, but its libraries are not: run `{command}` there, with network"
    try:
        subprocess.run(  # noqa: S603  (the command is one of TEMPLATES)
            template.prepare, cwd=folder, check=True, capture_output=True, text=True, timeout=PREPARE_S
        )
    except FileNotFoundError:
        raise InfraError(f"{hint} ({template.prepare[0]} is not installed)") from None
    except subprocess.TimeoutExpired:
        raise InfraError(f"{hint} (it took longer than {PREPARE_S:.0f} s)") from None
    except subprocess.CalledProcessError as error:
        said = " ".join(error.stderr.split())[-200:]
        raise InfraError(f"{hint} (it said: {said})") from None


def _copy(template: Template, target: Path, game: str) -> None:
    leave = shutil.ignore_patterns("build", "node_modules", "proto", "types", "vendor", "__pycache__", "*.pyc")
    shutil.copytree(SAMPLES / template.sample, target, ignore=leave)
    if template.protos:
        messages = target / "proto" / WIRE
        messages.mkdir(parents=True)
        for source in (*(shipped("proto") / WIRE / f"{name}.proto" for name in SHARED), find_proto(game)):
            shutil.copy(source, messages)
        (target / "proto" / HEALTH).parent.mkdir(parents=True)
        shutil.copy(shipped("proto") / HEALTH, target / "proto" / HEALTH)


def find_proto(game: str) -> Path:
    """The file with the messages of a game; one from outside keeps it beside the module that was generated from it."""
    wire = registry.find(game).codec.wire
    name = Path(wire.DESCRIPTOR.name).name
    for folder in (shipped("proto") / WIRE, Path(str(wire.__file__)).parent):
        if (folder / name).is_file():
            return folder / name
    raise UsageError(f"the package of {game} brings no {name}: its author has to put it beside {wire.__name__}")


def _set_name_and_game(folder: Path, name: str, game: str) -> None:
    """Put the new name and its only game into bot.toml, and leave the rest with its comments."""
    path = folder / MANIFEST
    text = path.read_text(encoding="utf-8")
    for key, value in (("name", name), ("games", [game])):
        text = re.sub(rf"^{key} = .*$", f"{key} = {json.dumps(value)}", text, count=1, flags=re.MULTILINE)
    path.write_text(text, encoding="utf-8")
    read_manifest(folder)


def _set_game_in_readme(path: Path, game: str) -> None:
    """Let the commands and examples of the README be about the game of the new bot."""
    text = path.read_text(encoding="utf-8")
    for form in ("--game {}", "arena docs {}", 'find("{}")', 'game="{}"'):
        text = text.replace(form.format("claim"), form.format(game))
    path.write_text(text, encoding="utf-8")

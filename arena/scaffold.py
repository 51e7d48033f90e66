"""New bots: a copy of a sample bot with a bot.toml of its own, and what it needs to run without network."""

import json
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from arena.bots import MANIFEST, checked_name, read_manifest
from arena.errors import InfraError, UsageError

PREPARE_S = 300.0
_PACKAGED = Path(__file__).with_name("_templates")
"""Where the wheel keeps the sample bots and the protos; a checkout has them at its top."""


@dataclass(frozen=True, slots=True)
class Template:
    """What a bot in one language starts from."""

    sample: str
    """The folder under sample_bots."""
    source: str
    """The file that a contestant edits."""
    protos: bool = False
    """Whether the bot reads the .proto files itself."""
    prepare: tuple[str, ...] = ()
    """Fetches its libraries into its folder; the only step that needs a network."""


TEMPLATES = {
    "python": Template("random", "bot.py"),
    "node": Template(
        "random_node",
        "bot.js",
        protos=True,
        # A bot needs the code of its libraries, never the programs that their authors run at installation.
        prepare=("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"),
    ),
}


def create(target: Path, game: str, language: str) -> Template:
    """Make the folder of a new bot, whole or not at all; UsageError if something is there already."""
    template = TEMPLATES[language]
    name = checked_name(target.absolute().name, "the name of the bot")
    if target.exists() or target.is_symlink():
        raise UsageError(f"{target} is there already: choose another name, or remove it first")
    if not target.absolute().parent.is_dir():
        raise UsageError(f"{target} cannot be made: there is no folder {target.parent}")
    try:
        with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=target.absolute().parent) as workshop:
            made = Path(workshop, "bot")
            _copy(template, made)
            _christen(made, name, game)
            made.rename(target)
    except OSError as error:
        raise UsageError(f"{target} cannot be made: {error.strerror or error}") from error
    return template


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


def _root() -> Path:
    return _PACKAGED if _PACKAGED.is_dir() else Path(__file__).parents[1]


def _copy(template: Template, target: Path) -> None:
    leave = shutil.ignore_patterns("node_modules", "__pycache__", "*.pyc")
    shutil.copytree(_root() / "sample_bots" / template.sample, target, ignore=leave)
    if template.protos:
        shutil.copytree(_root() / "proto", target / "proto", ignore=shutil.ignore_patterns("*.binpb"))


def _christen(folder: Path, name: str, game: str) -> None:
    """Put the new name and its only game into bot.toml, and leave the rest with its comments."""
    path = folder / MANIFEST
    text = path.read_text(encoding="utf-8")
    for key, value in (("name", name), ("games", [game])):
        text = re.sub(rf"^{key} = .*$", f"{key} = {json.dumps(value)}", text, count=1, flags=re.MULTILINE)
    path.write_text(text, encoding="utf-8")
    read_manifest(folder)

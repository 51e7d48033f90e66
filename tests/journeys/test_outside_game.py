"""The author of a game from outside: the package that CONTRIBUTING shows is built, installed and played."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.journeys.pages import steps

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a user's commands start processes and sandboxes")]

ROOT = Path(__file__).parents[2]
TOY = ROOT / "tests/toy_game"
PAGE = (ROOT / "CONTRIBUTING.md").read_text()
CHANGES = {"from arena.wire.v1 import nim_pb2": "from nim_game import nim_pb2", "engines.nim": "nim_game"}
GENERATE = "python -m arena.wire.generate nim_game/nim.proto"


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The package as its author writes it, with the code of the toy game."""
    folder = tmp_path_factory.mktemp("package")
    target = folder / "nim"
    (target / "nim_game").mkdir(parents=True)
    for path in (TOY / "engines/nim").glob("*.*"):
        text = path.read_text()
        for old, new in CHANGES.items():
            text = text.replace(old, new)
        (target / "nim_game" / path.name).write_text(text)
    shutil.copy(TOY / "proto/arena/wire/v1/nim.proto", target / "nim_game")
    ((_, name, content),) = [step for step in steps(PAGE) if step[0] == "write"]
    (folder / name).write_text(content)
    assert ("run", GENERATE, "") in list(steps(PAGE))
    command = [sys.executable, *GENERATE.split()[1:]]
    subprocess.run(command, cwd=target, check=True, capture_output=True)
    return target


@pytest.fixture(scope="module")
def with_nim(larger_installation, package):
    return larger_installation("", package)


@pytest.mark.timeout(600)
def test_the_package_is_built_and_its_game_played(with_nim, traveller):
    author = replace(traveller, installation=with_nim)
    assert "Nim" in author.run("COLUMNS=120 arena games")
    assert "last stick" in author.run("arena rules nim --plain")
    page = author.run("arena docs nim --plain")
    assert "| `sticks` | number | How many sticks are left. |" in page
    assert 'turn.move("take", 1)' in page
    if author.thorough:
        author.run("python -m arena.testing nim")
    author.run("arena match --game nim --bot first --bot random --seed 1 --out nim.arena")
    assert "ok (nim" in author.run("arena replay verify nim.arena")
    lonely = author.attempt("arena tournament --game nim")
    assert lonely.returncode == 2
    assert "no bot plays nim here: make one with `arena bot new my_bot --game nim`" in lonely.stderr
    assert "any legal move" in author.run("arena bot new sticks --game nim --lang go")
    protos = {path.name for path in (author.folder / "sticks/proto/arena/wire/v1").iterdir()}
    assert protos == {"match.proto", "rules.proto", "nim.proto"}
    assert 'games = ["nim"]' in (author.folder / "sticks/bot.toml").read_text()

"""What is shipped: the wheel's content, the bounds of its dependencies, and generated code without drift."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from arena.wire.generate import GENERATOR, differences, generate

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_the_two_packages_and_nothing_else(wheel):
    tops = {name.split("/")[0] for name in wheel}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"arena", "engines"}
    assert not [name for name in wheel if "test_" in name or "__pycache__" in name]


def test_the_wheel_holds_what_is_no_code(wheel):
    assert {"arena/py.typed", "engines/py.typed"} <= wheel
    for game in (path.parent.name for path in ROOT.glob("engines/*/__init__.py")):
        assert f"engines/{game}/RULES.md" in wheel
    for path in [*(ROOT / "engines").rglob("*"), *(ROOT / "arena/web").rglob("*")]:
        if path.is_file() and "__pycache__" not in path.parts and path.name != "build_hook.py":
            assert path.relative_to(ROOT).as_posix() in wheel
    assert {"arena/web/static/player.js", "arena/web/static/player.css", "arena/web/templates/player.html"} <= wheel


def bound(requirements, name):
    (found,) = [text for text in requirements if re.match(rf"{name}[<>=~]", text)]
    return tuple(int(part) for part in re.split(r"[=>]+", found)[1].split("."))


def test_lower_bounds_follow_the_generator():
    generator = bound([GENERATOR], "grpcio-tools")
    assert bound(PROJECT["dependencies"], "grpcio") >= generator
    text = (ROOT / "arena/wire/v1/match_pb2.py").read_text()
    version = tuple(map(int, re.search(r"Protobuf Python Version: ([\d.]+)", text)[1].split(".")))
    assert bound(PROJECT["dependencies"], "protobuf") >= version
    assert (
        f"GRPC_GENERATED_VERSION = '{'.'.join(map(str, generator))}'"
        in (ROOT / "arena/wire/v1/rules_pb2_grpc.py").read_text()
    )


def test_generated_code_is_up_to_date(tmp_path):
    generate(ROOT / "proto", tmp_path)
    assert differences(tmp_path / "arena/wire/v1", ROOT / "arena/wire/v1") == []


@pytest.mark.parametrize("module", ["arena.sdk", "arena.sdk.search", "arena.rl", "arena.registry"])
def test_a_bot_imports_nothing_that_only_a_server_needs(module):
    script = f"import sys, {module}; print(*{{name.split('.')[0] for name in sys.modules}})"
    run = subprocess.run([sys.executable, "-P", "-c", script], check=True, capture_output=True, text=True)
    assert not {"sqlalchemy", "alembic", "docker", "jinja2", "click", "h2", "rustworkx"} & set(run.stdout.split())


def test_every_requirement_has_a_lower_bound():
    extras = PROJECT["optional-dependencies"].values()
    for text in [*PROJECT["dependencies"], *(each for extra in extras for each in extra)]:
        assert text.startswith("arena[") or re.search(r"[>=]=", text), text

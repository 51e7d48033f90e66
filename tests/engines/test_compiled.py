"""A compiled module is used only with the source that it was made of."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import engines
from arena.errors import RegistryError
from engines.compiling import DIGESTS, RULES, digest_of

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path):
    """The sources of the rules as they are, with a compiled module of no content beside one of them."""
    for module in RULES:
        path = tmp_path.joinpath(*module.split(".")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(engines.FOLDER.parent.joinpath(*module.split(".")).with_suffix(".py").read_bytes())
    (tmp_path / "engines" / "claim" / "rules.cpython-311.so").touch()
    return tmp_path / "engines"


def write_digests(folder):
    lines = [f"{digest_of(folder, module)}  {module}\n" for module in RULES]
    (folder / DIGESTS).write_text("".join(lines))


def test_rules_that_fit_their_sources_are_used(folder):
    write_digests(folder)
    assert engines.compiled(folder)


def test_a_changed_source_is_refused_by_name(folder):
    write_digests(folder)
    with (folder / "rrr" / "powers.py").open("a") as source:
        source.write("# changed\n")
    with pytest.raises(RegistryError, match=r"engines\.rrr\.powers is older than its source: run `make compile`"):
        engines.compiled(folder)


def test_a_change_of_the_shuffling_is_refused_too(folder):
    write_digests(folder)
    (folder.parent / "arena" / "rng.py").write_text("# changed\n")
    with pytest.raises(RegistryError, match=r"arena\.rng is older than its source"):
        engines.compiled(folder)


def test_compiled_modules_without_digests_are_refused(folder):
    with pytest.raises(RegistryError, match="older than its source"):
        engines.compiled(folder)


def test_sources_alone_are_interpreted(folder):
    (folder / "claim" / "rules.cpython-311.so").unlink()
    assert not engines.compiled(folder)


def test_stale_rules_stop_a_command_with_one_sentence(tmp_path):
    package = tmp_path / "engines"
    shutil.copytree(ROOT / "arena", tmp_path / "arena")  # its games are beside it
    (package / "claim").mkdir(parents=True)
    for name in ("__init__.py", "compiling.py"):
        (package / name).write_bytes((ROOT / "engines" / name).read_bytes())
    for module in RULES:
        path = tmp_path.joinpath(*module.split(".")).with_suffix(".py")
        path.parent.mkdir(exist_ok=True)
        path.touch()
    (package / "claim" / "rules.cpython-311.so").touch()
    environment = {"PYTHONPATH": f"{tmp_path}", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-m", "arena", "games"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "is older than its source" in done.stderr
    assert "Traceback" not in done.stderr


def test_stale_rules_can_be_removed(tmp_path):
    stale = tmp_path / "engines" / "claim" / "rules.cpython-311.so"
    stale.parent.mkdir(parents=True)
    stale.touch()
    (tmp_path / "engines" / DIGESTS).write_text("old  engines.claim.rules\n")
    compiler = ROOT / "engines" / "compiling.py"
    subprocess.run([sys.executable, compiler, "--remove", "--into", tmp_path], check=True)
    assert not list((tmp_path / "engines").rglob("*.so"))
    assert not (tmp_path / "engines" / DIGESTS).exists()

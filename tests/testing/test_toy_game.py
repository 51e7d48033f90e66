"""A fifth game is new files only: lay tests/toy_game over a copy of the project and use it everywhere."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.web.browser import Watched, launched

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="commands and a browser are processes")]

ROOT = Path(__file__).parents[2]
TOY = ROOT / "tests/toy_game"
COPIED = ("arena", "engines", "proto", "tests", "tools", "pyproject.toml")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project with the toy game's files added and its code generated."""
    target = tmp_path_factory.mktemp("project")
    ignore = shutil.ignore_patterns("__pycache__", "toy_game", "test_toy_game.py")
    for name in COPIED:
        source = ROOT / name
        shutil.copytree(source, target / name, ignore=ignore) if source.is_dir() else shutil.copy(source, target)
    before = {path.relative_to(target) for path in target.rglob("*")}
    added = {path.relative_to(TOY) for path in TOY.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert not before & added, "the toy game may not change a file of the project"
    shutil.copytree(TOY, target, dirs_exist_ok=True, ignore=ignore)
    run(target, "-m", "arena.wire.generate")
    run(target, "-m", "tools.golden", "nim")
    return target


def run(project, *args):
    # PYTHONPATH comes before the editable install of the real project.
    environment = {**os.environ, "PYTHONPATH": str(project), "PYTEST_ADDOPTS": "", "COLUMNS": "120"}
    done = subprocess.run(
        [sys.executable, *args],
        cwd=project,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_commands_know_it(project):
    assert "Whoever takes the last stick wins" in run(project, "-m", "arena", "rules", "nim")
    assert "Nim" in run(project, "-m", "arena", "games")


def test_it_keeps_the_style_of_engines(project):
    for check in (["check"], ["format", "--check"]):
        run(project, "-m", "ruff", *check, "engines/nim")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [([], "usage: python -m arena.testing GAME"), (["chess"], "Error: there is no game 'chess': choose")],
)
def test_the_kit_says_what_it_needs_in_one_sentence(words, complaint):
    done = subprocess.run(
        [sys.executable, "-m", "arena.testing", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith(complaint)
    assert done.stderr.count("\n") == 1


def test_it_plays_and_replays(project):
    run(project, "-m", "arena", "match", "--game", "nim", "--option", "sticks=7", "--seed", "1", "--out", "nim.arena")
    assert "ok (nim" in run(project, "-m", "arena", "replay", "verify", "nim.arena")
    assert '"take"' in run(project, "-m", "arena", "replay", "show", "--json", "nim.arena")


def test_it_can_be_watched_without_a_viewer_of_its_own(project):
    run(project, "-m", "arena", "match", "--game", "nim", "--option", "sticks=7", "--seed", "1", "--html", "nim.html")
    with launched() as browser:
        pages = Watched(browser)
        page = pages.open((project / "nim.html").as_uri())
        assert page.locator(".board text").all_text_contents() == ["| | | | | | | "]
        page.keyboard.press("End")
        assert page.locator(".board text").all_text_contents() == ["no sticks"]
        assert "took the last stick" in page.locator(".caption").inner_text()
        assert page.locator(".views").is_hidden(), "nothing is hidden in Nim, so there is nothing to switch"
        assert pages.errors == []


def test_a_person_plays_it(project):
    printed = run(project, "-m", "arena", "play", "nim", "--option", "sticks=7", "--seed", "1")
    assert "seat 0: you" in printed
    assert "a number plays that move" in printed
    assert "gave up" in printed, "nobody typed anything"


def test_the_shared_tests_cover_it(project):
    tests = ("tests/testing/test_conformance.py", "tests/testing/test_rule_cases.py", "tests/test_architecture.py")
    printed = run(project, "-m", "pytest", "-p", "no:cacheprovider", "-k", "nim", "-v", *tests)
    assert "test_contract[nim-observations_hide] PASSED" in printed
    assert "test_golden_record[nim-00] PASSED" in printed
    assert "test_rule_case[nim-cases 1] PASSED" in printed
    assert "engines/nim/codec.py" in printed


@pytest.mark.slow
def test_it_can_be_learned(project):
    tests = ("tests/rl/test_environment.py", "tests/rl/test_vectors.py")
    printed = run(project, "-m", "pytest", "-p", "no:cacheprovider", "-k", "nim", "-v", *tests)
    assert "test_pettingzoos_own_test_passes[nim-2] PASSED" in printed
    assert "test_a_vector_tells_no_more_than_the_observation[nim] PASSED" in printed

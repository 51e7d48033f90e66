"""The sample bot in Go that borrows the rules: built from Debian's packages, checked in the sandbox and as an image."""

import shutil
import subprocess
from pathlib import Path

import pytest

from arena import registry
from arena.bots.manifest import read_manifest
from arena.match import Ending
from arena.referee import record
from tests.kits.contestants import arena, need_bubblewrap, need_image
from tests.kits.needs import need

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a bot searches by the clock, in a sandbox")]

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "sample_bots/search_go"
BRIEF = "cpu:20ms/move+1s"  # processor time, because the machine may be busy


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A copy of the bot with the protos beside it, as a contestant has it, made by its own command."""
    for program in ("make", "go", "protoc", "protoc-gen-go"):
        need(None if shutil.which(program) else f"{program} is not installed")
    folder = tmp_path_factory.mktemp("go") / "search_go"
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("build", "proto"))
    shutil.copytree(ROOT / "proto", folder / "proto")
    done = subprocess.run(read_manifest(folder).build, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_it_passes_the_check(built, tmp_path):
    need_bubblewrap()
    evidence = ("--evidence", tmp_path / "failed.arena")
    checked = arena("bot", "check", built, "--game", "claim", "--positions", 10, "--clock", BRIEF, *evidence)
    assert checked.exit_code == 0, checked.output
    assert "✗" not in checked.output


def play(game, bots, file, clock, seed):
    """The record of a match that no bot was at fault in."""
    seated = [word for bot in bots for word in ("--bot", bot)]
    done = arena("match", "--game", game, *seated, "--clock", clock, "--seed", seed, "--out", file)
    assert done.exit_code == 0, done.output
    kept = record.read(file, registry.find)
    assert all(verdict.ending is Ending.NORMAL for verdict in kept.verdicts), done.output
    return kept


@pytest.mark.parametrize("game", registry.games())
def test_it_plays_every_game_to_the_end(built, game, tmp_path):
    need_bubblewrap()
    play(game, [built, "random"], tmp_path / "game.arena", BRIEF, seed=1)


def test_it_beats_random(built, tmp_path):
    """At 0.2 s per move it wins 39 of 40; with less time and on a busy machine still most."""
    need_bubblewrap()
    wins = 0
    for number in range(8):
        own = number % 2
        bots = [built, "random"] if own == 0 else ["random", built]
        kept = play("rrr", bots, tmp_path / f"{number}.arena", "cpu:50ms/move+1s", seed=number // 2)
        wins += kept.outcome.ranks[own] == 1
    assert wins >= 6


def test_it_plays_as_an_image(built, tmp_path):
    """The image starts the rules by its own entry point."""
    need_image()
    tag = "arena-test/search-go:1"
    try:
        made = arena("bot", "build", built, "--tag", tag)
        assert made.exit_code == 0, made.output
        play("claim", [tag, "random"], tmp_path / "game.arena", BRIEF, seed=1)
    finally:
        subprocess.run(["docker", "image", "rm", "--force", tag], capture_output=True, check=False)

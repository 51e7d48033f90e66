"""Bots on gRPC stacks that have nothing to do with ours play in the sandbox, checked as any bot is."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena.codec import MAX_MESSAGE, MAX_MOVES
from arena.contestant.scaffold import TEMPLATES, create
from arena.links import grpc, guard, http2
from arena.links.frames import MAX_HEADER_BYTES
from tests.kits.contestants import arena, need_bubblewrap
from tests.kits.needs import need

pytestmark = [pytest.mark.real(reason="bots of other stacks are processes"), pytest.mark.timeout(300)]

ROOT = Path(__file__).parents[2]
STACKS = Path(__file__).parent / "stacks"
QUICK = ("--game", "claim", "--clock", "10s/move", "--positions", 20)


@pytest.fixture
def folder(request, tmp_path):
    """A new bot of `arena bot new`, with the files of the stack in the place of its own."""
    need_bubblewrap()
    create(tmp_path / "mine", "claim", TEMPLATES["python"])
    shutil.copytree(STACKS / request.param, tmp_path / "mine", dirs_exist_ok=True)
    return tmp_path / "mine"


def run(folder, *command, path=""):
    """Run one step of making the bot."""
    environment = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}"}
    made = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr


def need_program(*names):
    for name in names:
        need(None if shutil.which(name) else f"{name} is not installed")


def plays(folder):
    """It passes every step of the check, more matches than it lets be open at once among them."""
    checked = arena("bot", "check", folder, *QUICK)
    assert checked.exit_code == 0, checked.output
    assert set(re.findall(r"^ ?\d+ (\S) ", checked.output, re.MULTILINE)) == {"✓"}, checked.output


def readme_commands(folder):
    """What the README of a new Python bot says about generated code, after the installation of a library."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    block = re.search(r"## With another gRPC library.*?```\n(.*?)```", text, re.DOTALL)
    install, *commands = block[1].splitlines()
    assert install.startswith("pip install --target vendor grpclib")  # it is there: the tests' environment has it
    return commands


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["grpclib"], indirect=True)
def test_grpclib_with_generated_code_beside_the_sdk(folder):
    need_program("protoc")
    for command in readme_commands(folder):
        run(folder, "sh", "-ec", command, path=str(Path(sys.executable).parent))
    plays(folder)
    (folder / "gen/arena/__init__.py").unlink()
    lost = subprocess.run([sys.executable, "bot.py"], cwd=folder, capture_output=True, text=True, check=False)
    assert "ImportError: cannot import name 'claim_grpc'" in lost.stderr  # as the README warns


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["connect_node"], indirect=True)
def test_connect_for_node(folder):
    need_program("protoc", "node", "npm")
    fetch = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"]
    fetched = subprocess.run(fetch, cwd=folder, capture_output=True, text=True, check=False)
    need(f"npm cannot fetch the libraries of a bot: {fetched.stderr}" if fetched.returncode else None)
    messages = ["arena/wire/v1/claim.proto", "grpc/health/v1/health.proto"]
    run(folder, "protoc", "-I", "proto", "--include_imports", "--descriptor_set_out=messages.binpb", *messages)
    plays(folder)


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["nghttp2"], indirect=True)
def test_nghttp2_in_c(folder):
    need_program("gcc")
    need(None if Path("/usr/include/nghttp2/nghttp2.h").exists() else "libnghttp2-dev is not installed")
    run(folder, "gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-o", "bot", "bot.c", "-lnghttp2")
    plays(folder)


LIMITS = {
    "a message": f"{MAX_MESSAGE >> 20} MiB either way",
    "moves in a reply": f"{MAX_MOVES} ",
    "headers, trailers": f"{MAX_HEADER_BYTES >> 10} KiB each",
    "a frame": f"{guard.MAX_FRAME_BYTES >> 10} KiB,",
    "small frames": f"{guard.BURST_FRAMES} at once and {guard.FRAMES_PER_SECOND} a second, "
    f"and {guard.FRAMES_PER_REQUEST} more with every request; a DATA frame of {guard.FULL_FRAME >> 10} KiB",
    "bytes": f"{guard.BURST_BYTES >> 20} MiB at once, and {guard.BYTES_PER_SECOND >> 20} MiB a second",
    "settings": f"{guard.MAX_SETTINGS} different",
    "replies that nobody asked for": f"{grpc.MAX_SURPLUS} in a match",
    "the referee's work on your frames": f"{guard.BURST_WORK:g} s of processor time at once, "
    f"and {1e3 * guard.WORK_PER_REQUEST:g} ms more",
}


@pytest.mark.parametrize(("what", "much"), LIMITS.items())
def test_the_limits_are_those_of_the_documentation(what, much):
    assert f"| {what} | {much}" in (ROOT / "docs/bots.md").read_text(encoding="utf-8")


def test_the_waits_are_those_of_the_documentation():
    text = (ROOT / "docs/bots.md").read_text(encoding="utf-8")
    assert f"it is reset after {grpc.CLOSE_WAIT:g} s" in text
    assert 2 * http2.IDLE_LOOK_S <= 0.5, "pings are answered within half a second"

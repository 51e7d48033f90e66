"""What a Python bot imports before it listens: modules are counted, since times depend on the machine."""

import os
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a bot is a process")]

PROGRAM = """
import sys
from arena.sdk import Bot, serve
import arena.sdk.server

make = arena.sdk.server.make_server

def tell(*given):
    make(*given)
    print(*sys.modules)
    sys.exit()

arena.sdk.server.make_server = tell
serve(Bot, game="claim")
"""
UNUSED = {"argparse", "importlib.metadata", "importlib.resources", "jinja2", "numpy", "rich", "sqlalchemy", "tempfile"}
MOST = 295
"""A tenth more modules than when this was written; two thirds are those of gRPC."""


def test_a_bot_for_one_game_imports_only_what_it_needs(tmp_path):
    environment = {"ARENA_SOCKET": str(tmp_path / "socket"), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-P", "-c", PROGRAM]
    run = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr
    loaded = set(run.stdout.split())
    assert not UNUSED & loaded
    assert {name.split(".")[1] for name in loaded if name.startswith("engines.")} == {"claim"}
    assert len(loaded) <= MOST


def test_a_referee_that_borrows_bots_imports_no_grpc():
    script = "import sys, arena.bots.in_process; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-P", "-c", script], check=True, capture_output=True, text=True)
    assert "grpc" not in run.stdout.split()

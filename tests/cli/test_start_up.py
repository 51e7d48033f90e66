"""What a command imports before it says anything: modules are counted, since times depend on the machine."""

import subprocess
import sys

import pytest

from arena.store.sql import Store

pytestmark = pytest.mark.slow

SANDBOXES = {"asyncio", "docker", "grpc", "grpc_health", "h2", "pyseccomp"}
STORE = {"alembic", "numpy", "sqlalchemy", "trueskill"}
PAGES = {"jinja2", "markdown_it"}
MESSAGES = {"google.protobuf", "arena.codec", "arena.wire"}
COMPILER = {"engines.compiling"}
POSTGRES = {"psycopg", "sqlalchemy.dialects.postgresql"}
NUMBERS = {"numpy", "trueskill"}
NOT_FOR_TABLES = (SANDBOXES - {"asyncio"}) | PAGES | MESSAGES | COMPILER | POSTGRES | {"alembic"}
"""SQLAlchemy itself imports asyncio."""

COMMANDS = {
    "--help": (SANDBOXES | STORE | PAGES | MESSAGES | {"engines", "rich"}, 135),
    "match --help": (SANDBOXES | STORE | PAGES | MESSAGES | {"engines", "rich"}, 150),
    "contest --help": (SANDBOXES | STORE | PAGES | MESSAGES | {"engines", "rich", "segno"}, 140),
    "games": (SANDBOXES | STORE | PAGES | MESSAGES | COMPILER, 310),
    "ratings --game claim": (NOT_FOR_TABLES, 585),
    "tournament list": (NOT_FOR_TABLES | NUMBERS, 450),
    "history somebody": (NOT_FOR_TABLES | NUMBERS | {"engines"}, 450),
    "status": (NOT_FOR_TABLES | NUMBERS | {"engines"}, 450),
    "bots list": (NOT_FOR_TABLES | NUMBERS | {"engines"}, 440),
}
"""What each may not import, and how many modules it may import in all: a tenth more than when this was written."""


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_imports_only_what_it_needs(tmp_path, words):
    store = Store(tmp_path / "arena.db")
    store.add_bot(name="somebody", version="1", owner="", digest="", origin="", games=["claim"])
    store.close()
    script = "import sys; from arena.cli import main\ntry: main(sys.argv[1:])\nfinally: print('modules:', *sys.modules)"
    command = [sys.executable, "-P", "-c", script, *words.split()]
    environment = {"ARENA_DB": str(tmp_path / "arena.db"), "PATH": "/usr/bin:/bin"}
    run = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr
    output, _, names = run.stdout.rpartition("modules:")
    assert output.strip()
    loaded, (forbidden, most) = set(names.split()), COMMANDS[words]
    assert not forbidden & loaded
    assert len(loaded) <= most

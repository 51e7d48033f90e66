"""Rewrites the golden records of every game (`make golden`)."""

import sys
from pathlib import Path

from arena.registry import games
from arena.testing import write_golden
from arena.testing.play import variants
from tests.kits.sealed_records import write_sealed

DATA = Path(__file__).parents[1] / "tests/data"

for name, game in games().items():
    if len(sys.argv) == 1 or name in sys.argv[1:]:
        write_golden(game, DATA / name / "golden", max(4, len(variants(game))))
        write_sealed(game)

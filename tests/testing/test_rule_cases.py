"""Every rule case and golden record of every registered game; a game without them fails."""

from pathlib import Path

import pytest

from arena.registry import find, games
from arena.testing import compare_golden, load_cases, run_case

DATA = Path(__file__).parents[1] / "data"

CASES = [(name, case) for name in games() for case in load_cases(DATA / name)]
GOLDEN = [(name, path) for name in games() for path in sorted((DATA / name / "golden").glob("*.jsonl"))]
FEWEST_CASES = 10


@pytest.mark.parametrize(("game", "case"), CASES, ids=lambda value: getattr(value, "name", value))
def test_rule_case(game, case):
    run_case(find(game), case)


@pytest.mark.parametrize(("game", "path"), GOLDEN, ids=lambda value: getattr(value, "stem", value))
def test_golden_record(game, path):
    compare_golden(find(game), path)


@pytest.mark.parametrize("game", games())
def test_every_game_brings_its_data(game):
    assert sum(name == game for name, _ in CASES) >= FEWEST_CASES
    assert any(name == game for name, _ in GOLDEN)

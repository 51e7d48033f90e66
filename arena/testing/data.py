"""The data that every game must bring: rule cases and golden records."""

from pathlib import Path

from arena.game import AnyGame
from arena.testing.cases import load_cases, run_case
from arena.testing.golden import compare_golden


def check_data(game: AnyGame, folder: Path) -> None:
    """Raise AssertionError unless the folder holds rule cases and golden records, and all of them hold true."""
    cases = load_cases(folder)
    assert cases, f"{game.info.name} has no rule cases: write {folder}/cases.toml"
    golden = sorted((folder / "golden").glob("*.jsonl"))
    assert golden, f"{game.info.name} has no golden records: run `make golden`"
    for case in cases:
        run_case(game, case)
    for path in golden:
        compare_golden(game, path)

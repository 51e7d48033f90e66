"""The conformance kit: what every game must keep, for our own games and for those of other authors.

from arena.testing import check_game
check_game(GAME)                    # raises AssertionError, naming the broken rule

from arena.testing import check_data
check_data(GAME, Path("tests/data/my_game"))   # rule cases and golden records
"""

from arena.testing.cases import Case, load_cases, run_case
from arena.testing.conformance import CHECKS, check_game
from arena.testing.data import check_data
from arena.testing.golden import compare_golden, write_golden

__all__ = ["CHECKS", "Case", "check_data", "check_game", "compare_golden", "load_cases", "run_case", "write_golden"]

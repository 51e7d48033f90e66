"""The table of `make bench`: which way is better, and whether the aim is met."""

import pytest

from bench.table import Row, cells, markdown
from bench.turns import in_turns, ratio


@pytest.mark.parametrize(
    ("row", "is_met"),
    [
        (Row("a rate above its aim", 300.0, 100.0, "moves/s", 3.0, 2.0), True),
        (Row("a rate below its aim", 100.0, 100.0, "moves/s", 1.0, 2.0), False),
        (Row("a ratio of times that is small enough", 0.5, 1.0, "ms", 0.5, 0.8), True),
        (Row("a ratio of times that is too large", 0.9, 1.0, "ms", 0.9, 0.8), False),
        (Row("a time, whatever the ratio", 0.2, 0.01, "s", 20.0, 0.25, "ours"), True),
        (Row("no aim", 0.2, None, "s", None, None), None),
    ],
)
def test_the_unit_says_which_way_is_better(row, is_met):
    assert row.is_met is is_met
    assert cells(row)[-1] == {True: "yes", False: "no", None: ""}[is_met]


def test_a_row_as_text():
    row = Row("claim beside hearts", 327_340.4, 217_505.0, "moves/s", 1.554, 8.0)
    assert cells(row) == ("claim beside hearts", "327,340", "217,505", "moves/s", "1.55 ×", "≥ 8 ×", "no")
    assert "| claim beside hearts | 327,340 | 217,505 | moves/s | 1.55 × | ≥ 8 × | no |" in markdown([row])


def test_everything_is_measured_in_turns_and_the_first_round_is_not_counted():
    asked = []

    def measure(name):
        asked.append(name)
        return float(len(asked))

    found = in_turns({"a": lambda: measure("a"), "b": lambda: measure("b")}, 2)
    assert asked == ["a", "b"] * 3
    assert found == {"a": [3.0, 5.0], "b": [4.0, 6.0]}
    assert ratio([1.0, 4.0, 9.0], [1.0, 2.0, 3.0]) == 2.0

"""The notebook in docs/ runs from top to bottom, and its cells show what the text promises."""

import ast
import json
from pathlib import Path

import pandas as pd
import pytest

from arena.notebook import Match

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="bots are processes")]

NOTEBOOK = json.loads((Path(__file__).parents[2] / "docs/notebook.ipynb").read_text())


def run(source, names):
    """Run a cell as a notebook does; the value of its last line if that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None


@pytest.mark.timeout(300)
def test_every_cell_runs():
    names = {"__name__": "__main__"}
    shown = [run("".join(cell["source"]), names) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
    match, winners, table, moves, _, searched = shown
    assert isinstance(match, Match)
    assert winners in (("thrifty",), ("greedy",))
    assert isinstance(table, pd.DataFrame)
    assert set(table.index) == {"thrifty", "greedy", "random"}
    assert len(moves) == 4
    assert searched.index[0] == "search 10 ms"


def test_it_is_kept_without_outputs():
    assert all(not cell.get("outputs") and not cell.get("execution_count") for cell in NOTEBOOK["cells"])
    assert NOTEBOOK["nbformat"] == 4

"""Cells of tables: they look as Rich's own texts do."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from arena.cli.output import cell, narrow_table
from arena.untrusted.text import printable

TEXTS = st.text(st.sampled_from("ab  -●é宽🙂\t\n[]"), max_size=12) | st.text(max_size=12)
COLUMNS = st.fixed_dictionaries(
    {"justify": st.sampled_from(["left", "right", "center", "full"]), "no_wrap": st.booleans()},
    optional={"overflow": st.sampled_from(["fold", "ellipsis", "crop"]), "width": st.integers(1, 9)},
)


def drawn(columns, rows, width, make):
    """The table as a terminal of this width shows it."""
    table = narrow_table()
    for number, options in enumerate(columns):
        table.add_column(f"column {number}", **options)
    for row in rows:
        table.add_row(*map(make, row))
    terminal = io.StringIO()
    Console(file=terminal, width=width, force_terminal=True).print(table)
    return terminal.getvalue()


@pytest.mark.slow
@given(st.lists(COLUMNS, min_size=3, max_size=3), st.lists(st.tuples(TEXTS, TEXTS, TEXTS)), st.integers(5, 60))
def test_a_cell_looks_as_a_text_of_rich_does(columns, rows, width):
    assert drawn(columns, rows, width, cell) == drawn(columns, rows, width, lambda text: Text(printable(text)))


def test_a_cell_can_be_styled():
    text = cell("bot")
    text.append(" (retired)", "dim")
    assert "\x1b[2m (retired)" in drawn([{"justify": "left"}], [[""]], 40, lambda _: text)

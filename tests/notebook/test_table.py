"""Tournaments in this process, and their table with and without pandas."""

import sys

import pandas as pd
import pytest

import arena
from arena.errors import UsageError
from arena.notebook import Rows
from arena.notebook.table import NOTE

pytestmark = pytest.mark.slow


def lowest(turn):
    return min(turn.legal)


@pytest.fixture
def without_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)


def test_the_table_is_a_data_frame():
    table = arena.tournament("claim", [lowest, "greedy", "random"], rounds=4, seed=1)
    assert isinstance(table, pd.DataFrame)
    assert sorted(table.index) == ["greedy", "lowest", "random"]
    assert list(table.games) == [16, 16, 16]  # 4 deals, both seats, two opponents
    assert (table.wins + table.draws + table.losses == table.games).all()
    assert table.rating.is_monotonic_decreasing
    assert table.index[0] == "greedy"
    assert table.attrs["sandbox"] == NOTE


def test_without_pandas_the_table_is_a_list_of_rows(without_pandas):
    table = arena.tournament("claim", [lowest, "first"], rounds=2, seed=1)
    assert isinstance(table, Rows)
    assert {row["bot"] for row in table} == {"lowest", "first"}
    assert [row["games"] for row in table] == [4, 4]
    assert NOTE in repr(table)
    assert repr(table).splitlines()[0].split()[:2] == ["bot", "rating"]
    assert "<td>lowest</td>" in table._repr_html_()


def test_the_same_seed_gives_the_same_table(without_pandas):
    first, second = (arena.tournament("rrr", [lowest, "first"], rounds=2, seed=9) for _ in range(2))
    assert first == second


def test_bots_of_the_same_name_are_told_apart(without_pandas):
    table = arena.tournament("claim", ["first", "first", lambda turn: turn.legal[-1]], rounds=1, seed=1)
    assert {row["bot"] for row in table} == {"first", "first-2", "function"}
    named = arena.tournament("claim", {"old <b>": "first", "new": lowest}, rounds=1, seed=1)
    assert {row["bot"] for row in named} == {"old <b>", "new"}
    assert "<b>" not in named._repr_html_()


def test_games_of_more_seats(without_pandas):
    field = ["first", "random", lowest, "greedy"]
    table = arena.tournament("kingdoms", field, rounds=1, seats=3, seed=2)
    assert [row["games"] for row in table] == [9] * 4  # in 3 of the 4 groups, in every seat


@pytest.mark.parametrize(
    ("field", "options", "complaint"),
    [
        (["first"], {}, "needs at least 2 bots"),
        (["first", "random"], {"seats": 3}, "played by 2 seats"),
        (["first", "random"], {"rounds": 0}, "one round or more"),
    ],
)
def test_what_cannot_be_played_is_said_in_a_sentence(field, options, complaint):
    with pytest.raises(UsageError, match=complaint):
        arena.tournament("claim", field, **options)


def test_no_two_bots_have_one_name():
    def named(name):
        def function(turn):
            return min(turn.legal)

        function.__name__ = name
        return function

    table = arena.tournament("claim", [named("f"), named("f"), named("f-2"), named("f")], rounds=1, seed=1)
    assert sorted(table.index) == ["f", "f-2", "f-2-2", "f-3"]
    assert set(table.games) == {6}
    given = arena.tournament("claim", {"a": named("b"), "b": named("a")}, rounds=1, seed=1)
    assert sorted(given.index) == ["a", "b"]

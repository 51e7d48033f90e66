"""What is said of a tournament on its way."""

import pytest

from arena.ratings import Result, collect
from arena.schedules.outlook import Outlook, outlook


def known(*rows):
    """Each row is who beat whom how often, from either seat."""
    seats = ((slice(None), (1, 2)), (slice(None, None, -1), (2, 1)))
    results = (Result(pair[order], ranks, count=count) for *pair, count in rows for order, ranks in seats)
    return outlook(collect(results, "abcd"), 0.95)


def test_settled_places_are_named_and_the_next_ones_counted():
    seen = known(("a", "b", 60), ("b", "a", 4), ("b", "c", 40), ("c", "b", 4), ("c", "d", 6), ("d", "c", 4))
    assert [row.bot for row in seen.rows] == ["a", "b", "c", "d"]
    assert seen.settled == 2
    assert seen.sentence().startswith("top 2 settled; about ")
    assert seen.sentence().endswith(" more games for 3rd and 4th")


def test_nothing_played_settles_nothing():
    assert known().sentence() == "no place settled; 1st and 2nd are too close to tell apart"


def test_everything_is_settled_in_the_end():
    assert known(("a", "b", 200), ("b", "c", 200), ("c", "d", 200)).sentence() == "all places settled"


@pytest.mark.parametrize(
    ("place", "name"), [(0, "1st and 2nd"), (2, "3rd and 4th"), (10, "11th and 12th"), (20, "21st and 22nd")]
)
def test_places_have_their_endings(place, name):
    assert name in Outlook((None,) * 30, place, 5.0).sentence()

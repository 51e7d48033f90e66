"""What is said of a tournament on its way."""

import pytest

from arena.ratings import Result, collect, fit
from arena.ratings.model import ENVIRONMENT, ROLE_SIGMA
from arena.schedules.outlook import Outlook, outlook


def known(*rows):
    """Each row is who beat whom how often, from either seat."""
    seats = ((slice(None), (1, 2)), (slice(None, None, -1), (2, 1)))
    results = (Result(pair[order], ranks, count=count) for *pair, count in rows for order, ranks in seats)
    return outlook(fit(collect(results, "abcd"), ENVIRONMENT, role_sigma=ROLE_SIGMA if rows else 0.0), 0.95)


def test_settled_places_are_named_and_the_next_ones_counted():
    seen = known(("a", "b", 60), ("b", "a", 4), ("b", "c", 40), ("c", "b", 4), ("c", "d", 6), ("d", "c", 4))
    assert seen.bots == 4
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
    assert name in Outlook(30, place, 5.0).sentence()


@pytest.mark.parametrize(("games", "words"), [(1.2, "one more game"), (37.4, "37 more"), (4094.0, "4,100 more games")])
def test_an_estimate_has_the_digits_that_are_known(games, words):
    assert f"about {words}" in Outlook(4, 0, games).sentence()

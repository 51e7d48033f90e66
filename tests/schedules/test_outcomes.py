"""What a tournament remembers of its matches, and rounds that are told without being listed."""

import tracemalloc
from collections import Counter
from random import Random

from arena.schedules.outcomes import FixtureResult, Outcomes
from arena.schedules.schedule import round_robin

FIRST, SECOND, TIE = (FixtureResult((0, 1), ranks) for ranks in ((1, 2), (2, 1), (1, 1)))


def test_matches_may_end_in_any_order_but_rounds_are_finished_whole():
    outcomes = Outcomes()
    outcomes.note(2, TIE)
    outcomes.note(0, FIRST)
    assert (len(outcomes), outcomes.played, outcomes.missing(0, 4)) == (0, 2, 2)
    assert not outcomes.finish(3)
    assert outcomes.counts == {}
    outcomes.note(1, FIRST)
    assert outcomes.finish(3)
    assert list(outcomes) == [FIRST, FIRST, TIE]
    assert outcomes.counts == {FIRST: 2, TIE: 1}
    assert (outcomes.get(2), outcomes.get(3), outcomes.get(99)) == (TIE, None, None)


def test_a_match_that_is_noted_again_is_counted_once():
    outcomes = Outcomes()
    outcomes.note(0, FIRST)
    outcomes.note(1, SECOND)
    outcomes.note(1, SECOND)
    assert outcomes.played == 2
    assert outcomes.finish(2)
    assert outcomes.counts == {FIRST: 1, SECOND: 1}
    assert list(outcomes.known()) == [(0, FIRST), (1, SECOND)]


def test_counts_are_those_of_a_list():
    rng = Random(1)
    ended = [rng.choice((FIRST, SECOND, TIE)) for _ in range(1000)]
    outcomes = Outcomes()
    for place, outcome in enumerate(ended):
        outcomes.note(place, outcome)
    assert outcomes.finish(1000)
    assert list(outcomes) == ended
    assert outcomes.counts == Counter(ended)


def test_a_hundred_thousand_matches_are_remembered_in_less_than_a_megabyte():
    tracemalloc.start()
    outcomes = Outcomes()
    for place in range(100_000):
        outcomes.note(place, (FIRST, SECOND, TIE)[place % 3])
    assert outcomes.finish(100_000)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size < 2**20


def test_the_seating_at_a_place_is_that_of_its_fixture():
    for bots, seats in ((5, 2), (5, 3), (6, 4)):
        rounds = round_robin(bots, seats, 3).rounds(Outcomes())
        fixtures = [fixture for each in rounds for fixture in each]
        assert [rounds.seating(place) for place in range(len(fixtures))] == [each.seating for each in fixtures]


def test_the_rounds_of_ten_million_matches_are_not_listed():
    tracemalloc.start()
    schedule = round_robin(10, 2, 112_000)
    rounds = schedule.rounds(Outcomes())
    assert len(rounds) * rounds.size == schedule.total() > 10_000_000
    last = list(rounds.meeting(44, 111_999))
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [fixture.deal for fixture in last] == [111_999, 111_999]
    assert rounds[111_999][-2:] == last
    assert size < 2**20

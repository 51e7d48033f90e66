"""Schedules: nobody is favoured, everything is played, and results decide only what they should."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.schedule import Finished, Swiss, balanced_groups, gauntlet, rotations, round_robin


def everything(schedule, decide=lambda fixture: (1, 2)):
    finished = []
    while rounds := schedule.rounds(finished):
        finished += [Finished(fixture, decide(fixture)) for each in rounds for fixture in each]
    return finished


@given(st.integers(2, 8), st.integers(1, 4))
def test_round_robin_lets_every_pair_meet_in_both_seatings(bots, rounds):
    played = [each.fixture for each in everything(round_robin(bots, 2, rounds))]
    assert len(played) == round_robin(bots, 2, rounds).total() == bots * (bots - 1) * rounds
    for one, two in combinations(range(bots), 2):
        for deal in range(rounds):
            meetings = [fixture.seating for fixture in played if fixture.deal == deal and fixture.group == (one, two)]
            assert sorted(meetings) == [(one, two), (two, one)]


@pytest.mark.parametrize(("bots", "seats"), [(3, 3), (4, 3), (5, 4), (9, 3), (12, 4)])
def test_every_bot_sits_in_every_seat_equally_often(bots, seats):
    played = [each.fixture for each in everything(round_robin(bots, seats, 2))]
    places = Counter((bot, seat) for fixture in played for seat, bot in enumerate(fixture.seating))
    assert len(set(places.values())) == 1
    assert len(places) == bots * seats


@given(st.integers(9, 16), st.sampled_from((3, 4)), st.integers(0, 99))
def test_balanced_groups_are_balanced_and_different(bots, seats, seed):
    groups = balanced_groups(bots, seats, 60, seed)
    meetings = Counter(pair for group in groups for pair in combinations(group, 2))
    counts = [meetings[pair] for pair in combinations(range(bots), 2)]
    assert all(len(set(group)) == seats for group in groups)
    assert len({sum(bot in group for group in groups) for bot in range(bots)}) == 1
    assert max(counts) - min(counts) <= 4
    assert len(set(groups)) == len(groups)


def test_gauntlet_has_the_champion_in_every_match():
    played = [each.fixture for each in everything(gauntlet(5, 2, 3, champion=2))]
    assert len(played) == 4 * 2 * 3
    assert all(2 in fixture.seating for fixture in played)


def test_rotations_share_the_deal():
    assert [each.seating for each in rotations((3, 1, 4), 7)] == [(3, 1, 4), (1, 4, 3), (4, 3, 1)]
    assert {each.deal for each in rotations((3, 1, 4), 7)} == {7}


@given(st.integers(4, 11), st.integers(1, 4), st.integers(0, 99))
def test_swiss_pairs_everybody_once_a_round(bots, rounds, seed):
    stronger = lambda fixture: (1, 2) if fixture.seating[0] < fixture.seating[1] else (2, 1)  # noqa: E731
    finished = everything(Swiss(bots, rounds, seed), stronger)
    for deal in range(rounds):
        playing = Counter(bot for each in finished if each.fixture.deal == deal for bot in each.fixture.seating)
        assert len(playing) == bots - bots % 2
        assert set(playing.values()) == {2}
    assert len(finished) == Swiss(bots, rounds, seed).total()


def test_swiss_avoids_a_second_meeting():
    finished = everything(Swiss(8, 4, 1), lambda fixture: (1, 2) if fixture.seating[0] < fixture.seating[1] else (2, 1))
    assert max(Counter((each.fixture.group) for each in finished).values()) == 2


def test_swiss_rests_nobody_twice():
    finished = everything(Swiss(5, 5, 3))
    matches = Counter(bot for each in finished for bot in each.fixture.seating)
    assert set(matches.values()) == {8}


def test_too_few_bots_are_refused():
    with pytest.raises(UsageError, match="at least 4 bots"):
        round_robin(3, 4, 1)

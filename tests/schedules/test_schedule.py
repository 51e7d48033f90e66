"""Schedules: nobody is favoured, everything is played, and results decide only what they should."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from itertools import combinations
from math import comb
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.schedules.all_pairs import AllPairs
from arena.schedules.outcomes import FixtureResult, Outcomes
from arena.schedules.pairing import WIDTH, Standing, pair_off
from arena.schedules.schedule import Swiss, balanced_groups, gauntlet, interleaved, rotations, round_robin

pytestmark = pytest.mark.slow


def everything(schedule, decide=lambda fixture: (1, 2)):
    """All fixtures of a schedule."""
    fixtures, finished = [], Outcomes()
    while rounds := schedule.rounds(finished):
        fixtures += play([fixture for each in rounds for fixture in each], finished, decide)
    return fixtures


def play(fixtures, finished, decide):
    for place, fixture in enumerate(fixtures, len(finished)):
        finished.note(place, FixtureResult(fixture.seating, decide(fixture)))
    assert finished.finish(finished.end)
    return fixtures


@given(st.integers(2, 8), st.integers(1, 4))
def test_round_robin_lets_every_pair_meet_in_both_seatings(bots, rounds):
    played = everything(round_robin(bots, 2, rounds))
    assert len(played) == round_robin(bots, 2, rounds).total() == bots * (bots - 1) * rounds
    for one, two in combinations(range(bots), 2):
        for deal in range(rounds):
            meetings = [fixture.seating for fixture in played if fixture.deal == deal and fixture.group == (one, two)]
            assert sorted(meetings) == [(one, two), (two, one)]


@pytest.mark.parametrize("bots", [*range(2, 40), 63, 64, 65, 100, 131])
def test_all_pairs_stand_in_the_order_in_which_layers_are_filled(bots):
    pairs = AllPairs(bots)
    assert list(pairs) == pairs[:] == interleaved(list(combinations(range(bots), 2)))
    with pytest.raises(IndexError):
        pairs[len(pairs)]


@given(st.integers(2, 10**6), st.data())
def test_pairs_of_any_field_are_worked_out_from_their_numbers(bots, data):
    pairs = AllPairs(bots)
    numbers = data.draw(st.lists(st.integers(0, len(pairs) - 1), min_size=2, max_size=20).map(sorted))
    found = [pairs[number] for number in numbers]
    assert all(0 <= one < two < bots for one, two in found)
    assert [(one ^ two, one) for one, two in found] == sorted((one ^ two, one) for one, two in found)
    assert len(set(found)) == len(set(numbers))


@pytest.mark.parametrize(("bots", "seats"), [(3, 3), (4, 3), (5, 4), (9, 3), (12, 4)])
def test_every_bot_sits_in_every_seat_equally_often(bots, seats):
    played = everything(round_robin(bots, seats, 2))
    places = Counter((bot, seat) for fixture in played for seat, bot in enumerate(fixture.seating))
    assert len(set(places.values())) == 1
    assert len(places) == bots * seats


@given(st.integers(9, 16), st.sampled_from((3, 4)), st.integers(0, 99))
@example(11, 3, 2)  # where some run out of others before all have played equally often
def test_balanced_groups_are_balanced_and_different(bots, seats, seed):
    groups = balanced_groups(bots, seats, 60, seed)
    meetings = Counter(pair for group in groups for pair in combinations(group, 2))
    counts = [meetings[pair] for pair in combinations(range(bots), 2)]
    assert all(len(set(group)) == seats for group in groups)
    assert len({sum(bot in group for group in groups) for bot in range(bots)}) == 1
    assert max(counts) - min(counts) <= 4
    assert len(set(groups)) == len(groups)


def test_gauntlet_has_the_champion_in_every_match():
    played = everything(gauntlet(5, 2, 3, champion=2))
    assert len(played) == 4 * 2 * 3
    assert all(2 in fixture.seating for fixture in played)


def passes(groups):
    """The order by definition: again and again all those that fit beside each other."""
    order = []
    while groups:
        busy, later = set(), []
        for group in groups:
            if busy.isdisjoint(group):
                busy.update(group)
                order.append(group)
            else:
                later.append(group)
        groups = later
    return order


@given(st.integers(2, 9), st.integers(2, 4), st.integers(0, 99))
def test_groups_are_interleaved_pass_by_pass(bots, seats, seed):
    groups = list(combinations(range(bots), seats))
    Random(seed).shuffle(groups)
    assert interleaved(groups) == passes(groups)


def test_a_gauntlet_against_many_groups_is_laid_out_at_once():
    """All groups share the champion, so that each pass over them would take one of them."""
    assert gauntlet(59, 4, 1).total() == 4 * len(list(combinations(range(58), 3)))


def test_a_schedule_that_nobody_can_lay_out_is_refused_at_once():
    """A stranger's file of a few kilobytes can ask for it."""
    assert gauntlet(120, 4, 1).total() == 4 * comb(119, 3)
    with pytest.raises(UsageError, match="a gauntlet of 2000 bots for 4 seats has too many groups"):
        gauntlet(2000, 4, 1)
    with pytest.raises(UsageError, match="a round robin for 3 seats takes at most 3,000 bots"):
        round_robin(3001, 3, 1)


def test_rotations_share_the_deal():
    assert [each.seating for each in rotations((3, 1, 4), 7)] == [(3, 1, 4), (1, 4, 3), (4, 3, 1)]
    assert {each.deal for each in rotations((3, 1, 4), 7)} == {7}


@given(st.integers(4, 11), st.integers(1, 4), st.integers(0, 99))
def test_swiss_pairs_everybody_once_a_round(bots, rounds, seed):
    stronger = lambda fixture: (1, 2) if fixture.seating[0] < fixture.seating[1] else (2, 1)  # noqa: E731
    finished = everything(Swiss(bots, rounds, seed), stronger)
    for deal in range(rounds):
        playing = Counter(bot for each in finished if each.deal == deal for bot in each.seating)
        assert len(playing) == bots - bots % 2
        assert set(playing.values()) == {2}
    assert len(finished) == Swiss(bots, rounds, seed).total()


def meetings(played):
    """How often each pair of bots has met."""
    return Counter({group: times // 2 for group, times in Counter(each.group for each in played).items()})


def by_lot(seed):
    """Decides every match by lot: now and then nobody wins."""
    rng = Random(seed)
    return lambda fixture: rng.choice(((1, 2), (2, 1), (1, 1)))


@given(st.integers(2, 40), st.integers(0, 99))
def test_swiss_lets_nobody_meet_again_before_half_the_field_was_met_and_rests_everybody_equally_often(bots, seed):
    schedule, decide, finished, played = Swiss(bots, 0, seed), by_lot(seed), Outcomes(), []
    resting = Counter(range(bots))
    for number in range(bots + 2):
        fixtures = play(schedule.rounds(finished)[0], finished, decide)
        played += fixtures
        playing = Counter(bot for fixture in fixtures for bot in fixture.seating)
        assert set(playing.values()) == {2}
        assert len(playing) == bots - bots % 2
        resting.update(set(range(bots)) - playing.keys())
        assert max(resting.values()) - min(resting.values()) <= 1
        if number <= (bots - 3) / 2:  # so far everybody has enough new opponents left (Dirac's theorem)
            assert max(meetings(played).values()) == 1
    assert max(meetings(played).values()) <= 4


def all_pairings(field):
    """Every way to pair a field, with None for nobody."""
    if not field:
        yield []
        return
    one, *others = field
    for two in others:
        for rest in all_pairings([bot for bot in others if bot != two]):
            yield [(one, two), *rest]


def quality(standing, pairs):
    """What a pairing is judged by, the most important first; less is better."""
    resting = [bot for pair in pairs if None in pair for bot in pair if bot is not None]
    real = [tuple(sorted(pair)) for pair in pairs if None not in pair]
    fewest = min((bot for bot in standing.order), key=lambda bot: standing.rested[bot])
    candidates = [bot for bot in standing.order if standing.rested[bot] == standing.rested[fewest]]
    return (
        [bot not in candidates for bot in resting],
        max(standing.met[pair] for pair in real),
        sum(standing.met[pair] for pair in real),
        [candidates[::-1].index(bot) for bot in resting if bot in candidates],
        sum((standing.scores[one] - standing.scores[two]) ** 2 for one, two in real),
    )


@given(st.integers(3, 8), st.data())
def test_no_other_pairing_is_better(bots, data):
    order = data.draw(st.permutations(range(bots)))
    scores = dict(zip(order, sorted(data.draw(st.lists(st.integers(0, 6), min_size=bots, max_size=bots)))[::-1]))
    met = Counter({pair: data.draw(st.integers(0, 2)) for pair in combinations(range(bots), 2)})
    rested = Counter({bot: data.draw(st.integers(0, 1)) for bot in range(bots) if bots % 2})
    standing = Standing(order, scores, met, rested)
    pairs = pair_off(standing, Random(0))
    missing = set(range(bots)) - {bot for pair in pairs for bot in pair}
    chosen = [*pairs, *((bot, None) for bot in missing)]
    field = [*range(bots), *([None] if bots % 2 else [])]
    assert quality(standing, chosen) == min(quality(standing, other) for other in all_pairings(field))


def test_in_a_large_field_too_equal_scores_meet():
    bots = 4 * WIDTH
    schedule, decide = Swiss(bots, 3, 1), lambda fixture: (1, 2) if fixture.seating[0] < fixture.seating[1] else (2, 1)
    finished = Outcomes()
    winners = {min(fixture.seating) for fixture in play(schedule.rounds(finished)[0], finished, decide)}
    assert all(len(winners & set(fixture.seating)) in (0, 2) for fixture in schedule.rounds(finished)[0])


def test_a_bot_far_down_is_found_when_all_near_ones_were_met():
    bots = 4 * WIDTH
    halves = [range(0, bots, 2), range(1, bots, 2)]
    met = Counter(pair for half in halves for pair in combinations(half, 2))
    far = [*halves[0], *halves[1]]  # who has not been met is half a field away
    pairs = pair_off(Standing(far, {bot: -place for place, bot in enumerate(far)}, met, Counter()), Random(0))
    assert len(pairs) == bots // 2
    assert not any(met[pair] for pair in pairs)


PAIRINGS = """
from random import Random
from arena.schedules.outcomes import FixtureResult, Outcomes
from arena.schedules.schedule import Swiss
for bots in (7, 40, 101):
    rng, finished = Random(bots), Outcomes()
    while rounds := Swiss(bots, 12, 3).rounds(finished):
        for place, fixture in enumerate(rounds[0], len(finished)):
            finished.note(place, FixtureResult(fixture.seating, (1, 2) if rng.random() < 0.5 else (2, 1)))
        finished.finish(finished.end)
    print([outcome.seating for outcome in finished])
"""


@pytest.mark.parametrize("seed", ["0", "12345"])
def test_the_same_results_give_the_same_pairings_for_ever(seed):
    """A stopped tournament works out its pairings again: whatever changes them has to raise SWISS_VERSION."""
    done = subprocess.run(
        [sys.executable, "-c", PAIRINGS], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
    )
    assert hashlib.sha256(done.stdout).hexdigest() == "039d04d8b0109ffe3662622177e93f93b7814e5e8891ba1cfc105e4044bdb238"


@pytest.mark.slow
@pytest.mark.parametrize(("bots", "rounds"), [(40, 60), (41, 60), (1000, 2)])
def test_swiss_pairs_large_fields_and_late_rounds(bots, rounds):
    """The search for pairs that this had before would not have ended in the lifetime of a person."""
    played = everything(Swiss(bots, rounds, 1), by_lot(1))
    assert len(played) == Swiss(bots, rounds, 1).total()
    assert max(meetings(played).values()) <= rounds // (bots - 1) + 2


def test_swiss_avoids_a_second_meeting():
    finished = everything(Swiss(8, 4, 1), lambda fixture: (1, 2) if fixture.seating[0] < fixture.seating[1] else (2, 1))
    assert max(Counter(each.group for each in finished).values()) == 2


@pytest.mark.parametrize("rounds", [5, 10])
def test_swiss_rests_everybody_equally_often(rounds):
    finished = everything(Swiss(5, rounds, 3))
    matches = Counter(bot for each in finished for bot in each.seating)
    assert set(matches.values()) == {rounds // 5 * 8}


def test_too_few_bots_are_refused():
    with pytest.raises(UsageError, match="at least 4 bots"):
        round_robin(3, 4, 1)

"""The search of the SDK, with a clock that ticks once per iteration, so that every run is the same."""

import math
from itertools import count

import pytest

from arena.clock import UNTIMED_WAIT
from arena.match import Outcome, Turn
from arena.registry import find, games
from arena.rng import choice, stream
from arena.sdk.search import Search, budget, rewards

pytestmark = pytest.mark.slow


def searcher(game, seed=1, **options):
    ticks = count()
    return Search(game, seed=seed, now=lambda: next(ticks), **options)


def play(game, seats, me, seed, iterations):
    """The reward of a searching seat against random ones."""
    state, search, rng = game.start(game.configure(seats, {}), seed), searcher(game, seed), stream(seed, "opponent")
    while (seat := state.to_move()) is not None:
        state.apply(search.think(state.view(seat), iterations) if seat == me else choice(rng, state.legal()))
    return rewards(state.outcome())[me]


def test_it_beats_random_play():
    game = find("claim")
    assert sum(play(game, 2, seed % 2, seed, iterations=60) for seed in range(6)) >= 5


def test_it_plays_with_four_seats():
    game = find("kingdoms")
    assert sum(play(game, 4, seed % 4, seed, iterations=20) for seed in range(4)) >= 2.5


@pytest.mark.parametrize("name", games())
def test_it_answers_with_a_legal_move_everywhere(name):
    game, rng = find(name), stream(3, name)
    state, search = game.start(game.configure(game.info.min_seats, {}), 3), searcher(game)
    for _ in range(12):
        seat = state.to_move()
        assert search.think(state.view(seat), 3) in state.legal()
        state.apply(choice(rng, state.legal()))


def test_it_does_not_think_when_there_is_no_choice():
    game = find("claim")
    state = game.codec.state_from_json({"phase": 2, "leader": 0, "lead": 15, "seats": [{}, {"hand": [12]}]})
    search = searcher(game)
    assert search.think(state.view(1), 1000) == 12
    assert search.iterations == 1


def test_an_evaluation_cuts_play_outs_short():
    game, seen = find("claim"), []

    def evaluate(state):
        seen.append(len(state.tricks))
        return (0.5, 0.5)

    state = game.start(game.configure(2, {}), 1)
    searcher(game, evaluate=evaluate, depth=4).think(state.view(0), 50)
    assert seen
    assert max(seen) <= 4


def test_moves_that_look_bad_need_not_be_tried():
    game, tried = find("claim"), set()

    def evaluate(state):
        tried.add(state.lead)
        return (0.5, 0.5)

    state = game.start(game.configure(2, {}), 1)
    good = state.legal()[3]
    search = searcher(game, weigh=lambda state: [float(move == good) for move in state.legal()], evaluate=evaluate)
    assert search.think(state.view(0), 1) == good
    assert tried == {good}


@pytest.mark.parametrize(("trust", "is_overruled"), [(1, True), (1000, False)])
def test_a_look_that_is_trusted_takes_many_tries_to_overrule(trust, is_overruled):
    game = find("claim")
    state = game.start(game.configure(2, {}), 1)
    good = state.legal()[3]

    def weigh(each):
        return [0.5 + 0.1 * (move == good) for move in each.legal()]

    def evaluate(each):
        return (0.0, 1.0) if each.lead == good else (0.5, 0.5)

    search = searcher(game, weigh=weigh, evaluate=evaluate, trust=trust, exploration=0.0)
    assert (search.think(state.view(0), 200) != good) == is_overruled


def test_the_budget_leaves_time_for_the_way_back():
    assert 0.15 < budget(Turn(1, None, None, available=0.2, bank=0.0), 1) < 0.2


def test_the_bank_is_shared_among_the_decisions_to_come():
    turn = Turn(1, None, None, available=11.0, bank=10.0)
    assert 1.2 < budget(turn, decisions_left=20) < 1.5
    assert 1.5 < budget(turn, decisions_left=5) < 3.0
    assert budget(turn, decisions_left=1) < 5.0


def test_without_a_clock_a_decision_still_comes_soon():
    assert budget(Turn(1, None, None, available=UNTIMED_WAIT, bank=0.0), 1) < 5


def test_more_of_the_bank_is_spent_when_the_end_is_near():
    game, rng = find("claim"), stream(1, "bank")
    state, search = game.start(game.configure(2, {}), 1), searcher(game)
    shares = []
    while len(state.tricks) < 22:
        if state.lead is None:
            shares.append(search.seconds(Turn(1, state.view(state.to_move()), None, available=10.0, bank=10.0)))
        state.apply(choice(rng, state.legal()))
    assert 0.2 < shares[0] < 1.0
    assert shares[-1] > 2 * shares[0]


def test_a_narrow_search_tries_what_its_play_outs_would_do():
    game, tried = find("claim"), set()

    def playout(state, rng):
        return state.legal()[0]

    state = game.start(game.configure(2, {}), 1)
    for width in (1.0, math.inf):
        root = searcher(game, playout=playout, width=width).grow(state.view(0), 16)
        tried.add(len(root.children))
        assert state.legal()[0] in root.children
    assert min(tried) <= 5
    assert max(tried) == len(state.legal())


def test_a_position_that_cannot_be_judged_is_played_on():
    game, asked = find("claim"), []

    def evaluate(state):
        asked.append(state.phase)
        return (1.0, 0.0) if state.phase == 2 else None

    state = game.start(game.configure(2, {}), 1)
    root = searcher(game, evaluate=evaluate).grow(state.view(0), 10)
    assert {1, 2} == set(asked)
    assert root.reward == root.visits


def test_rewards_are_the_share_of_opponents_beaten():
    assert rewards(Outcome((1, 2), (0.0, 0.0), "")) == [1.0, 0.0]
    assert rewards(Outcome((1, 1), (0.0, 0.0), "")) == [0.5, 0.5]
    assert rewards(Outcome((1, 1, 3, 4), (0.0,) * 4, "")) == pytest.approx([5 / 6, 5 / 6, 1 / 3, 0.0])

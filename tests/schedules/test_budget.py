"""A budget: measured time decides how many rounds are begun, and a stop leaves everybody with as many games."""

from collections import Counter
from dataclasses import replace

import pytest

from arena.schedules.budget import Budget
from tests.kits.tournaments import BASE, World


class FakeTime:
    """A clock that a test moves."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    def pass_by(self, seconds):
        self.now += seconds


def measured(time, seconds, *, matches=10, each=1.0, wall=1.0):
    """A budget after so many matches of `each` seconds, one every `wall` seconds."""
    budget = Budget(seconds, now=time)
    for _ in range(matches):
        time.pass_by(wall)
        budget.note(each)
    return budget


def test_without_a_limit_everything_fits():
    budget = Budget(now=FakeTime())
    assert budget.has_time_for_match()
    assert budget.matches_that_fit() is None
    assert budget.rounds_to_start(1000, before=0) == 2
    budget.note(0.1)
    assert budget.rounds_to_start(1000, before=2) == 8
    assert not budget.spent


def test_the_first_round_is_begun_to_measure_it_and_later_ones_only_if_they_fit():
    time = FakeTime()
    assert Budget(60.0, now=time).rounds_to_start(1000, before=0) == 1
    budget = measured(time, 60.0)
    assert budget.matches_that_fit() == 50
    assert budget.rounds_to_start(40, before=5) == 1
    assert not budget.spent
    assert budget.rounds_to_start(40, before=5, waiting=6) == 0
    assert budget.rounds_to_start(48, before=5) == 0
    assert budget.spent


def test_an_estimate_stands_in_until_something_is_measured():
    budget = Budget(60.0, estimate=10.0, now=FakeTime())
    assert budget.rounds_to_start(5, before=1) == 1
    assert budget.rounds_to_start(6, before=1) == 0


def test_no_match_is_begun_that_may_be_cut_off():
    time = FakeTime()
    budget = Budget(60.0, now=time)
    budget.note(20.0)
    time.pass_by(39.0)
    assert budget.has_time_for_match()
    time.pass_by(2.0)
    assert not budget.has_time_for_match()
    assert budget.spent


@pytest.mark.parametrize(
    ("each", "before", "rounds"),
    [(10.0, 50, 1), (1.0, 50, 5), (0.001, 50, 8), (0.001, 3, 3), (0.001, 0, 1)],
    ids=["slow matches", "five seconds of warmth", "never more than eight", "not more than before", "first"],
)
def test_quick_matches_are_played_in_longer_runs(each, before, rounds):
    budget = measured(FakeTime(), 1e9, each=each, wall=each)
    assert budget.rounds_to_start(10, before=before) == rounds


def games(seen):
    return Counter(seat.bot_id for entry in seen for seat in entry.seats)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "matches"), [("round-robin", 12), ("gauntlet", 12), ("swiss", 14)])
def test_a_budget_without_rounds_closes_the_tournament_between_two_rounds(tmp_path, kind, matches):
    world, time = World(tmp_path / "db", replace(BASE, rounds=0, format=kind)), FakeTime()
    budget = Budget(155.0, now=time)
    tournament, _, seen = world.run(budget=budget, tick=lambda: time.pass_by(10.0))
    assert budget.spent
    assert time.now <= 155.0
    assert len(seen) == matches
    entry = world.store.tournament(tournament.id)
    assert (entry.state, bool(entry.checksum)) == ("closed", True)
    if kind == "round-robin":
        assert set(games(seen).values()) == {8}


@pytest.mark.slow
def test_a_budget_does_not_change_what_is_played(tmp_path):
    settings = replace(BASE, rounds=5)
    plain = World(tmp_path / "plain", settings)
    expected = plain.table(plain.run()[0])
    world, complete, runs = World(tmp_path / "db", settings), False, 0
    while not complete:
        time = FakeTime()
        tournament, complete, _ = world.run(budget=Budget(100.0, now=time), tick=lambda time=time: time.pass_by(10.0))
        runs += 1
    assert runs > 1
    assert world.table(tournament) == expected


@pytest.mark.slow
def test_a_round_that_is_longer_than_the_budget_is_stopped_in_time_and_finished_later(tmp_path):
    world = World(tmp_path / "db", replace(BASE, rounds=0))
    time = FakeTime()
    _, complete, seen = world.run(budget=Budget(35.0, now=time), tick=lambda: time.pass_by(10.0))
    assert not complete
    assert len(seen) == 4
    time.now = 0.0
    _, _, more = world.run(budget=Budget(35.0, now=time), tick=lambda: time.pass_by(10.0))
    assert set(games(seen + more[:2]).values()) == {4}

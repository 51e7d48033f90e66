"""Time controls and clocks, without any real time."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.clock import Clock, Meter, TimeControl
from arena.errors import UsageError


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("1s/move", TimeControl(1.0, 0.0, 0.0)),
        ("200ms/move", TimeControl(0.2, 0.0, 0.0)),
        ("1s/move+10s", TimeControl(1.0, 10.0, 0.0)),
        ("30s+0.5s", TimeControl(0.0, 30.0, 0.5)),
        ("2m + 1s", TimeControl(0.0, 120.0, 1.0)),
        ("cpu:1s/move", TimeControl(1.0, 0.0, 0.0, meter=Meter.CPU)),
        ("none", TimeControl(0.0, 0.0, 0.0, meter=Meter.NONE)),
    ],
)
def test_parse(text, control):
    assert TimeControl.parse(text) == control
    assert TimeControl.parse(str(control)) == control


@pytest.mark.parametrize("text", ["200ms/move+5s", "1.5s/move", "cpu:50ms/move+30s", "30s+0.5s", "none"])
def test_a_clock_is_spelled_as_people_write_it(text):
    assert str(TimeControl.parse(text)) == text


@pytest.mark.parametrize("text", ["", "1", "1s/turn", "-1s/move", "1s+", "1h", "1s/move+1s+1s", "1e3s"])
def test_nonsense_is_refused(text):
    with pytest.raises(UsageError, match="1s/move"):
        TimeControl.parse(text)


def test_time_within_the_limit_costs_nothing():
    clock = Clock(TimeControl(1.0, 10.0, 0.0, allowance=0.05))
    assert clock.charge(1.05)
    assert clock.bank == 10.0


def test_time_beyond_the_limit_comes_out_of_the_bank():
    clock = Clock(TimeControl(1.0, 10.0, 0.0, allowance=0.05))
    assert clock.charge(4.05)
    assert clock.bank == pytest.approx(7.0)
    assert clock.available() == pytest.approx(8.0)


def test_an_empty_bank_is_a_loss():
    clock = Clock(TimeControl(1.0, 2.0, 0.0, allowance=0.0))
    assert not clock.charge(3.01)


def test_the_increment_comes_after_the_move():
    clock = Clock(TimeControl(0.0, 1.0, 0.5, allowance=0.0))
    assert not Clock(TimeControl(0.0, 1.0, 0.5, allowance=0.0)).charge(1.2)
    assert clock.charge(0.8)
    assert clock.bank == pytest.approx(0.7)


def test_processor_time_is_charged_instead_of_the_wall():
    clock = Clock(TimeControl.parse("cpu:1s/move+2s"))
    assert clock.charge(8.0, cpu=1.5)
    assert clock.bank == pytest.approx(1.5)
    assert clock.deadline() > 3 * clock.available()
    assert not clock.charge(0.1, cpu=3.0)


def test_without_a_clock_nothing_is_charged():
    clock = Clock(TimeControl.parse("none"))
    assert clock.charge(9999.0, cpu=9999.0)
    assert clock.deadline() > 3600


def test_a_lag_excuses_what_it_explains():
    control = TimeControl(1.0, 2.0, 0.0, allowance=0.0)
    assert not Clock(control).charge(3.2, lag=0.1)
    clock = Clock(control)
    assert clock.charge(3.2, lag=0.5)
    assert clock.bank == 0.0
    assert clock.excused == pytest.approx(0.2)
    assert not clock.charge(1.4)  # of the half second of lag, 0.2 are used up
    assert clock.charge(1.25)


def test_lag_that_went_out_of_the_bank_is_remembered_until_the_bank_is_empty():
    clock = Clock(TimeControl(1.0, 2.0, 0.0, allowance=0.0))
    assert clock.charge(2.5, lag=0.7)
    assert clock.bank == pytest.approx(0.5)
    assert clock.charge(2.1)
    assert clock.excused == pytest.approx(0.6)


def test_lag_within_the_time_of_a_move_is_worth_nothing():
    clock = Clock(TimeControl(1.0, 0.0, 0.0, allowance=0.0))
    assert clock.charge(0.9, lag=5.0)
    assert not clock.charge(1.1)


def test_processor_time_is_never_lag():
    assert not Clock(TimeControl.parse("cpu:1s/move")).charge(9.0, cpu=1.1, lag=9.0)


MOVES = st.lists(st.tuples(st.floats(0, 20), st.floats(0, 20)), max_size=20)


@example(0.0, 0.85, 0.0, [(3.0, 3.0)])
@given(st.floats(0, 10), st.floats(0, 100), st.floats(0, 5), MOVES)
def test_who_has_time_is_charged_as_measured_and_no_more_is_excused_than_we_lagged(per_move, bank, increment, moves):
    control = TimeControl(per_move, bank, increment)
    strict, lenient = Clock(control), Clock(control)
    lagged, within = 0.0, True
    for wall, lag in moves:
        lagged += lag
        within = within and strict.charge(wall)
        assert lenient.charge(wall, lag=lag) or not within
        if within:
            assert lenient.bank == strict.bank
        assert lenient.bank >= 0.0
        assert lenient.excused <= lagged + 1e-6


@given(st.floats(0, 10), st.floats(0, 100), st.floats(0, 5), st.lists(st.floats(0, 20), max_size=20))
def test_the_wait_is_always_longer_than_the_time(per_move, bank, increment, walls):
    clock = Clock(TimeControl(per_move, bank, increment))
    for wall in walls:
        assert clock.deadline() > clock.available() + clock.control.allowance
        clock.charge(wall)
        assert clock.bank >= 0.0

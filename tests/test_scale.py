"""The simulation of many workers, held against what is known without simulating."""

import pytest

from bench.scale import Costs, measure_store, simulate

pytestmark = pytest.mark.slow

COSTS = Costs(match_s=1.0, driver_ms=1.0, commit_ms=2.0, writers=4.0)


def test_one_table_plays_one_match_after_the_other():
    flow = simulate(COSTS, 1)
    assert flow.per_second == pytest.approx(1 / 1.003, rel=0.02)
    assert flow.bottleneck() == "tables"


def test_few_tables_do_not_disturb_each_other():
    assert simulate(COSTS, 64).per_second == pytest.approx(64 / 1.003, rel=0.03)


def test_many_tables_are_limited_by_the_driver():
    flow = simulate(COSTS, 4096)
    assert flow.per_second == pytest.approx(1000, rel=0.05)
    assert flow.bottleneck() == "driver"
    assert flow.driver_busy == pytest.approx(1.0, rel=0.05)


def test_more_drivers_go_on_until_the_store_is_full():
    flow = simulate(COSTS, 4096, drivers=4, matches=40_000)
    assert flow.per_second == pytest.approx(2000, rel=0.05)
    assert flow.bottleneck() == "store"


def test_a_store_that_takes_little_more_than_one_commit_at_a_time_keeps_its_rate():
    flow = simulate(Costs(0.001, 0.01, 2.0, 1.5), 64)
    assert flow.per_second == pytest.approx(1.5 / 0.002, rel=0.05)


def test_the_store_is_measured_with_real_commits(tmp_path):
    rates, alone, size = measure_store(str(tmp_path / "db"), 16)
    assert set(rates) == {1, 2, 4, 8, 16}
    assert all(speed > 0 for speed in rates.values())
    assert alone == pytest.approx(1000 / rates[1])
    assert size > 500

"""Which processors a table has for itself, on machines of all sizes."""

import pytest

from arena.bots.launch import SandboxOptions
from arena.referee import priority
from arena.sandboxes.base import Limits
from arena.sandboxes.kernel import cgroup_tree
from arena.workers.cores import divide_cores, physical_cores, processors_needed

# Siblings as the kernel writes them, for every processor, and the chip that it is on.
PLAIN = {number: (f"{number}", 0) for number in range(9)}
NUMBERED_APART = {number: (f"{number % 4},{number % 4 + 4}", 0) for number in range(8)}
"""Four cores with two threads each, of which the second ones are numbered after all first ones."""
NUMBERED_TOGETHER = {number: (f"{number // 2 * 2}-{number // 2 * 2 + 1}", 0) for number in range(8)}
TWO_CHIPS = {number: (f"{number % 4},{number % 4 + 4}", number % 2) for number in range(8)}


@pytest.fixture
def write(tmp_path):
    def write_topology(machine):
        for number, (siblings, chip) in machine.items():
            folder = tmp_path / f"cpu{number}" / "topology"
            folder.mkdir(parents=True)
            (folder / "thread_siblings_list").write_text(f"{siblings}\n")
            (folder / "physical_package_id").write_text(f"{chip}\n")
        return tmp_path

    return write_topology


@pytest.mark.parametrize(
    ("machine", "cores"),
    [
        (PLAIN, [(number,) for number in range(9)]),
        (NUMBERED_APART, [(0, 4), (1, 5), (2, 6), (3, 7)]),
        (NUMBERED_TOGETHER, [(0, 1), (2, 3), (4, 5), (6, 7)]),
        (TWO_CHIPS, [(0, 4), (2, 6), (1, 5), (3, 7)]),
    ],
)
def test_processors_are_grouped_by_core_and_chip(write, machine, cores):
    assert physical_cores(machine, write(machine)) == cores


def test_only_processors_that_may_be_used_are_divided(write):
    assert physical_cores([5, 1, 3], write(NUMBERED_APART)) == [(1, 5), (3,)]


def test_a_kernel_that_says_nothing_has_a_core_for_each_processor(tmp_path):
    assert physical_cores([2, 0, 1], tmp_path) == [(0,), (1,), (2,)]


@pytest.mark.parametrize(
    ("cores", "tables", "own"),
    [
        ([(0,)], 1, [()]),
        ([(0,), (1,)], 1, [()]),
        ([(0,), (1,)], 2, [(), ()]),
        ([(0, 1)], 1, [()]),  # one core with two threads is for everything
        ([(0,), (1,), (2,)], 1, [(1, 2)]),
        ([(0, 2), (1, 3)], 1, [(1, 3)]),
        ([(number,) for number in range(9)], 4, [(1, 2), (3, 4), (5, 6), (7, 8)]),
        ([(number,) for number in range(9)], 2, [(1, 2, 3, 4), (5, 6, 7, 8)]),
        ([(number,) for number in range(9)], 5, [()] * 5),
        ([(0, 4), (1, 5), (2, 6), (3, 7)], 3, [(1, 5), (2, 6), (3, 7)]),
        ([(0, 4), (1, 5), (2, 6), (3, 7)], 4, [()] * 4),
        ([(0, 4), (1, 5), (2,), (3,)], 3, [()] * 3),  # some tables would have a single processor
        ([(number, number + 32) for number in range(32)], 31, [(number, number + 32) for number in range(1, 32)]),
    ],
)
def test_every_table_that_needs_two_processors_has_whole_cores_where_there_are_enough(cores, tables, own):
    assert divide_cores(cores, tables, 2) == own


@pytest.mark.parametrize(
    ("cores", "tables", "own"),
    [
        ([(0,)], 1, [()]),
        ([(0,), (1,)], 1, [()]),  # alone, it is not kept to a single one
        ([(0,), (1,), (2,)], 1, [(1, 2)]),
        ([(0,), (1,)], 2, [(0,), (1,)]),  # none is left to the tournament
        ([(0,), (1,)], 3, [()] * 3),
        ([(number,) for number in range(9)], 8, [(number,) for number in range(1, 9)]),
        ([(number,) for number in range(9)], 9, [(number,) for number in range(9)]),
        ([(number,) for number in range(9)], 4, [(1, 2), (3, 4), (5, 6), (7, 8)]),
        ([(0, 4), (1, 5), (2,), (3,)], 3, [(1, 5), (2,), (3,)]),
    ],
)
def test_every_table_that_needs_one_processor_has_a_core_where_there_are_enough(cores, tables, own):
    assert divide_cores(cores, tables, 1) == own


@pytest.mark.parametrize("needed", [1, 2])
def test_no_two_tables_share_a_core(needed):
    cores = [(number, number + 64) for number in range(64)]
    for tables in range(1, 128):
        shares = [set(share) for share in divide_cores(cores, tables, needed)]
        assert len(shares) == tables
        assert len(set().union(*shares)) == sum(map(len, shares))
        assert tables == 64 or not {0, 64} & set().union(*shares)


@pytest.mark.parametrize(
    ("cpus", "ponder", "freezes", "real_time", "needed"),
    [
        (1.0, False, True, True, 1),
        (0.5, False, True, True, 1),
        (3.0, False, True, True, 3),
        (1.0, False, True, False, 2),  # the referee would wait for a bot that goes on after its answer
        (3.0, False, True, False, 3),
        (1.0, False, False, True, 2),  # the bots would take each other's time
        (1.0, True, True, True, 2),
    ],
)
def test_a_table_of_frozen_bots_and_a_real_time_referee_shares_a_processor(
    monkeypatch, cpus, ponder, freezes, real_time, needed
):
    monkeypatch.setattr(cgroup_tree, "can_freeze", lambda: freezes)
    monkeypatch.setattr(priority, "is_allowed", lambda: real_time)
    small, large = (SandboxOptions("bubblewrap", Limits(cpus=limit), ponder) for limit in (min(cpus, 1.0), cpus))
    assert processors_needed([small, large]) == needed


def test_a_table_without_sandboxed_bots_needs_a_processor(monkeypatch):
    monkeypatch.setattr(cgroup_tree, "can_freeze", lambda: True)
    monkeypatch.setattr(priority, "is_allowed", lambda: True)
    assert processors_needed([]) == 1

"""What all tests share."""

import itertools
import os
from pathlib import Path

import pytest
from hypothesis import settings

# As the command does, before numpy is loaded: for matrices as small as ours more threads take longer than one.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The machine may be busy: a slow example is no failure, and CI must not depend on chance.
settings.register_profile("arena", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("arena")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Where everything is required, a skipped test has failed, however it was skipped."""
    report = yield
    if report.skipped and os.environ.get("ARENA_REQUIRE_ALL") == "1":
        report.outcome = "failed"
        report.longrepr = f"skipped, but ARENA_REQUIRE_ALL=1: {report.longrepr}"
    return report


SLOW = (
    "bots/test_freezing.py",
    "bots/test_starting.py",
    "cli/test_bot.py",
    "cli/test_errors.py",
    "cli/test_json.py",
    "cli/test_play.py",
    "cli/test_tournament_",
    "contestant/test_check.py",
    "hostile/",
    "journeys/",
    "intake/",
    "links/test_fuzz_wire.py",
    "links/test_reconnect.py",
    "links/test_serve.py",
    "notebook/",
    "rl/",
    "sample_bots/",
    "sandboxes/",
    "schedules/test_budget.py",
    "schedules/test_schedule.py",
    "sdk/",
    "store/",
    "submit/",
    "test_soak.py",
    "testing/test_toy_game.py",
    "tournaments/test_archive.py",
    "tournaments/test_resuming.py",
    "tournaments/test_schedule_replay.py",
    "tournaments/test_signing.py",
    "tournaments/test_sole_driver.py",
    "tournaments/test_tournament.py",
    "untrusted/",
    "web/",
    "workers/",
)
"""Where tests start processes, sandboxes, databases and browsers all the time."""
LONG = (
    "cli/test_completion.py",
    "cli/test_start_up.py",
    "cli/test_store_option.py",
    "engines/test_show_seen.py",
    "ratings/test_many_matches.py",
    "schedules/test_legs.py",
    "schedules/test_stops.py",
    "test_packaging.py",
    "test_scale.py",
)
"""Where they take long, though they depend on nothing real; `make test-fast` leaves out both."""
REAL = (
    *SLOW,
    "bots/",
    "cli/test_replay_viewer.py",
    "cli/test_test_command.py",
    "contestant/",
    "links/",
    "monitoring/",
    "referee/test_heartbeat.py",
    "schedules/test_legs.py",
    "schedules/test_outcomes.py",
    "schedules/test_outlook.py",
    "tournaments/",
)
"""Where tests depend on real time or processes, which on a busy machine may meet in an order that nobody can force."""


def pytest_ignore_collect(collection_path, config):
    """Do not even import slow tests when only the others are wanted: every worker would, for half of its time."""
    here = Path(__file__).parent
    if config.option.markexpr != "not slow" or not collection_path.is_relative_to(here):
        return None
    place = collection_path.relative_to(here).as_posix()
    return place.startswith(SLOW + LONG) or f"{place}/" in SLOW or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark what is slow or depends on real time, and let every worker begin with what may take minutes."""
    for item in items:
        place = item.path.relative_to(Path(__file__).parent).as_posix()
        if place.startswith(SLOW + LONG):
            item.add_marker(pytest.mark.slow)
        if place.startswith(REAL):
            item.add_marker(pytest.mark.real)
        if item.get_closest_marker("real"):
            item.add_marker(pytest.mark.flaky(reruns=2))
    items[:] = dealt(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


def dealt(items, workers):
    """The items in equal shares, as `worksteal` gives them out; some begin with those that have a time limit.

    The longest go first: what begins last would keep one worker busy when the others have nothing left to steal.
    Most of them compute, so as many workers as there are processors do them, while the others' tests wait for clocks.
    """
    long = sorted(filter(time_limit, items), key=time_limit, reverse=True)
    rest = itertools.filterfalse(time_limit, items)
    busy = min(workers, os.cpu_count() or 1)
    order = []
    for number in range(workers):
        share = (len(items) - len(order)) // (workers - number)
        first = long[number::busy] if number < busy else []
        order += [*first, *itertools.islice(rest, max(0, share - len(first)))]
    return [*order, *rest]


def time_limit(item):
    """The seconds that a test asks for beyond those that all have; 0 if it does not."""
    marker = item.get_closest_marker("timeout")
    return marker.args[0] if marker else 0

"""What all tests share."""

import inspect
import itertools
import os
import re

import pytest
from hypothesis import settings

from arena.referee import looptime

# As the command does, before numpy is loaded: for matrices as small as ours more threads take longer than one.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The machine may be busy: a slow example is no failure, and CI must not depend on chance.
settings.register_profile("arena", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("fast", settings.get_profile("arena"), max_examples=15)
settings.load_profile("arena")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Where everything is required, a skipped test has failed, however it was skipped."""
    report = yield
    if report.skipped and os.environ.get("ARENA_REQUIRE_ALL") == "1":
        report.outcome = "failed"
        report.longrepr = f"skipped, but ARENA_REQUIRE_ALL=1: {report.longrepr}"
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """A test that is a coroutine runs in the loop in which referees measure time."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    looptime.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}))
    return True


@pytest.fixture
def store(tmp_path):
    """An empty store in a file."""
    from arena.store.sql import Store

    opened = Store(tmp_path / "arena.db")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A store with a finished tournament of three bots, in a folder of its own."""
    from tests.kits.fields import play_tournament

    return play_tournament(tmp_path_factory.mktemp("played"), rounds=1)


SLOW_MODULE = re.compile(r"^pytestmark = \[?\s*pytest\.mark\.slow\b", re.MULTILINE)


def pytest_ignore_collect(collection_path, config):
    """Do not even import slow modules when only the others are wanted: every worker would, for half of its time."""
    if config.option.markexpr != "not slow" or not collection_path.match("test_*.py"):
        return None
    return bool(SLOW_MODULE.search(collection_path.read_text(encoding="utf-8"))) or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Give more tries to what depends on real time, and let every worker begin with what may take minutes."""
    for item in items:
        if real := item.get_closest_marker("real"):
            if not real.kwargs.get("reason"):
                raise pytest.UsageError(f"{item.nodeid} is marked as real without a reason")
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

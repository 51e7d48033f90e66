"""What all tests share."""

import os

import pytest
from hypothesis import settings

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


def pytest_collection_modifyitems(items):
    """Begin with the tests that may take minutes, so that nobody waits for them in the end."""
    items.sort(key=lambda item: item.get_closest_marker("timeout") is None)

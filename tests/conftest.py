"""What all tests share."""

import os
from pathlib import Path

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


# Where tests start real processes, sandboxes and databases all the time. They are left out by `make test-fast`.
REAL = (
    "bots/test_freezing.py",
    "cli/test_errors.py",
    "contestant/test_check.py",
    "hostile/",
    "links/test_fuzz_wire.py",
    "sample_bots/test_sample_bots.py",
    "sandboxes/",
    "store/test_failures.py",
    "submit/",
    "test_soak.py",
    "testing/test_toy_game.py",
    "tournaments/executors/test_local.py",
    "tournaments/test_archive.py",
    "untrusted/",
    "web/test_site.py",
    "web/test_live_player.py",
    "web/test_replay_delivery.py",
    "web/test_replay_page.py",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark what is slow, and begin with what may take minutes, so that nobody waits for it in the end."""
    for item in items:
        if item.path.relative_to(Path(__file__).parent).as_posix().startswith(REAL):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: item.get_closest_marker("timeout") is None)

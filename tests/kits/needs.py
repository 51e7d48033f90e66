"""What a test needs of this machine: without it the test is skipped aloud, or fails under ARENA_REQUIRE_ALL=1."""

import os

import pytest


def need(reason: str | None) -> None:
    """Go on when there is no reason against it; else skip with it, or fail where everything is required."""
    if reason is None:
        return
    if os.environ.get("ARENA_REQUIRE_ALL") == "1":
        pytest.fail(f"ARENA_REQUIRE_ALL=1, but {reason}")
    pytest.skip(reason)

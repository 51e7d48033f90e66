"""A contest, and a runner of it inside this process."""

import threading
from contextlib import contextmanager

import pytest

from arena.runner.runner import run
from arena.runner.shift import Pace, Stop
from tests.kits.contests import ContestKit

QUICK = Pace(look_s=0.05, failed_s=0.05)


@pytest.fixture
def kit(tmp_path):
    folder = tmp_path / "cup"
    folder.mkdir()
    kit = ContestKit(folder)
    yield kit
    kit.close()


@contextmanager
def running(kit, pace=QUICK):
    """A runner in a thread; how it is told to stop, and what it logs."""
    stop, events = Stop(), []
    thread = threading.Thread(
        target=run, args=(kit.contest, lambda event, **facts: events.append((event, facts)), stop, pace)
    )
    thread.start()
    try:
        yield stop, events
    finally:
        stop.ask()
        stop.ask()
        thread.join(60)
        assert not thread.is_alive()

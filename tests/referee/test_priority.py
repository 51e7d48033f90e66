"""The priority of the referee: above everything ordinary where that is allowed, and never that of what it starts."""

import os
import statistics
import subprocess
import sys
import threading
import time

import pytest

from arena.referee import priority
from arena.referee.heartbeat import ThreadHeartbeat
from tests.kits.needs import need

NOBODY = 65534
POLICY = "import os; print(os.sched_getscheduler(0))"


@pytest.fixture
def allowed():
    with priority.raised() as allowed:
        pass
    need(None if allowed else "this user may not raise its priority")


def policies():
    """The scheduling policies of all threads of this process, by their names."""
    return {thread.name: os.sched_getscheduler(thread.native_id) for thread in threading.enumerate()}


def test_who_measures_goes_first_and_nothing_that_it_starts_does(allowed):
    with ThreadHeartbeat(), priority.raised():
        time.sleep(0.05)
        found, own = policies(), os.sched_getscheduler(0)
        child = subprocess.run([sys.executable, "-c", POLICY], capture_output=True, check=True, text=True)
    assert own == os.SCHED_FIFO | os.SCHED_RESET_ON_FORK
    assert found["heartbeat"] == os.SCHED_FIFO | os.SCHED_RESET_ON_FORK
    assert int(child.stdout) == os.SCHED_OTHER
    assert os.sched_getscheduler(0) == os.SCHED_OTHER, "afterwards it is as before"


NOT_ALLOWED = f"""
import os, resource
from arena.referee import priority
resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0))
if os.getuid() == 0:
    os.setuid({NOBODY})
with priority.raised() as allowed:
    print(allowed, os.sched_getscheduler(0))
"""


def test_where_it_is_not_allowed_it_is_as_before():
    done = subprocess.run([sys.executable, "-c", NOT_ALLOWED], capture_output=True, check=False, text=True)
    assert (done.stdout, done.stderr) == (f"False {os.SCHED_OTHER}\n", "")


LESS_AFTERWARDS = f"""
import os
from arena.referee import priority
with priority.raised():
    os.setuid({NOBODY})
print(os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK)
"""


def test_who_may_not_take_everything_back_is_ordinary_again_all_the_same(allowed):
    """As those are who may be real-time by a limit alone: the flag about their children stays."""
    need(None if os.getuid() == 0 else "only root can become somebody else")
    done = subprocess.run([sys.executable, "-c", LESS_AFTERWARDS], capture_output=True, check=False, text=True)
    assert (done.stdout, done.stderr) == (f"{os.SCHED_OTHER}\n", "")


BURN = "while True: pass"


@pytest.mark.slow
def test_a_busy_machine_does_not_keep_it_waiting(allowed):
    """The same sleeps beside busy processes, with and without; ratios, because machines differ."""
    burners = [subprocess.Popen([sys.executable, "-c", BURN]) for _ in range(4 * (os.cpu_count() or 1))]
    try:
        time.sleep(0.2)
        ordinary = _overslept()
        with priority.raised():
            raised = _overslept()
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()
    assert raised < ordinary / 2


def _overslept():
    """How much too long the longer half of many short sleeps was."""
    late = []
    for _ in range(300):
        began = time.monotonic()
        time.sleep(0.001)
        late.append(time.monotonic() - began - 0.001)
    return statistics.mean(sorted(late)[150:])

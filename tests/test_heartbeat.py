"""The heartbeat against the real clock and against a scripted one."""

import time

from arena.heartbeat import STEADY, ThreadHeartbeat


def test_a_machine_that_stands_still_is_noticed():
    offset = 0.0
    with ThreadHeartbeat(lambda: time.monotonic() + offset) as heartbeat:
        moment = time.monotonic()
        time.sleep(0.05)
        offset = 5.0  # the clock jumps as if the thread had not run for five seconds
        deadline = time.monotonic() + 10
        while heartbeat.worst_since(moment) < 4.0 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert 4.5 < heartbeat.worst_since(moment) < 15
        assert heartbeat.worst_since(time.monotonic() + 3600) == 0.0


def test_a_steady_machine_never_lags():
    assert STEADY.worst_since(0.0) == 0.0

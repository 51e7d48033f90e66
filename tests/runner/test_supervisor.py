"""Processes that are kept running: started again with growing pauses, and ended together, whatever they do."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.runner import supervisor
from arena.runner.supervisor import Plan, keep_running
from arena.runner.tied import tied
from tests.kits.runners import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="processes are started and killed")]


def python(source):
    return [sys.executable, "-c", source]


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


class Told:
    """What was logged, and when it was enough."""

    def __init__(self, event, often):
        self.events, self._event, self._often = [], event, often
        self._until = time.monotonic() + 60

    def __call__(self, event, **facts):
        self.events.append((event, facts))

    def of(self, event):
        return [facts for name, facts in self.events if name == event]

    def enough(self):
        assert time.monotonic() < self._until, self.events
        return len(self.of(self._event)) >= self._often


def test_a_process_that_ends_is_started_again_with_growing_pauses():
    told = Told("child_ended", 3)
    plans = [Plan("steady one", python("import time; time.sleep(600)")), Plan("dying one", python("exit(7)"))]
    keep_running(plans, told, told.enough, first_pause_s=0.05)
    ended = told.of("child_ended")
    assert [facts["again_in_s"] for facts in ended] == [0.05, 0.1, 0.2]
    assert {(facts["child"], facts["code"]) for facts in ended} == {("dying one", 7)}
    pids = {facts["child"]: facts["pid"] for facts in told.of("child_started")}
    assert not is_running(pids["steady one"])


def test_a_process_that_refuses_to_run_at_all_ends_everything():
    told = Told("child_ended", 1)
    plans = [Plan("web process", python("exit(2)")), Plan("runner", python("import time; time.sleep(600)"))]
    with pytest.raises(UsageError, match="the web process cannot run"):
        keep_running(plans, told, told.enough)
    assert not any(is_running(facts["pid"]) for facts in told.of("child_started"))


def test_a_process_that_does_not_end_is_killed(monkeypatch, tmp_path):
    monkeypatch.setattr(supervisor, "END_S", 1.0)
    ready = tmp_path / "ready"
    deaf = f"import signal, time; signal.signal(15, signal.SIG_IGN); open({str(ready)!r}, 'w'); time.sleep(600)"
    told = Told("child_started", 1)
    keep_running([Plan("deaf one", python(deaf))], told, ready.exists)
    assert told.of("child_killed") == [{"child": "deaf one"}]
    assert not is_running(told.of("child_started")[0]["pid"])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_what_is_tied_to_a_process_gets_a_signal_when_that_is_killed(number):
    parent_program = """
from arena.runner.tied import tied
import signal, subprocess, sys, time
child = subprocess.Popen(tied([sys.executable, "-c", "import time; time.sleep(600)"], signal.Signals(int(sys.argv[1]))))
print(child.pid, flush=True)
time.sleep(600)
"""
    with subprocess.Popen([*python(parent_program), str(int(number))], stdout=subprocess.PIPE) as parent:
        pid = int(parent.stdout.readline())
        wait_until(lambda: b"time.sleep" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"tied")[-1])
        parent.kill()
    wait_until(lambda: not is_running(pid))


def test_what_is_tied_to_a_process_that_has_ended_does_not_begin(tmp_path):
    command = tied(python(f"open({str(tmp_path / 'begun')!r}, 'w')"), signal.SIGKILL)
    command[command.index(str(os.getpid()))] = "1"
    assert subprocess.run(command, check=False).returncode == 1
    assert not (tmp_path / "begun").exists()

"""The runner of the hostile bots finds what it says it looks for: each kind of harm is done to it once, on purpose."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest

from arena.links.grpc import GrpcLink
from arena.sandboxes.referee_id import referee_id
from tests.hostile import backends, cases, neighbour, runner
from tests.kits.needs import need

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="bots in sandboxes are harmed while they play")]

CASE = cases.find("closes_its_output")
HELD = []
"""Open sockets, so that nothing closes them for us."""


class Harmful(backends.Bubblewrap):
    """A sandbox that does harm when its sandbox is made, which is while the honest bots play."""

    def __init__(self, harm):
        self._harm = harm

    def sandbox(self, folder, command, limits):
        if folder.name == CASE.name:
            self._harm()
        return super().sandbox(folder, command, limits)


def delay_the_neighbour():
    """What an attack on its clock would do to it, however the referee takes the time.

    It is held again and again, with less in between than its moves of one match take: whenever the match begins, on
    however busy a machine, it is held in it.
    """
    loop, bot = asyncio.get_running_loop(), bot_at_another_table()

    def hold():
        os.kill(bot, signal.SIGSTOP)
        loop.call_later(0.6, release)

    def release():
        os.kill(bot, signal.SIGCONT)
        loop.call_later(0.2, hold)

    hold()


def bot_at_another_table():
    table = neighbour.other_table(os.getpid()).pid
    return int(Path(f"/proc/{table}/task/{table}/children").read_text())


def grow():
    bytearray(100 << 20)


def leave_a_file():
    (Path(tempfile.gettempdir()) / "left").touch()


def leave_a_directory():
    Path("/run/arena", f"{referee_id()}-left").mkdir(parents=True)


def leave_sockets():
    HELD.extend(socket.socket() for _ in range(20))


def leave_a_task():
    HELD.append(asyncio.ensure_future(asyncio.sleep(600)))


def burn_processor_time():
    until = time.process_time() + 1.0
    while time.process_time() < until:
        pass


def write_to_the_terminal():
    os.write(2, b"\x1b[2J")


HARMS = {
    delay_the_neighbour: "was charged",
    grow: "the referee grew by",
    leave_a_file: "left behind: file",
    leave_a_directory: "left behind: directory",
    leave_sockets: "more open descriptors",
    leave_a_task: "tasks that nobody waits for",
    burn_processor_time: "of processor time",
    write_to_the_terminal: "the referee's own output",
}


@pytest.fixture
def clean():
    yield
    os.kill(bot_at_another_table(), signal.SIGCONT)
    for thing in HELD:
        if isinstance(thing, socket.socket):
            thing.close()
    HELD.clear()
    for path in Path("/run/arena").glob(f"{referee_id()}-left"):
        path.rmdir()


@pytest.mark.slow
@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_harm_is_found(harm, clean, monkeypatch):
    need(backends.BACKENDS["bubblewrap"].missing())
    monkeypatch.setattr(runner, "CLOCK_TRIES", 1)
    monkeypatch.setattr(runner, "MOST_CHARGED_FACTOR", 1.0)  # a machine that stands still anyway must not hide it
    case = replace(CASE, max_referee_cpu_s=1.0) if harm is burn_processor_time else CASE
    result = runner.run(case, Harmful(harm))
    assert any(HARMS[harm] in problem for problem in result.problems), result.problems


@pytest.mark.slow
def test_a_wrong_verdict_is_found():
    need(backends.BACKENDS["bubblewrap"].missing())
    result = runner.run(replace(CASE, verdict=("TIME",)), backends.BACKENDS["bubblewrap"])
    assert any("NORMAL instead of TIME" in problem for problem in result.problems), result.problems
    assert 20 <= len(result.calm_late) <= 26, "the moves of an honest bot are compared with what it took"
    assert len(result.late) >= 20


@pytest.mark.slow
def test_a_reply_that_is_stamped_late_is_found(monkeypatch):
    need(backends.BACKENDS["bubblewrap"].missing())
    on_message = GrpcLink._on_message

    def stamped_late(link, message):
        link._http.received_at += 0.1
        on_message(link, message)

    monkeypatch.setattr(runner, "CLOCK_TRIES", 1)
    monkeypatch.setattr(GrpcLink, "_on_message", stamped_late)
    result = runner.run(CASE, backends.BACKENDS["bubblewrap"])
    assert any("more than it took" in problem for problem in result.problems), result.problems
    assert sum(late > 0.09 for late in result.late) >= 10, "those of the opponent: the other table has its own referee"


def test_the_honest_bot_ends_with_its_referee():
    code = "import os; from tests.hostile import neighbour; print(neighbour._started(os.getpid()).name)"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=backends.ROOT, capture_output=True, text=True,
        check=True, timeout=60,
    )  # fmt: skip
    name = "\0" + run.stdout.strip()
    deadline = time.monotonic() + 20
    while _listens(name) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _listens(name)


def _listens(name):
    with socket.socket(socket.AF_UNIX) as line:
        return line.connect_ex(name) == 0

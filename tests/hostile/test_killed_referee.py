"""The referee is killed in the middle of a match: its bots die with it, and what is left is swept at the next start."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from arena.sandboxes.docker.client import DockerClient
from arena.sandboxes.docker.container import REFEREE_LABEL
from arena.sandboxes.kernel import procfs
from arena.sandboxes.sweeping import sweep
from tests.hostile import backends
from tests.hostile.traces import descendants, groups
from tests.kits.needs import need

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="processes are killed while bots run")]

LONGEST_WAIT_S = 40.0
DEATH_S = 5.0
"""A second is the promise; the rest is for a busy machine."""
PROCESSES = 2 * 5
"""Two sandboxes, each with its init, the bot and three daemons."""
SURVIVOR = backends.KIT / "survivor"
ONE_SANDBOX = f"""
import asyncio, sys
from tests.hostile import backends, cases
async def main():
    limits = cases.find("hangs").bot_limits()
    sandbox = backends.BACKENDS["docker"].sandbox(backends.KIT / "survivor", ("python3", "{{bot}}/bot.py"), limits)
    await sandbox.start()
    print("up", flush=True)
    await asyncio.sleep({LONGEST_WAIT_S})
asyncio.run(main())
"""


@contextmanager
def process(*command):
    """A process that is surely gone afterwards."""
    with subprocess.Popen(
        [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        try:
            yield child
        finally:
            child.kill()


def wait_for(found, seconds):
    """The first true value of a function within this time, or its last."""
    deadline = time.monotonic() + seconds
    while not (value := found()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return value


def sandboxed(pid):
    """The descendants of a referee that live in namespaces of their own."""
    own = procfs.namespace("self", "pid")
    return [child for child in descendants(pid) if procfs.namespace(child, "pid") not in (own, None)]


def left_by(pid):
    """The control groups of a referee."""
    return [path for path in groups() if f"-{pid}-" in path and "arena" in path]


def test_bots_die_with_their_referee_and_the_next_start_sweeps():
    need(backends.BACKENDS["bubblewrap"].missing())
    words = (
        "match",
        "--game",
        "claim",
        "--bot",
        SURVIVOR,
        "--bot",
        SURVIVOR,
        "--clock",
        "10m+0s",
        "--sandbox",
        "bubblewrap",
    )
    with process("-m", "arena", *map(str, words)) as referee:
        assert wait_for(lambda: len(sandboxed(referee.pid)) >= PROCESSES, LONGEST_WAIT_S), referee.poll()
        spaces = {procfs.namespace(pid, "pid") for pid in sandboxed(referee.pid)}
        referee.send_signal(signal.SIGKILL)
        referee.wait()
        assert wait_for(lambda: not any(map(procfs.members, spaces)), DEATH_S), "bots outlived their referee"
        next_match = subprocess.run(
            [sys.executable, "-m", "arena", "match", "--game", "claim", "--bot", "sample_bots/random", "--seed", "3"],
            cwd=backends.ROOT, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert next_match.returncode == 0, next_match.stderr
        asyncio.run(sweep())
        assert left_by(referee.pid) == []


def test_containers_end_with_their_referee():
    need(backends.BACKENDS["docker"].missing())
    with process("-c", ONE_SANDBOX) as referee:
        assert referee.stdout.readline() == "up\n", referee.stderr.read()
        assert len(of_referee(referee.pid)) == 1
        referee.send_signal(signal.SIGKILL)
        referee.wait()
    assert wait_for(lambda: not of_referee(referee.pid), 4 * DEATH_S), "a container outlived its referee"
    folders = lambda: [path for path in os.listdir("/run/arena") if f"-{referee.pid}-" in path]  # noqa: E731
    assert wait_for(lambda: not folders(), DEATH_S), folders()
    assert left_by(referee.pid) == []


def of_referee(pid):
    """The containers that name this process as their owner."""
    client = DockerClient()
    try:
        found = client.call(client.api.containers, all=True, filters={"label": REFEREE_LABEL})
        return [entry["Id"] for entry in found if f"-{pid}-" in entry["Labels"][REFEREE_LABEL]]
    finally:
        client.close()

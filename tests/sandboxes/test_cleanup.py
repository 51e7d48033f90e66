"""Taking a sandbox down: a part that cannot be removed keeps no other part."""

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest

from arena.errors import InfraError
from arena.sandboxes import socketdir
from arena.sandboxes.base import BotDirectory, Limits
from arena.sandboxes.kernel import cgroups
from arena.sandboxes.kernel.cgroup_tree import Hierarchy
from arena.sandboxes.kernel.cgroups import ControlGroup, FeatureDirectory
from arena.sandboxes.launched.process import ProcessSandbox
from arena.sandboxes.lifecycle import run_to_completion
from arena.sandboxes.referee_id import referee_id

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="starts sandboxes")]


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(cgroups, "_REMOVE_S", 0.05)


def test_a_group_that_stays_keeps_no_other_group(tmp_path):
    directories = {
        name: FeatureDirectory(2, tmp_path / name) for name in ("memory", "pids", "cpu", "cputime", "freeze", "kill")
    }
    for directory in directories.values():
        directory.path.mkdir()
    (tmp_path / "cpu" / "busy").touch()
    with pytest.raises(InfraError, match=r"cpu cannot be removed: it is busy"):
        ControlGroup(directories).remove()
    assert [path.name for path in tmp_path.iterdir()] == ["cpu"]


def test_a_group_that_cannot_be_made_whole_is_not_left_in_half(tmp_path, monkeypatch):
    def make_group(hierarchy, name, missing):
        if hierarchy.version == 1:
            raise InfraError("the second one failed")
        (tmp_path / name).mkdir()
        return tmp_path / name, {"memory"}

    monkeypatch.setattr(cgroups, "make_group", make_group)
    both = [Hierarchy(version, frozenset(), tmp_path, "/", "/") for version in (2, 1)]
    with pytest.raises(InfraError, match="the second one failed"):
        ControlGroup.create("arena-test", both)
    assert list(tmp_path.iterdir()) == []


def test_a_socket_directory_that_stays_keeps_no_other(tmp_path, monkeypatch):
    monkeypatch.setattr(socketdir, "_PARENT", tmp_path)
    namespace, pid, _ = referee_id().split("-")
    names = {f"{namespace}-{pid}-1-{number}" for number in range(5)}  # a process of our number that began long ago
    for name in names:
        (tmp_path / name).mkdir()
    busy = min(names)
    (tmp_path / busy / "busy").touch()
    assert set(socketdir.sweep()) == names - {busy}
    assert [path.name for path in tmp_path.iterdir()] == [busy]


def test_what_cannot_be_removed_leaves_neither_processes_nor_descriptors(tmp_path, monkeypatch):
    """The control groups of a sandbox fail when they are removed; all else of it goes nevertheless."""

    def fail(group):
        raise InfraError("the control group cannot be removed")

    async def run():
        program = BotDirectory(tmp_path, (sys.executable, "-c", "import time; time.sleep(600)"))
        before = set(os.listdir("/proc/self/fd"))
        sandbox = ProcessSandbox(program, Limits(start_s=60), hierarchies=())
        starting = asyncio.create_task(sandbox.start())
        while not sandbox._watchdogs:
            await asyncio.sleep(0.01)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        with pytest.raises(InfraError, match="the control group cannot be removed"):
            await sandbox.kill()
        await asyncio.sleep(0.1)
        left = asyncio.all_tasks() - {asyncio.current_task()}
        return sandbox, left, set(os.listdir("/proc/self/fd")) - before

    monkeypatch.setattr(ControlGroup, "remove", fail)
    sandbox, tasks, descriptors = asyncio.run(run())
    assert (tasks, sandbox._processes()) == (set(), [])
    assert not Path(sandbox._socket_directory).exists()
    assert len(descriptors) <= 1  # the list of them is one itself


async def test_what_a_thread_makes_is_waited_for_however_often_one_is_cancelled():
    made = []
    task = asyncio.create_task(run_to_completion(lambda: (time.sleep(0.3), made.append("made"))))
    for _ in range(3):
        await asyncio.sleep(0.05)
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert made == ["made"]

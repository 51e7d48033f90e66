"""Which sandboxes this machine has. A missing one skips its tests aloud, or fails them under ARENA_REQUIRE_ALL=1."""

import asyncio
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.sandboxes.base import BotDirectory, BotImage, Limits
from arena.sandboxes.docker import images
from arena.sandboxes.docker.client import DockerClient
from arena.sandboxes.docker.gvisor import GvisorSandbox
from arena.sandboxes.kernel import cgroup_tree
from arena.sandboxes.kernel.cgroups import ControlGroup
from arena.sandboxes.launched.bubblewrap import BubblewrapSandbox
from arena.sandboxes.referee_id import referee_id
from tests.kits.needs import need
from tests.sandboxes.sandbox_kit import BASE_IMAGE, SYSTEM_PYTHON, Bench


@cache
def why_not_bubblewrap() -> str | None:
    try:
        asyncio.run(BubblewrapSandbox(BotDirectory(Path("/usr"), ("true",)), Limits()).dry_run())
    except ArenaError as error:
        return f"bubblewrap: {error}"
    return None


@cache
def why_not_docker() -> str | None:
    try:
        client = DockerClient()
    except ArenaError as error:
        return f"docker: {error}"
    try:
        images.resolve(client, BASE_IMAGE)
    except ArenaError as error:
        return f"docker: {error} (docker/build-base.sh builds it)"
    finally:
        client.close()
    return None


@cache
def why_not_gvisor() -> str | None:
    if (reason := why_not_docker()) is not None:
        return reason
    try:
        asyncio.run(GvisorSandbox(BotImage(BASE_IMAGE, ("sleep", "60")), Limits()).dry_run())
    except ArenaError as error:
        return f"gvisor: {error}"
    return None


@cache
def why_not_control_groups() -> str | None:
    group = ControlGroup.create(f"arena-{referee_id()}-conftest", cgroup_tree.discover())
    missing = {"memory", "pids", "cpu"} - group.features
    group.remove()
    return f"control groups: no {', '.join(sorted(missing))} for this user" if missing else None


def why_not_root() -> str | None:
    return None if os.geteuid() == 0 else "only root can try this out"


@pytest.fixture
def bubblewrap(tmp_path):
    """A bench of bubblewrap sandboxes."""
    need(why_not_bubblewrap())
    return Bench("bubblewrap", tmp_path)


@pytest.fixture
def docker(tmp_path):
    """A bench of containers."""
    need(why_not_docker())
    return Bench("docker", tmp_path)


@pytest.fixture
def gvisor(tmp_path):
    """A bench of containers with a kernel of their own."""
    need(why_not_gvisor())
    return Bench("gvisor", tmp_path)


@pytest.fixture
def process(tmp_path):
    """A bench of plain processes."""
    return Bench("process", tmp_path)


@pytest.fixture(params=["bubblewrap", "docker"])
def bench(request):
    """Both real sandboxes, one after the other."""
    return request.getfixturevalue(request.param)


@pytest.fixture(params=["bubblewrap", "docker", "process"])
def any_bench(request):
    """Every sandbox, one after the other."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def control_groups():
    """Only where memory, processes and processors can be limited for sure."""
    need(why_not_control_groups())


@pytest.fixture
def root():
    """Only where the tests run as root."""
    need(why_not_root())


@pytest.fixture
def another_user(root):
    """Only where an ordinary user of this machine could run the same Python."""
    code = "import sys; print(*sys.version_info[:2])"
    said = subprocess.check_output([SYSTEM_PYTHON, "-c", code], text=True) if SYSTEM_PYTHON.exists() else ""
    same = said.split() == [str(number) for number in sys.version_info[:2]]
    need(None if same else f"{SYSTEM_PYTHON}, which another user could run, is not of our version")

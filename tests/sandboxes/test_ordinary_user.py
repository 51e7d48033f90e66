"""Everything again as an ordinary user: another user of this machine runs a referee of its own."""

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pyseccomp
import pytest

from tests.kits.needs import need
from tests.sandboxes.sandbox_kit import SYSTEM_PYTHON

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="starts sandboxes"), pytest.mark.usefixtures("another_user")]

ROOT = Path(__file__).parents[2]
USER = 45678

SCRIPT = """
import asyncio, json, sys
from pathlib import Path
from tests.sandboxes.sandbox_kit import OBEDIENT, FORK_BOMB, MEMORY_BOMB, small, tell
from arena.sandboxes.base import BotDirectory
from arena.sandboxes.launched.bubblewrap import BubblewrapSandbox

async def play():
    program = BotDirectory(Path({folder!r}), ("/usr/bin/python3", "-c", OBEDIENT))
    said = {{}}
    async with BubblewrapSandbox(program, small()) as sandbox:
        endpoint = await sandbox.start()
        said["enforcement"] = sandbox.enforcement()
        said["answer"] = await tell(endpoint, "result = 6 * 7")
        said["frozen"] = await sandbox.freeze()
        await sandbox.thaw()
        said["forks"] = await tell(endpoint, FORK_BOMB)
        said["hidden"] = await tell(endpoint, "result = os.path.exists('/home'), syscall(41, 40, 1, 0), os.getuid()")
    async with BubblewrapSandbox(program, small()) as sandbox:
        endpoint = await sandbox.start()
        bomb = asyncio.create_task(tell(endpoint, MEMORY_BOMB + "    time.sleep(0.002)\\n"))
        said["out_of_memory"] = (await asyncio.wait_for(sandbox.wait(), 60)).out_of_memory
        await asyncio.gather(bomb, return_exceptions=True)
    print(json.dumps(said))

asyncio.run(play())
"""


IN_DOCKER = """
import asyncio, json, sys
from tests.sandboxes.sandbox_kit import BASE_IMAGE, OBEDIENT, tell
from arena.sandboxes.base import BotImage, Limits
from arena.sandboxes.docker.sandbox import DockerSandbox

async def play():
    async with DockerSandbox(BotImage(BASE_IMAGE, ("python3", "-c", OBEDIENT)), Limits()) as sandbox:
        endpoint = await sandbox.start()
        frozen = await sandbox.freeze()
        await sandbox.thaw()
        answer = await tell(endpoint, "result = os.getuid()")
        print(json.dumps([sandbox.enforcement(), answer, frozen, sandbox.cpu_time() > 0]))

asyncio.run(play())
"""


def run(script: str, groups: tuple[int, ...] = (), **env: str) -> Any:
    """What a script of the other user prints."""
    packages = Path(pyseccomp.__file__).parent
    done = subprocess.run(
        [SYSTEM_PYTHON, "-B", "-X", "dev", "-W", "error", "-c", script],
        check=False, user=USER, group=USER, extra_groups=groups, cwd="/", capture_output=True, text=True, timeout=100,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{ROOT}:{packages}", "HOME": "/tmp", **env},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_an_ordinary_user_gets_sandboxes_that_say_what_they_lack(bubblewrap):
    said = run(SCRIPT.format(folder="/usr"))
    assert said["answer"] == "42"
    assert said["enforcement"] == {
        "sandbox": "bubblewrap", "memory": "rlimit", "pids": "rlimit", "cpu": "none", "cputime": "processes",
        "freeze": "signal", "kill": "pid namespace", "network": "namespace", "files": "namespace", "inodes": "tmpfs",
        "seccomp": "filter", "uid": "shared",
    }  # fmt: skip
    assert isinstance(said["frozen"], bool)
    made, error = eval(said["forks"])
    assert made <= 32
    assert error == "EAGAIN"
    assert said["hidden"] == "(False, 'EAFNOSUPPORT', 1000)"
    assert said["out_of_memory"]


@pytest.mark.slow
def test_an_ordinary_user_of_docker_gets_containers(docker):
    held, answer, frozen, counted = run(IN_DOCKER.format(), groups=(os.stat("/var/run/docker.sock").st_gid,))
    assert answer == str(USER)
    assert (held["uid"], held["network"], held["seccomp"]) == ("shared", "namespace", "filter")
    assert isinstance(frozen, bool)
    assert counted


BUILT = """
import asyncio, json, os
from functools import partial
from pathlib import Path
from arena.bots.files import folder_digest
from arena.sandboxes.base import BotDirectory
from arena.intake import folders
from arena.intake.folder_storage import FolderStorage

os.umask(0o077)
source = Path({folder!r}, "source")
source.mkdir()
manifest = ['name="x"', 'version="1"', 'games=["claim"]', 'command=["made"]', 'build=["sh", "make"]']
(source / "bot.toml").write_text("\\n".join(manifest))
(source / "make").write_text("mkdir sub; echo built > sub/made")
storage = FolderStorage(Path({folder!r}, "bots"))
with storage.working_folder() as place:
    folder = folders.receive(source, place, "it")
    asyncio.run(folders.build(BotDirectory(folder.path, folder.manifest.build), place / "built", "it"))
    with storage.locked():
        digest = folder_digest(place / "built")
        storage.add(place / "built", digest)
kept = storage.fetch(digest)
print(json.dumps([(kept / "sub/made").read_text(), sorted(os.listdir(storage.folder)) == [".lock", kept.name]]))
"""


@pytest.mark.slow
def test_an_ordinary_user_builds_and_keeps_a_submission(bubblewrap):
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, USER, USER)
        assert run(BUILT.format(folder=folder)) == ["built\n", True]


LENDER = """#!/bin/sh
for group in {groups}; do echo $$ > $group/cgroup.procs; done
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
"""
IN_SCOPE = """
import asyncio, json, os
from pathlib import Path
from arena.sandboxes.base import BotDirectory, Limits
from arena.sandboxes.launched.bubblewrap import BubblewrapSandbox
from arena.sandboxes.systemd_scope import enter_scope

enter_scope()
held = asyncio.run(BubblewrapSandbox(BotDirectory(Path("/usr"), ("true",)), Limits()).dry_run())
print(json.dumps([held, os.environ.get("ARENA_SCOPE")]))
"""


@pytest.fixture
def lent_groups():
    """Control groups of version 1 that belong to the other user, as a scope with Delegate=yes would."""
    paths = [
        Path(f"/sys/fs/cgroup/{name}/arena-student-{os.getpid()}")
        for name in ("memory", "pids", "cpu", "cpuacct", "freezer")
    ]
    need(None if all(path.parent.is_dir() for path in paths) else "control groups of version 1")
    for path in paths:
        path.mkdir()
        for file in (path, *path.iterdir()):
            os.chown(file, USER, USER)
    yield paths
    for path in paths:
        path.rmdir()


@pytest.mark.parametrize("lends", [True, False])
def test_an_ordinary_user_has_real_limits_where_a_user_manager_lends_a_scope(bubblewrap, lent_groups, lends):
    """No user manager runs here: a program stands in for systemd-run, and groups of version 1 for its scope."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        lender = Path(folder, "systemd-run")
        lender.write_text(LENDER.format(groups=" ".join(map(str, lent_groups))) if lends else "#!/bin/sh\nexit 1\n")
        lender.chmod(0o755)
        Path(folder, "systemd").mkdir()
        held, inside = run(IN_SCOPE, PATH=f"{folder}:/usr/bin:/bin", XDG_RUNTIME_DIR=folder)
    words = {held[feature] for feature in ("memory", "pids", "cpu", "cputime", "freeze")}
    assert inside == ("1" if lends else None)
    assert (words == {"cgroup"}) is lends

"""From start to end: who is to blame when it fails, and that nothing at all is left."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena.errors import Abuse, Crashed, InfraError, StartFailed, UsageError
from arena.referee.enforcement import weaknesses
from arena.sandboxes.base import BotDirectory, BotImage, Limits
from arena.sandboxes.docker.client import DockerClient
from arena.sandboxes.docker.container import REFEREE_LABEL
from arena.sandboxes.docker.sandbox import DockerSandbox
from arena.sandboxes.kernel import procfs
from arena.sandboxes.sweeping import sweep
from tests.sandboxes.sandbox_kit import OBEDIENT, left_behind, package_path, processes_with, python_paths, tell, until

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="starts sandboxes")]

DAEMONS = """
for number in range(5):
    if os.fork() == 0:
        try:
            os.setsid()
        except PermissionError:  # in the real sandboxes
            os.setpgrp()
        if os.fork() == 0:
            for name in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(name, signal.SIG_IGN)
            time.sleep(600)
        os._exit(0)
"""


def fail_to_start(sandbox, error=StartFailed):
    """The message of a start that fails, and the death that it left."""

    async def play():
        with pytest.raises(error) as caught:
            await sandbox.start()
        return str(caught.value), sandbox.death()

    return asyncio.run(play())


@pytest.fixture(autouse=True)
def nothing_is_left():
    """Every test here must leave the machine as it was."""
    yield
    assert left_behind() == []


class TestStart:
    def test_a_bot_that_never_listens(self, any_bench):
        message, death = fail_to_start(any_bench.sandbox("import time; time.sleep(60)", limits=Limits(start_s=1)))
        assert message == "it did not open its socket within 1 s"
        assert death.by_referee

    def test_a_bot_that_is_not_there(self, any_bench):
        message, death = fail_to_start(any_bench.sandbox(command=("/nowhere/bot",)))
        assert "code 127" in message
        assert "/nowhere/bot" in death.log

    def test_a_bot_that_fails_at_import(self, any_bench):
        message, death = fail_to_start(any_bench.sandbox("import nonsense_module"))
        assert "code 1" in message
        assert "nonsense_module" in death.log
        assert not death.by_referee

    @pytest.mark.parametrize("kind", ["docker", "gvisor"])
    def test_a_bot_that_ends_while_its_limits_are_read_back(self, kind, request, monkeypatch):
        """Its control groups vanish with it, which is no failure of ours."""
        sandbox = request.getfixturevalue(kind).sandbox("import time; time.sleep(0.5); import nonsense_module")
        check = sandbox._check

        def check_late(pid, found):
            assert until(lambda: not sandbox._group.exists(), within_s=30)
            return check(pid, found)

        monkeypatch.setattr(sandbox, "_check", check_late)
        message, death = fail_to_start(sandbox)
        assert "code 1" in message
        assert "nonsense_module" in death.log

    def test_a_bot_that_leaves_at_once(self, any_bench):
        assert "code 0" in fail_to_start(any_bench.sandbox("pass"))[0]

    def test_a_bot_that_eats_all_memory_before_it_is_ready(self, bench):
        bomb = "x = [bytearray(1 << 20) for _ in range(1000)]"
        message, death = fail_to_start(bench.sandbox(bomb, limits=Limits(memory_bytes=64 << 20)))
        assert message == "before it opened its socket, it used more memory than it had"
        assert death.out_of_memory

    @pytest.mark.parametrize("thing", ["symlink", "fifo", "file", "directory"])
    def test_something_else_in_the_place_of_the_socket(self, bench, thing):
        make = {
            "symlink": "os.symlink('/run/docker.sock', path)",
            "fifo": "os.mkfifo(path)",
            "file": "open(path, 'w').close()",
            "directory": "os.mkdir(path)",
        }[thing]
        source = f"import os, time; path = os.environ['ARENA_SOCKET']; {make}; time.sleep(60)"
        message, _ = fail_to_start(bench.sandbox(source), Abuse)
        assert message == "its socket was replaced by something else"

    @pytest.mark.parametrize(
        ("kind", "error"),
        [("SOCK_STREAM", ConnectionRefusedError), ("SOCK_DGRAM", StartFailed)],
    )
    async def test_a_socket_that_cannot_be_used(self, any_bench, kind, error):
        source = f"""
import os, socket, time
line = socket.socket(socket.AF_UNIX, socket.{kind})
line.bind(os.environ["ARENA_SOCKET"])
time.sleep(60)
"""
        async with any_bench.sandbox(source) as sandbox:
            endpoint = await sandbox.start()
            with pytest.raises(error):
                endpoint.connect_once()
        with pytest.raises(InfraError, match="gone"):
            endpoint.connect_once()

    async def test_a_sandbox_starts_once(self, bubblewrap):
        async with bubblewrap.sandbox() as sandbox:
            await sandbox.start()
            with pytest.raises(InfraError, match="once"):
                await sandbox.start()

    def test_required_strength_is_refused_before_the_bot_runs(self, bubblewrap, tmp_path):
        sandbox = bubblewrap.sandbox(hierarchies=(), require=("memory", "freeze"))
        message, _ = fail_to_start(sandbox, InfraError)
        assert message == "this machine cannot enforce what was required: freeze: signal, memory: rlimit"
        assert sandbox.log() == ""

    @pytest.mark.parametrize("path", ["/", "/tmp", "/proc/self", "relative", "/nowhere", "/run", "/usr/../root"])
    def test_paths_that_no_bot_may_be_shown(self, bubblewrap, path):
        from arena.sandboxes.launched.bubblewrap import BubblewrapSandbox

        with pytest.raises(UsageError):
            BubblewrapSandbox(BotDirectory(bubblewrap.folder, ("true",), read_only=(Path(path),)), Limits())

    def test_a_path_under_tmp_can_be_shown(self, bubblewrap):
        from arena.sandboxes.launched.bubblewrap import BubblewrapSandbox

        async def play(shown):
            paths = (*python_paths(), shown)
            program = BotDirectory(bubblewrap.folder, (sys.executable, "-c", OBEDIENT), read_only=paths)
            async with BubblewrapSandbox(program, Limits()) as sandbox:
                code = f"result = open({str(shown / 'note')!r}).read(), os.access({str(shown)!r}, os.W_OK)"
                return await tell(await sandbox.start(), code)

        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            shown = Path(folder)
            shown.chmod(0o755)
            (shown / "note").write_text("seen")
            assert asyncio.run(play(shown)) == "('seen', False)"

    async def test_a_python_bot_may_use_the_environment_of_the_referee(self, bubblewrap):
        from arena.sandboxes.launched.bubblewrap import BubblewrapSandbox

        program = BotDirectory(
            bubblewrap.folder,
            (sys.executable, "-c", OBEDIENT),
            read_only=(*python_paths(), package_path("arena"), package_path("grpc").parent),
            env={"GREETING": "hello", "PYTHONPATH": f"{package_path('arena').parent}:{package_path('grpc').parent}"},
        )
        async with BubblewrapSandbox(program, Limits()) as sandbox:
            code = "import arena.errors, grpc; result = grpc.__name__, arena.errors.__name__, os.environ['GREETING']"
            assert await tell(await sandbox.start(), code) == "('grpc', 'arena.errors', 'hello')"


class TestEnd:
    async def test_a_killed_bot_leaves_nothing(self, any_bench):
        mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
        async with any_bench.sandbox(f"mark = '{mark}'\n{OBEDIENT}") as sandbox:
            endpoint = await sandbox.start()
            await tell(endpoint, DAEMONS)
            assert until(lambda: len(processes_with(mark)) >= 6)
            began = time.monotonic()
            await sandbox.kill()
            await sandbox.kill()
            seconds, death, used = time.monotonic() - began, sandbox.death(), sandbox.cpu_time()
        assert seconds < 8
        assert processes_with(mark) == []
        assert (death.signal, death.by_referee) == (signal.SIGKILL, True)
        assert used > 0

    async def test_daemons_die_with_the_bot_that_crashes(self, bench):
        mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
        async with bench.sandbox(f"mark = '{mark}'\n{OBEDIENT}") as sandbox:
            endpoint = await sandbox.start()
            await tell(endpoint, DAEMONS)
            await tell(endpoint, "os._exit(7)")
            death = await asyncio.wait_for(sandbox.wait(), 10)
            assert until(lambda: processes_with(mark) == [], 1)
        assert (death.exit_code, death.signal, death.by_referee) == (7, None, False)
        assert isinstance(death.fault(), Crashed)

    @pytest.mark.parametrize(("code", "number"), [("os.kill(os.getpid(), 9)", 9), ("libc.memset(0, 0, 9)", 11)])
    async def test_the_signal_that_ended_it_is_told(self, any_bench, code, number):
        async with any_bench.sandbox() as sandbox:
            await tell(await sandbox.start(), code)
            death = await asyncio.wait_for(sandbox.wait(), 10)
        assert death.signal == number
        assert signal.Signals(number).name in death.sentence

    async def test_freezing_a_dead_bot_is_no_failure_of_ours(self, any_bench):
        async with any_bench.sandbox() as sandbox:
            await tell(await sandbox.start(), "os._exit(1)")
            for _ in range(20):
                await sandbox.freeze()
                await sandbox.thaw()
                await asyncio.sleep(0.01)
            await asyncio.wait_for(sandbox.wait(), 10)
            await sandbox.freeze()
            await sandbox.thaw()
            await sandbox.kill()
            assert await sandbox.freeze()

    async def test_a_bot_outlives_the_threads_that_helped_to_start_it(self, any_bench):
        async with any_bench.sandbox() as sandbox:
            endpoint = await sandbox.start()
            # The kernel's "die with your parent" means the thread that forked.
            await asyncio.get_running_loop().shutdown_default_executor()
            await asyncio.sleep(0.2)
            answer = await tell(endpoint, "result = 'alive'")
            asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2))
            asyncio.get_running_loop()._executor_shutdown_called = False
            assert answer == "'alive'"

    async def test_orphans_of_a_bot_are_found_below_its_first_process(self, bubblewrap):
        """Without control groups every freeze looks for them, and the whole machine is too much to look at."""
        async with bubblewrap.sandbox(hierarchies=()) as sandbox:
            await tell(await sandbox.start(), DAEMONS)
            below = lambda: sorted(procfs.members(sandbox._pids, sandbox._init_pid))  # noqa: E731
            everywhere = lambda: sorted(procfs.members(sandbox._pids))  # noqa: E731
            # Bubblewrap's, the bot, and what it forked; a parent that is just ending may be in one list only.
            assert until(lambda: len(below()) == 7 and below() == everywhere()), (below(), everywhere())
            assert await sandbox.freeze()
            assert all(map(procfs.is_stopped, below()))

    async def test_a_container_that_ends_while_it_is_paused_is_no_failure_of_ours(self, docker):
        """Without control groups the daemon pauses it, and forgets the pause of a bot that has exited."""
        async with docker.sandbox(hierarchies=()) as sandbox:
            await sandbox.start()
            assert await sandbox.freeze()
            client, container = sandbox._client_and_container()
            client.api.unpause(container)
            client.api.kill(container)
            assert until(sandbox._has_ended)
            await sandbox.thaw()
            assert (await sandbox.wait()).signal == signal.SIGKILL

    async def test_a_daemon_that_is_behind_is_asked_again(self, docker, monkeypatch):
        """It refuses to pause what it takes to be paused still, and to go on with what it takes to go on already."""

        def late(call):
            refusals = iter([InfraError("docker: it is already paused"), InfraError("docker: it is not paused")])

            def refuse(container):
                for error in refusals:
                    raise error
                call(container)

            return refuse

        async with docker.sandbox(hierarchies=()) as sandbox:
            endpoint = await sandbox.start()
            api = sandbox._client_and_container()[0].api
            for name in ("pause", "unpause"):
                monkeypatch.setattr(api, name, late(getattr(api, name)))
            assert await sandbox.freeze()
            await sandbox.thaw()
            assert await tell(endpoint, "result = 'alive'") == "'alive'"

    async def test_a_container_is_looked_at_when_the_runtime_has_left_it_to_the_bot(self, docker, monkeypatch):
        """Before, an ordinary user sees no namespaces of it, and under a load that takes a while."""
        namespace, hidden = procfs.namespace, iter([None] * 20)
        monkeypatch.setattr(
            procfs, "namespace", lambda pid, kind: next(hidden, pid) and namespace(pid, kind) if pid != "self" else 0
        )
        async with docker.sandbox() as sandbox:
            assert await tell(await sandbox.start(), "result = 'alive'") == "'alive'"

    async def test_a_process_that_slips_away_is_found_and_told_of(self, process):
        async with process.sandbox(hierarchies=()) as sandbox:
            await tell(await sandbox.start(), DAEMONS)
            await sandbox.kill()
            assert sandbox.death().escaped

    def test_a_cancelled_start_leaves_nothing(self, any_bench):
        mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"

        async def play(delay):
            sandbox = any_bench.sandbox(f"mark = '{mark}'; import time; time.sleep(60)")
            task = asyncio.create_task(sandbox.start())
            await asyncio.sleep(delay)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await sandbox.kill()

        for delay in (0.0, 0.02, 0.06, 0.3):
            asyncio.run(play(delay))
            assert until(lambda: processes_with(mark) == [], 2)

    async def test_a_sandbox_that_was_never_started_can_be_killed(self, any_bench):
        async with any_bench.sandbox() as sandbox:
            pass
        with pytest.raises(InfraError):
            await sandbox.wait()
        assert (sandbox.death(), sandbox.enforcement(), sandbox.log()) == (None, {}, "")

    async def test_a_rehearsal_runs_nothing_of_the_bot(self, bubblewrap):
        sandbox = bubblewrap.sandbox("print('I ran')")
        held, log = await sandbox.dry_run(), sandbox.log()
        assert held["sandbox"] == "bubblewrap"
        assert "I ran" not in log


class TestSocket:
    async def test_a_swapped_socket_does_not_redirect_the_referee(self, bench):
        swap = """
path = os.environ["ARENA_SOCKET"]
other = socket.socket(socket.AF_UNIX)
other.bind("/tmp/other.sock")
other.listen()
os.unlink(path)
os.symlink("/tmp/other.sock", path)
"""
        async with bench.sandbox() as sandbox:
            endpoint = await sandbox.start()
            await tell(endpoint, swap)
            assert await tell(endpoint, "result = 'still the same'") == "'still the same'"

    async def test_a_path_to_the_pinned_socket_can_be_connected(self, bench):
        import socket

        async with bench.sandbox() as sandbox:
            endpoint = await sandbox.start()
            with socket.socket(socket.AF_UNIX) as line:
                line.connect(endpoint.path)
            assert endpoint.path.startswith("/proc/self/fd/")


REFEREE = """
import asyncio, sys
sys.path.insert(0, {root!r})
from pathlib import Path
from tests.sandboxes.sandbox_kit import Bench

async def main():
    sandbox = Bench({kind!r}, Path({folder!r})).sandbox({source!r})
    await sandbox.start()
    if {frozen}:
        while not await sandbox.freeze():
            await asyncio.sleep(0.1)
    print("started", flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.parametrize("frozen", [False, True])
def test_bots_die_with_a_killed_referee(any_bench, tmp_path, frozen):
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    folder = tmp_path / "referee"
    folder.mkdir(mode=0o755)
    source = f"mark = '{mark}'\n{OBEDIENT}"
    script = REFEREE.format(
        root=str(Path(__file__).parents[2]), kind=any_bench.kind, folder=str(folder), source=source, frozen=frozen
    )
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE) as referee:
        assert referee.stdout.readline() == b"started\n"
        sandboxes = [pid for pid in processes_with(mark) if pid != referee.pid]
        assert sandboxes
        referee.kill()
    assert until(lambda: not processes_with(mark), 20)
    if any_bench.kind == "docker":
        # Not even a sweep is needed: its watchdog removes the container and the socket directory.
        assert until(lambda: not left_by(referee.pid), 20), left_by(referee.pid)
    removed = asyncio.run(sweep())
    if os.geteuid() == 0 and any_bench.kind != "docker":
        assert any(f"-{referee.pid}-" in name for name in removed)  # others have no control groups that could be left
    assert left_by(referee.pid) == []


def left_by(pid: int) -> list[str]:
    """What is left of the sandboxes of a referee: containers, control groups, socket directories, watchdogs."""
    with DockerClient() as client:
        found = client.call(client.api.containers, all=True, filters={"label": REFEREE_LABEL})
    containers = [entry["Names"][0] for entry in found if f"-{pid}-" in entry["Labels"][REFEREE_LABEL]]
    watchdogs = [f"watchdog {watchdog}" for watchdog in processes_with(f"-{pid}-") if watchdog != pid]
    return [*containers, *watchdogs, *left_behind(pid)]


async def test_a_sweep_spares_those_who_live(docker):
    async with docker.sandbox() as sandbox:
        endpoint = await sandbox.start()
        await sweep()
        assert await tell(endpoint, "result = 'alive'") == "'alive'"
    client = DockerClient()
    try:
        labels = [
            entry["Labels"][REFEREE_LABEL]
            for entry in client.api.containers(all=True, filters={"label": REFEREE_LABEL})
        ]
    finally:
        client.close()
    assert not [label for label in labels if f"-{os.getpid()}-" in label]


def test_an_unknown_image_is_the_users_mistake(docker):
    sandbox = DockerSandbox(BotImage("arena/no-such-image"), Limits())
    message, _ = fail_to_start(sandbox, UsageError)
    assert "arena/no-such-image" in message


async def test_a_plain_process_says_that_nothing_holds_it(process):
    async with process.sandbox() as sandbox:
        await sandbox.start()
        held = sandbox.enforcement()
    assert held["sandbox"] == "process"
    assert {"network: none", "files: none", "seccomp: none", "uid: shared"} <= set(weaknesses(held))

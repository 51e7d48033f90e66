"""Bots on a kernel of their own: what gVisor adds to a container, and that it keeps what every sandbox promises."""

import asyncio
import json
import os
import signal
from pathlib import Path

import pytest

from arena.errors import InfraError, OutOfMemory
from arena.referee.enforcement import weaknesses
from arena.sandboxes.base import BotImage, Limits
from arena.sandboxes.docker.gvisor import SETTING, GvisorSandbox, check_kernel, takes_filters, why_unusable
from arena.sandboxes.docker.gvisor_trial import network_families
from arena.untrusted.units import MIB
from tests.sandboxes.sandbox_kit import BASE_IMAGE, FORK_BOMB, MEMORY_BOMB, left_behind, small, tell, until

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="starts sandboxes")]

ROOT = Path(__file__).parents[2]
SETTINGS = json.loads(SETTING)["runtimes"]["runsc"]

# What bots on one kernel could reach, or reach each other by.
HOLES = {
    "AF_VSOCK": "syscall(41, 40, 1, 0)",
    "AF_ALG": "syscall(41, 38, 5, 0)",
    "keyctl": "syscall(250, 0, -3, 1)",
    "userfaultfd": "syscall(323, 0)",
    "bpf": "syscall(321, 0, 0, 0)",
    "open_tree": "syscall(428, -100, 0, 1)",
    "open_tree_attr": "syscall(467, -100, 0, 1, 0, 0)",
    "mount": "syscall(165, 0, 0, 0, 0, 0)",
}
REFUSED = {"EACCES", "EAFNOSUPPORT", "ENOSYS", "EPERM"}
# Rings are emulated or unknown, depending on the version; no descriptor of the host's may come of it.
RING = """
number = syscall(425, 1, ctypes.addressof(ctypes.create_string_buffer(120)))
result = number if isinstance(number, str) else os.readlink(f"/proc/self/fd/{number}")
"""


@pytest.mark.slow
class TestTheKernel:
    def test_system_calls_do_not_reach_the_machine(self, gvisor):
        calls = ", ".join(f"{name!r}: {call}" for name, call in HOLES.items())
        release, said = eval(gvisor.ask(f"result = os.uname().release, {{{calls}}}"))
        assert release != os.uname().release
        assert {name: answer for name, answer in said.items() if answer not in REFUSED} == {}
        assert gvisor.ask(RING) in ("'ENOSYS'", "'EPERM'", "'anon_inode:[io_uring]'")

    def test_counters_of_the_machine_are_not_seen(self, gvisor):
        code = """
def read(path):
    try:
        return open(path).read()
    except OSError as error:
        return errno.errorcode[error.errno]
names = "/proc/sys/kernel/pty/nr", "/proc/self/autogroup", "/proc/sys/kernel/random/boot_id", "/proc/stat"
result = [*map(read, names)]
"""
        *absent, stat = eval(gvisor.ask(code))
        assert absent == ["ENOENT"] * 3
        assert [line for line in stat.splitlines() if line.startswith("processes")] in ([], ["processes 0"])

    def test_the_page_cache_of_shared_files_is_not_told(self, gvisor):
        code = """
file = os.open("/usr/bin/python3", os.O_RDONLY)
try:
    result = os.preadv(file, [bytearray(4096)], 0, os.RWF_NOWAIT)
except OSError as error:
    result = errno.errorcode[error.errno]
"""
        assert gvisor.ask(code) in ("'EOPNOTSUPP'", "'ENOTSUP'")

    def test_there_are_no_sockets_of_the_network(self, gvisor):
        code = """
pair = ctypes.create_string_buffer(8)
kinds = {(call, family): syscall(call, family, kind, 0, ctypes.addressof(pair))
         for call in (41, 53) for family in (2, 10, 16, 17, 40, 2 | 1 << 32) for kind in (1, 2, 3)}
result = set(kinds.values()), len(socket.socketpair()), socket.socket(socket.AF_UNIX).fileno() > 0
"""
        # Of errors its filters know one.
        assert eval(gvisor.ask(code)) == ({"EPERM"}, 2, True)

    def test_only_gvisor_is_taken_for_gvisor(self):
        with pytest.raises(InfraError, match="is not gVisor"):
            check_kernel(os.getpid())


@pytest.mark.slow
class TestLimits:
    def test_what_holds_it_is_read_back(self, gvisor, control_groups):
        held = asyncio.run(gvisor.sandbox(command=("sleep", "60")).dry_run())
        assert (held["sandbox"], held["runtime"]) == ("gvisor", "runsc")
        assert {held[name] for name in ("memory", "pids", "cpu", "cputime", "freeze")} == {"cgroup"}
        assert held["network"] == "namespace"
        assert weaknesses(held) == ()

    def test_without_control_groups_it_says_so(self, gvisor):
        held = asyncio.run(gvisor.sandbox(command=("sleep", "60"), hierarchies=()).dry_run())
        assert set(weaknesses(held)) == {"memory: none", "pids: none", "cpu: none", "cputime: none"}

    async def test_a_memory_bomb(self, gvisor, control_groups):
        async with gvisor.sandbox(limits=small()) as sandbox:
            await tell(await sandbox.start(), MEMORY_BOMB)
            assert isinstance((await asyncio.wait_for(sandbox.wait(), 30)).fault(), OutOfMemory)

    def test_a_fork_bomb(self, gvisor):
        made, error = eval(gvisor.ask(FORK_BOMB, limits=small(memory_bytes=512 * MIB)))
        assert 8 <= made <= 32
        assert error == "EAGAIN"

    async def test_a_frozen_bot_uses_no_processor_and_wakes_up(self, gvisor, control_groups):
        burn = "for _ in range(3):\n    if os.fork() == 0:\n        while True:\n            pass"
        async with gvisor.sandbox() as sandbox:
            endpoint = await sandbox.start()
            await tell(endpoint, burn)
            frozen = await sandbox.freeze()
            await asyncio.sleep(0.3)  # longer than any freeze takes, even one that is reported as late
            before = sandbox.cpu_time()
            await asyncio.sleep(0.5)
            used = sandbox.cpu_time() - before
            await sandbox.thaw()
            answer, burns = await tell(endpoint, "result = 'awake'"), sandbox.cpu_time() > before
        assert isinstance(frozen, bool)
        assert used < 0.03
        assert (answer, burns) == ("'awake'", True)


@pytest.mark.slow
class TestTheEnd:
    async def test_a_killed_bot_leaves_nothing(self, gvisor, control_groups):
        daemons = "for _ in range(5):\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(600)"
        async with gvisor.sandbox() as sandbox:
            await tell(await sandbox.start(), daemons)
            tasks = sandbox._group.processes()
            await sandbox.kill()
            death = sandbox.death()
        assert len(tasks) > 5
        assert until(lambda: not [pid for pid in tasks if Path(f"/proc/{pid}").exists()])
        assert (death.signal, death.by_referee) == (signal.SIGKILL, True)
        assert left_behind() == []

    @pytest.mark.parametrize(
        ("code", "end"), [("os._exit(7)", (7, None)), ("libc.memset(0, 0, 9)", (None, signal.SIGSEGV))]
    )
    async def test_how_it_ended_is_told(self, gvisor, code, end):
        async with gvisor.sandbox() as sandbox:
            await tell(await sandbox.start(), code)
            death = await asyncio.wait_for(sandbox.wait(), 30)
        assert (death.exit_code, death.signal) == end
        assert not death.by_referee

    async def test_what_it_printed_is_kept(self, gvisor):
        async with gvisor.sandbox("print('the last words'); raise SystemExit(3)") as sandbox:
            with pytest.raises(Exception, match="code 3"):
                await sandbox.start()
            assert "the last words" in sandbox.log()


class TestTheDaemon:
    def test_what_an_engine_must_offer(self, root):
        assert why_unusable({"runsc": SETTINGS}) is None
        assert why_unusable({"runsc": {**SETTINGS, "runtimeArgs": ["-host-uds=all"]}}) is None
        assert "no runtime runsc" in why_unusable({"runc": {"path": "runc"}})
        assert "without --host-uds=create" in why_unusable({"runsc": {"path": "/usr/bin/runsc"}})
        assert "without --host-uds=create" in why_unusable({"runsc": {**SETTINGS, "runtimeArgs": ["--host-uds=open"]}})

    def test_whether_a_filter_holds_is_tried_from_inside(self, gvisor):
        assert network_families({"runsc": SETTINGS}) == []
        unfiltered = {**SETTINGS, "runtimeArgs": [word for word in SETTINGS["runtimeArgs"] if "seccomp" not in word]}
        assert network_families({"runsc": unfiltered}) == ["AF_INET", "AF_INET6"]
        assert [takes_filters({"runsc": settings}) for settings in (SETTINGS, unfiltered)] == [True, False]

    def test_only_root_can_use_it(self, monkeypatch):
        monkeypatch.setattr(os, "geteuid", lambda: 1000)
        assert "by root only" in why_unusable({"runsc": SETTINGS})

    @pytest.mark.slow
    def test_an_engine_without_it_is_told_in_one_sentence(self, docker, root, monkeypatch):
        monkeypatch.setattr("arena.sandboxes.docker.gvisor.RUNTIME", "not-there")
        with pytest.raises(InfraError, match="has no runtime not-there; `arena doctor` says what to do"):
            asyncio.run(GvisorSandbox(BotImage(BASE_IMAGE, ("true",)), Limits()).dry_run())
        assert left_behind() == []

    def test_the_continuous_build_is_set_up_as_doctor_says(self):
        assert SETTING in (ROOT / "tests" / "prepare-machine.sh").read_text()

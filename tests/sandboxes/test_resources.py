"""What a bot may use: bombs, floods and fills hurt nobody but the bot itself."""

import asyncio
import os
import resource
import time

import pytest

from arena.bots.running import SandboxedBot
from arena.errors import Disconnected, InfraError, OutOfMemory
from arena.match import Contestant
from arena.referee.enforcement import weaknesses
from arena.sandboxes import processors
from arena.sandboxes.base import Limits
from arena.sandboxes.kernel import cgroup_tree
from arena.sandboxes.launched.bubblewrap import WritableTmpfs
from arena.untrusted.units import MIB
from tests.sandboxes.sandbox_kit import FORK_BOMB, MEMORY_BOMB, OBEDIENT, Bench, small, tell

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="starts sandboxes")]


def die(bench: Bench, code: str, limits: Limits, **options):
    """How a bot dies of a piece of code, and the enforcement that it died under."""

    async def play():
        async with bench.sandbox(limits=limits, **options) as sandbox:
            endpoint = await sandbox.start()
            attack = asyncio.create_task(tell(endpoint, code, timeout_s=60))
            death = await asyncio.wait_for(sandbox.wait(), 60)
            await asyncio.gather(attack, return_exceptions=True)
            return death, sandbox

    return asyncio.run(play())


@pytest.mark.slow
async def test_a_memory_bomb_ends_the_bot_only(bench, control_groups):
    async with bench.sandbox(limits=small()) as victim, bench.sandbox(limits=small()) as bomber:
        safe, endpoint = await victim.start(), await bomber.start()
        attack = asyncio.create_task(tell(endpoint, MEMORY_BOMB, timeout_s=60))
        death = await asyncio.wait_for(bomber.wait(), 60)
        await asyncio.gather(attack, return_exceptions=True)
        peak = bomber.peak_memory()
        other = await tell(safe, "result = 'alive'")
    assert death.out_of_memory
    assert isinstance(death.fault(), OutOfMemory)
    assert peak is None or peak <= 129 * MIB
    assert other == "'alive'"


async def test_no_bot_goes_before_the_referee(bench):
    """Its start by a real-time thread makes it no real-time process, and it may not become one."""
    code = """
from resource import RLIMIT_NICE, RLIMIT_RTPRIO, getrlimit
result = (os.sched_getscheduler(0), getrlimit(RLIMIT_RTPRIO), getrlimit(RLIMIT_NICE))
"""
    async with bench.sandbox(limits=small()) as sandbox:
        assert await tell(await sandbox.start(), code) == str((os.SCHED_OTHER, (0, 0), (0, 0)))


def test_no_sum_of_processor_time_ends_a_bot_that_stays_from_match_to_match(any_bench):
    """A limit over the life of a process ended honest bots after some hundred matches."""
    code = "import resource; result = resource.getrlimit(resource.RLIMIT_CPU)"
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    assert any_bench.ask(code) == str((hard, hard))


def test_a_soft_limit_of_the_operator_does_not_end_bots(process):
    """`ulimit -S -t` in a shell would otherwise hold for every bot."""
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (24 * 3600, hard))
    try:
        assert process.ask("import resource; result = resource.getrlimit(resource.RLIMIT_CPU)") == str((hard, hard))
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


@pytest.mark.parametrize("place", ["/tmp", "/dev/shm", "memfd"])
def test_files_in_memory_are_memory(bench, place, control_groups):
    code = f"""
files = []
for number in range(64):
    file = os.memfd_create("x") if {place!r} == "memfd" else os.open(f"{place}/{{number}}", os.O_CREAT | os.O_WRONLY)
    files.append(file)
    for _ in range(16):
        os.write(file, bytes(1 << 20))
"""
    # With /tmp and /dev/shm as large as they like, the memory limit is what holds.
    limits = small(tmp_bytes=4096 * MIB, shm_bytes=4096 * MIB)
    death, _ = die(bench, code, limits)
    assert death.out_of_memory


def test_tmp_and_shm_are_full_when_they_are_full(bench):
    code = """
def fill(place):
    written = 0
    try:
        for number in range(200):
            with open(f"{place}/{number}", "wb", buffering=0) as file:
                written += file.write(bytes(1 << 20))
    except OSError as error:
        return written >> 20, errno.errorcode[error.errno]
    return written >> 20, "no end"
result = fill("/tmp"), fill("/dev/shm")
"""
    tmp, shm = eval(bench.ask(code, limits=Limits(tmp_bytes=32 * MIB, shm_bytes=8 * MIB)))
    assert tmp[0] <= 33
    assert tmp[1] == "ENOSPC"
    assert shm[0] <= 9
    assert shm[1] == "ENOSPC"


def test_a_file_may_not_be_larger_than_its_limit(bench):
    code = """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    with open("/tmp/sparse", "wb") as file:
        file.truncate(1 << 40)
    result = "grew"
except OSError as error:
    result = errno.errorcode[error.errno]
"""
    assert bench.ask(code) == "'EFBIG'"


def test_the_socket_directory_cannot_be_filled(bench):
    code = """
made = 0
try:
    while made < 1000:
        open(f"/run/bot/{made}", "w").close()
        made += 1
except OSError as error:
    many = made, errno.errorcode[error.errno]
for number in range(made):
    os.unlink(f"/run/bot/{number}")
try:
    with open("/run/bot/big", "wb", buffering=0) as file:
        size = sum(file.write(bytes(4096)) for _ in range(1000))
except OSError as error:
    size = os.path.getsize("/run/bot/big"), errno.errorcode[error.errno]
result = many, size
"""
    many, size = eval(bench.ask(code))
    assert many[0] <= 16
    assert many[1] == "ENOSPC"
    assert size[0] <= 65536
    assert size[1] == "ENOSPC"


def test_no_place_takes_links_without_number(bench):
    """They take no room, and clearing away millions of them takes the kernel longer than a match may wait."""
    code = """
def fill(folder):
    open(f"{folder}/file", "w").close()
    made = 0
    try:
        while made < 1000:
            os.link(f"{folder}/file", f"{folder}/{made}")
            made += 1
    except OSError as error:
        return errno.errorcode[error.errno]
    return made
result = [fill(folder) for folder in ("/tmp", "/dev/shm", "/run/bot")]
"""
    assert bench.ask(code, limits=Limits(inodes=500)) == "['ENOSPC', 'ENOSPC', 'ENOSPC']"


def test_a_file_system_that_is_not_bounded_is_noticed_before_the_bot_runs(bubblewrap, monkeypatch):
    monkeypatch.setattr(WritableTmpfs, "mount", lambda self, uid, gid: (self.name, f"uid={uid},gid={gid}", False))
    with pytest.raises(InfraError, match="holds any number of files"):
        bubblewrap.ask("result = 1")


def test_a_bot_is_the_first_to_go_when_the_machine_is_out_of_memory(bubblewrap):
    code = """
try:
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("0")
except OSError:
    pass
result = open("/proc/self/oom_score_adj").read()
"""
    assert bubblewrap.ask(code) == repr("500\n")


def test_no_program_of_the_machine_is_started_for_a_bot_that_crashes(bench):
    """Where cores go to a program, root runs it outside of the bot's limits, unless the limit of cores is 1."""
    code = """
before = open("/proc/self/limits").read()
refused = 0
for call in (lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)), lambda: os.abort() if os.fork() == 0 else None):
    try:
        call()
    except (OSError, ValueError):
        refused += 1
result = before.split("Max core file size")[1].split()[:2], refused, open("/proc/self/limits").read() == before
"""
    assert bench.ask("import resource\n" + code) == "(['1', '1'], 1, True)"


def test_a_bot_sees_the_processors_that_it_may_use(any_bench, monkeypatch):
    monkeypatch.setattr(processors, "MAX_PROCESSORS", 1)
    code = "result = len(os.sched_getaffinity(0)), os.environ['OMP_NUM_THREADS'], os.environ['PYTHON_CPU_COUNT']"
    assert any_bench.ask(code) == "(1, '1', '1')"


def test_on_a_large_machine_bots_see_few_processors_and_all_of_a_table_the_same(monkeypatch):
    """Their runtimes would otherwise start more threads than a bot may have."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)))
    for pid in (0, 7, 63, 1000):
        monkeypatch.setattr(os, "getpid", lambda pid=pid: pid)
        chosen = processors.for_bot(Limits())
        assert len(set(chosen)) == 4
        assert chosen == processors.for_bot(Limits())
    assert len(processors.for_bot(Limits(cpus=6.5))) == 7


async def test_a_fork_bomb_stays_in_its_bounds(bench):
    async with bench.sandbox(limits=small()) as sandbox:
        endpoint = await sandbox.start()
        answer = await tell(endpoint, FORK_BOMB)
        outside = os.fork()
        if outside == 0:
            os._exit(0)
        os.waitpid(outside, 0)
        made, error = eval(answer)
    assert 8 <= made <= 32
    assert error == "EAGAIN"


def test_a_thread_bomb_stays_in_its_bounds(bench):
    code = """
made = 0
try:
    while made < 500:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        made += 1
    result = made
except RuntimeError:
    result = made
"""
    assert int(bench.ask(code, limits=small())) <= 32


@pytest.mark.slow
async def test_processor_time_is_held_to_its_share(bench, control_groups):
    code = """
end = time.monotonic() + 2
def burn():
    while time.monotonic() < end:
        pass
for _ in range(8):
    if os.fork() == 0:
        burn()
        os._exit(0)
burn()
"""
    async with bench.sandbox(limits=small(cpus=0.5)) as sandbox:
        endpoint = await sandbox.start()
        before, began = sandbox.cpu_time(), time.monotonic()
        await tell(endpoint, code)
        assert 0.2 < (sandbox.cpu_time() - before) / (time.monotonic() - began) < 0.75


HIERARCHIES = {
    "all": lambda: None,
    "version 1": lambda: tuple(found for found in cgroup_tree.discover() if found.version == 1),
    "version 2": lambda: tuple(found for found in cgroup_tree.discover() if found.version == 2),
    "none": lambda: (),
}


@pytest.mark.parametrize("choice", HIERARCHIES)
async def test_a_frozen_bot_uses_no_processor_and_wakes_up(bench, choice):
    burn = """
def burn():
    while True:
        pass
for _ in range(3):
    if os.fork() == 0:
        burn()
"""
    async with bench.sandbox(limits=small(), hierarchies=HIERARCHIES[choice]()) as sandbox:
        endpoint = await sandbox.start()
        await tell(endpoint, burn)
        await asyncio.sleep(0.2)
        frozen = await sandbox.freeze()
        await asyncio.sleep(0.1)
        before = sandbox.cpu_time()
        await asyncio.sleep(0.5)
        used = sandbox.cpu_time() - before
        await sandbox.thaw()
        answer = await tell(endpoint, "result = 'awake'")
        async with asyncio.timeout(20):
            while sandbox.cpu_time() < before + 0.1:
                await asyncio.sleep(0.05)
        how = sandbox.enforcement()["freeze"]
    assert answer == "'awake'"
    # The docker daemon sometimes cannot pause a busy container, and on a busy machine the kernel may need longer than
    # we wait; that must then be reported, as False. Whatever is reported as frozen must use no processor.
    assert isinstance(frozen, bool)
    assert not frozen or used < 0.03, how


@pytest.mark.parametrize("choice", HIERARCHIES)
async def test_a_frozen_bot_can_be_killed(bench, choice):
    async with bench.sandbox(limits=small(), hierarchies=HIERARCHIES[choice]()) as sandbox:
        await sandbox.start()
        await sandbox.freeze()
        began = time.monotonic()
        await sandbox.kill()
        seconds, death = time.monotonic() - began, sandbox.death()
    assert seconds < 8
    assert death.by_referee


@pytest.mark.slow
def test_without_control_groups_a_watchdog_holds_memory_and_a_limit_processes(bubblewrap):
    death, sandbox = die(bubblewrap, MEMORY_BOMB + "    time.sleep(0.002)\n", small(), hierarchies=())
    assert death.out_of_memory
    assert sandbox.enforcement()["memory"] == "rlimit"
    # What the watchdog cannot see must not exist.
    assert (
        bubblewrap.ask("os.memfd_create('x')", hierarchies=()) == "PermissionError: [Errno 1] Operation not permitted"
    )
    made, error = eval(bubblewrap.ask(FORK_BOMB, limits=small(), hierarchies=()))
    assert made <= 32
    assert error == "EAGAIN"


HEADLESS = OBEDIENT.replace("while True:\n    line", "def answer():\n  while True:\n    line").replace(
    "\n    ", "\n      "
)
"""Its first thread exits, and another one answers: /proc calls the process a zombie, without memory or environment."""
HEADLESS += "\nthreading.Thread(target=answer).start()\nsyscall(60, 0)\n"


@pytest.mark.parametrize("kind", ["bubblewrap", "process"])
async def test_without_control_groups_a_process_without_its_first_thread_is_held_like_any_other(kind, request):
    bench = request.getfixturevalue(kind)
    burn = "threading.Thread(target=lambda: any(False for _ in iter(int, 1))).start()"
    async with bench.sandbox(HEADLESS, limits=small(), hierarchies=()) as sandbox:
        endpoint = await sandbox.start()
        await tell(endpoint, burn)
        awake = sandbox.cpu_time()
        await asyncio.sleep(0.3)
        frozen, before = await sandbox.freeze(), sandbox.cpu_time()
        await asyncio.sleep(0.3)
        asleep = sandbox.cpu_time() - before
        await sandbox.thaw()
        bomb = asyncio.create_task(tell(endpoint, MEMORY_BOMB + "    time.sleep(0.002)\n", timeout_s=60))
        death = await asyncio.wait_for(sandbox.wait(), 60)
        await asyncio.gather(bomb, return_exceptions=True)
        spent, out_of_memory = before - awake, death.out_of_memory
    assert spent > 0.05
    assert asleep < 0.03 or not frozen
    assert out_of_memory


BY_TIMERS = """
signal.signal(signal.SIGCONT, lambda *_: None)
event = (ctypes.c_int * 16)(0, 0, signal.SIGCONT)
timer = ctypes.c_int()
for number in range(20):
    libc.timer_create(time.CLOCK_MONOTONIC, event, ctypes.byref(timer))
    times = (ctypes.c_long * 4)(0, 20_000_000, 0, (20 + number) * 1_000_000)
    libc.timer_settime(ctypes.c_void_p(timer.value), 0, times, 0)
"""
BY_READERS = """
import fcntl
try:
    fcntl.fcntl(1, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(1, 10, signal.SIGCONT)
    fcntl.fcntl(1, fcntl.F_SETFL, os.O_WRONLY | os.O_ASYNC)
except PermissionError:
    pass
threading.Thread(target=lambda: [os.write(1, bytes(4096)) for _ in iter(int, 1)], daemon=True).start()
"""


@pytest.mark.parametrize("wake", [BY_TIMERS, BY_READERS], ids=["timers", "who reads what it prints"])
async def test_without_control_groups_no_signal_that_it_asked_for_wakes_a_stopped_bot(bubblewrap, wake):
    """The kernel sends SIGCONT to a process that is stopped, too, and nobody else would have to run for it."""
    burn = "threading.Thread(target=lambda: any(False for _ in iter(int, 1)), daemon=True).start()"
    async with bubblewrap.sandbox(limits=Limits(log_bytes=1), hierarchies=()) as sandbox:
        endpoint = await sandbox.start()
        await tell(endpoint, wake + burn)
        await asyncio.sleep(0.05)  # its output is not read any faster by now
        await sandbox.freeze()
        before = sandbox.cpu_time()
        await asyncio.sleep(0.3)
        assert sandbox.cpu_time() - before < 0.03


BURN = """
def burn(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass
"""
THREADS = """
threads = [threading.Thread(target=burn, args=(0.1,)) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""
LOST_CHILDREN = """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(4):
    if os.fork() == 0:
        burn(0.1)
        os._exit(0)
    try:
        os.wait()  # until there is none left
    except ChildProcessError:
        pass
"""


@pytest.mark.parametrize("spend", [THREADS, LOST_CHILDREN], ids=["threads", "lost children"])
async def test_without_control_groups_processor_time_is_counted_wherever_it_is_spent(bubblewrap, spend):
    """Who ignores SIGCHLD need not wait for its children, and the kernel adds their time to nobody's."""
    async with bubblewrap.sandbox(hierarchies=()) as sandbox:
        endpoint = await sandbox.start()
        before = sandbox.cpu_time()
        await tell(endpoint, BURN + spend)
        spent, held = sandbox.cpu_time() - before, sandbox.enforcement()
    assert 0.2 < spent < 0.8
    assert "cputime: processes" in weaknesses(held)


@pytest.mark.slow
async def test_a_flood_of_output_blocks_its_writer_and_costs_the_referee_nothing(any_bench):
    flood = OBEDIENT.replace(
        "while True:\n    line",
        """
def flood():
    while True:
        os.write(2, b"x" * 65535 + b"\\n")
threading.Thread(target=flood, daemon=True).start()
while True:
    line""",
    )
    async with any_bench.sandbox(flood, limits=small()) as sandbox:
        await sandbox.start()
        before = resource.getrusage(resource.RUSAGE_SELF)
        await asyncio.sleep(3)
        after = resource.getrusage(resource.RUSAGE_SELF)
        await sandbox.kill()
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        log, tail = sandbox.log(), sandbox.death().log
    assert seconds < 0.5
    assert len(log) <= 1.1 * MIB
    assert 0 < len(tail) <= 4096


async def test_output_is_kept_escaped(any_bench):
    shout = "import sys; sys.stdout.buffer.write(b'\\x1b]0;owned\\x07 \\xe2\\x80\\xae \\xff \\x00\\r\\n'); sys.exit(3)"
    sandbox = any_bench.sandbox(shout)
    with pytest.raises(Exception, match="code 3"):
        await sandbox.start()
    assert sandbox.death().log == "\\x1b]0;owned\\x07 \\u202e \\xff \\x00\\r\n"


async def test_the_kernel_counts_what_it_killed_even_if_the_daemon_hears_of_it_late(
    docker, control_groups, monkeypatch
):
    """The daemon notices the exit three seconds late, and has not heard of the kernel's reason even then."""
    noticed = []
    async with docker.sandbox(limits=small()) as sandbox:
        endpoint = await sandbox.start()
        ask = sandbox._client.api.inspect_container

        def inspect(container):
            found = ask(container)
            if not found["State"]["Running"]:
                noticed.append(time.monotonic())
            running = not noticed or time.monotonic() < noticed[0] + 3.0
            return {**found, "State": {**found["State"], "Running": running, "OOMKilled": False}}

        monkeypatch.setattr(sandbox._client.api, "inspect_container", inspect)
        bot = SandboxedBot(Contestant("bomber"), sandbox, ponder=False)
        attack = asyncio.create_task(tell(endpoint, MEMORY_BOMB, timeout_s=60))
        await asyncio.gather(attack, return_exceptions=True)
        assert isinstance(await bot.refine(Disconnected("hung up")), OutOfMemory)
    assert noticed

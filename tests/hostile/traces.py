"""What a bot could leave behind: found by the names that this referee gives to its things, so others may play too."""

import contextlib
import gc
import os
import tempfile
import threading
import time
from collections.abc import Iterable
from pathlib import Path

from arena.sandboxes.docker.client import DockerClient
from arena.sandboxes.docker.container import REFEREE_LABEL
from arena.sandboxes.kernel import procfs
from arena.sandboxes.referee_id import referee_id, start_time

MIB = 1 << 20
Identity = tuple[int, int]
"""A process by its number and its start: numbers are used again."""
_CGROUPS = Path("/sys/fs/cgroup")
_SETTLE_S = 3.0
_SPARE_DESCRIPTORS = 8
"""Libraries open a few descriptors for themselves, once; a leak of a match would be more than that in a few cases."""


class Traces:
    """The state of this process and of its things on the machine, before and after."""

    def __init__(self, *, docker: bool) -> None:
        gc.collect()
        self._docker = docker
        self._descriptors = _descriptors()
        self._threads = set(threading.enumerate())
        self._sandboxed: set[Identity] = set()
        self._containers: set[str] = set()
        self._available = available_memory()
        self._cpu = time.process_time()
        forget_peak_memory()
        self._memory = peak_memory()

    def note(self) -> None:
        """Look at everything that runs now, to look for it again when it should be gone."""
        self._sandboxed |= sandboxed(os.getpid())
        self._containers |= self._running_containers()

    def growth(self) -> int:
        """By how many bytes this process grew at its largest."""
        return peak_memory() - self._memory

    def host_loss(self) -> int:
        """Bytes of the machine's memory that are gone since the beginning."""
        return self._available - available_memory()

    def cpu(self) -> float:
        """Processor seconds that this process used."""
        return time.process_time() - self._cpu

    def left(self) -> list[str]:
        """All that is still there, once what is on its way out had a moment."""
        deadline = time.monotonic() + _SETTLE_S
        while (found := self._find()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return found

    def _running_containers(self) -> set[str]:
        return _containers() if self._docker else set()

    def _find(self) -> list[str]:
        names = (referee_id(), *self._containers)
        found = [f"process {pid} in a bot's namespace" for pid in living(self._sandboxed)]
        found += [f"process {pid} of a container" for pid in _in_groups(self._containers)]
        found += [f"process {pid} of this referee" for pid in descendants(os.getpid()) if is_launcher(pid)]
        found += [f"container {name}" for name in self._running_containers()]
        found += [f"control group {path}" for path in groups() if any(name in path for name in names)]
        found += [
            f"mount {line}" for line in Path("/proc/self/mountinfo").read_text().splitlines() if referee_id() in line
        ]
        found += [f"directory {path}" for path in Path("/run/arena").glob(f"{referee_id()}*")]
        found += [f"file {path}" for path in Path(tempfile.gettempdir()).iterdir()]
        found += [f"thread {thread.name}" for thread in set(threading.enumerate()) - self._threads if _is_ours(thread)]
        if (more := _descriptors() - self._descriptors) > _SPARE_DESCRIPTORS:
            found.append(f"{more} more open descriptors")
        return found


def _is_ours(thread: threading.Thread) -> bool:
    # Those that wait for work stay for the next match: of asyncio's pool and of gRPC.
    return not thread.daemon and not thread.name.startswith("asyncio_")


def is_launcher(pid: int) -> bool:
    """Whether a process is one that builds a sandbox."""
    with contextlib.suppress(OSError):
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        return b"launched/launcher.py" in command or b"bwrap" in command.split(b"\0")[0]
    return False


def descendants(top: int) -> list[int]:
    """The children of a process, their children, and so on."""
    children: dict[int, list[int]] = {}
    for pid in procfs.all_processes():
        children.setdefault(int(procfs.status(pid).get("PPid", 0)), []).append(pid)
    found: list[int] = []
    todo = [top]
    while todo:
        young = children.get(todo.pop(), [])
        found += young
        todo += young
    return found


def sandboxed(top: int) -> set[Identity]:
    """The processes below one that are in pid namespaces of their own, the first ones of these among them.

    A pid namespace ends with its first process. Its own number is no good name for it: the kernel gives it away again.
    """
    outside = (None, procfs.namespace("self", "pid"))
    found = [pid for pid in descendants(top) if procfs.namespace(pid, "pid") not in outside]
    return {(pid, started) for pid in found if (started := start_time(pid)) is not None}


def living(noted: Iterable[Identity]) -> list[int]:
    """Those of the processes that are still there and not dead."""
    return [pid for pid, started in noted if start_time(pid) == started and not procfs.is_dead(pid)]


def _in_groups(names: set[str]) -> list[int]:
    found = []
    for pid in procfs.all_processes() if names else ():
        with contextlib.suppress(OSError):
            text = Path(f"/proc/{pid}/cgroup").read_text()
            if any(name in text for name in names):
                found.append(pid)
    return found


def groups() -> list[str]:
    """Every control group of the machine."""
    return [folder for folder, _, _ in os.walk(_CGROUPS)]


def _containers() -> set[str]:
    client = DockerClient()
    try:
        ours = {"label": f"{REFEREE_LABEL}={referee_id()}"}
        found = client.call(client.api.containers, all=True, filters=ours)
        # The daemon may go on listing a container as being removed that it does not know any more.
        return {entry["Id"] for entry in found if entry["State"] != "removing"}
    finally:
        client.close()


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def available_memory() -> int:
    """Bytes that the machine could still give to programs."""
    return _kib("/proc/meminfo", "MemAvailable") * 1024


def socket_memory() -> int:
    """Bytes in the buffers of all network sockets of the machine, by the kernel's own count."""
    words = [line.split() for line in Path("/proc/net/sockstat").read_text().splitlines()]
    return sum(int(line[line.index("mem") + 1]) for line in words if "mem" in line) * os.sysconf("SC_PAGE_SIZE")


def forget_peak_memory() -> None:
    """Let the kernel count this process's peak from here."""
    Path("/proc/self/clear_refs").write_text("5")


def peak_memory() -> int:
    """The most bytes that this process held since then."""
    return _kib("/proc/self/status", "VmHWM") * 1024


def _kib(path: str, name: str) -> int:
    return next(int(line.split()[1]) for line in Path(path).read_text().splitlines() if line.startswith(name))

"""Information from /proc about processes: namespaces, status, usage and limits.

A process whose first thread has exited looks like a zombie, without namespaces, memory or environment, while its other
threads go on. So whether a process lives, has stopped, and what it holds is asked of its threads.
"""

import contextlib
import os
import signal
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_LISTS_CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")
"""Whether the kernel was built to list the children of a process."""
_PAGE = os.sysconf("SC_PAGE_SIZE")
_OWN_TICKS, _CHILDREN_TICKS, _START = slice(11, 13), slice(13, 15), 19
"""Where /proc/PID/stat says how long a process ran, how long children that it waited for did, and when it began."""
_GONE = [b"X", *[b"0"] * 50]
_EXITING = 0x4
"""The kernel's flag for a process that has begun to exit."""


def namespace(pid: int | str, kind: str) -> int | None:
    """The identity of a process's namespace; None when the process is gone or hidden."""
    for place in _places(pid):
        with contextlib.suppress(OSError):
            return os.stat(f"{place}/ns/{kind}").st_ino
    return None


def members(pid_namespace: int, init: int | None = None) -> list[int]:
    """The processes of a pid namespace, without zombies, which may wait long for a slow init to reap them.

    They all descend from its init, and while that lives they are found from there, without a look at the whole machine.
    """
    lives = init is not None and namespace(init, "pid") == pid_namespace
    among = descendants(init) if init is not None and lives and _LISTS_CHILDREN else all_processes()
    return [pid for pid in among if namespace(pid, "pid") == pid_namespace and not is_dead(pid)]


def descendants(top: int) -> Iterator[int]:
    """A process, its children, their children, and so on."""
    todo = [top]
    while todo:
        yield (pid := todo.pop())
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{thread}/children", "rb", buffering=0) as file:
                    todo += map(int, file.read().split())


def all_processes() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdecimal())


@dataclass(frozen=True, slots=True)
class Mount:
    """A mounted file system, as a process sees it."""

    point: str
    kind: str
    writable: bool
    options: Mapping[str, str]
    """Those of the file system itself; words without a value have an empty one."""

    @property
    def inodes(self) -> int | None:
        """How many files, folders and links it holds at most, if it says so."""
        return int(self.options["nr_inodes"]) if "nr_inodes" in self.options else None


def mounts(pid: int | str) -> list[Mount]:
    """The mounted file systems of a process."""
    return [_parse_mount(line) for line in Path(f"/proc/{pid}/mountinfo").read_text().splitlines()]


def _parse_mount(line: str) -> Mount:
    left, _, right = line.partition(" - ")
    point, options = left.split()[4:6]
    kind, _, own = right.split(" ", 2)
    words = (word.partition("=") for word in own.split(","))
    return Mount(point, kind, "rw" in options.split(","), {name: value for name, _, value in words})


def status(pid: int) -> dict[str, str]:
    """The fields of /proc/PID/status; empty when the process is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(errors="replace").splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def cpu_time(pid: int) -> float:
    """Processor seconds of a process and of its children that it has waited for."""
    fields = _stat(pid)
    return _seconds(fields[_OWN_TICKS]) + _seconds(fields[_CHILDREN_TICKS])


def _seconds(ticks: Iterable[bytes]) -> float:
    return sum(map(int, ticks)) / _TICKS


class ProcessorTime:
    """Counts the processor time of processes that come and go, as far as they are looked at while they live.

    A process counts the time of its children only if it waits for them; it may tell the kernel that it will not.
    """

    def __init__(self) -> None:
        self._own: dict[tuple[int, bytes], float] = {}
        """What each process was last seen to have used itself, by its number and start."""

    def total(self, pids: Iterable[int]) -> float:
        """Processor seconds of these processes, of those seen before, and of children that they have waited for."""
        waited = 0.0
        for pid in pids:
            fields = _stat(pid)
            own = self._own[pid, fields[_START]] = _seconds(fields[_OWN_TICKS])
            waited += own + _seconds(fields[_CHILDREN_TICKS])
        # Both leave something out, and count nothing twice.
        return max(waited, sum(self._own.values()))


def memory(pid: int) -> int:
    """Proportional set size of a process in bytes, or all of it where the shares are hidden."""
    for place in _places(pid):
        with contextlib.suppress(OSError):
            for line in Path(f"{place}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    return int(line.split()[1]) * 1024
    return max((_resident(place) for place in _places(pid)), default=0)


def _resident(place: str) -> int:
    with contextlib.suppress(OSError):
        return int(Path(f"{place}/statm").read_text().split()[1]) * _PAGE
    return 0


def limit(pid: int, name: str) -> str | None:
    """The hard value of a resource limit as /proc/PID/limits names it."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/limits").read_text().splitlines():
            if line.startswith(name):
                return line.removeprefix(name).split()[1]
    return None


def is_dead(pid: int) -> bool:
    """Whether a process is gone or a zombie with all its threads."""
    return _is_in(pid, b"ZX")


def is_ending(pid: int) -> bool:
    """Whether a process is gone or exiting: then it has no namespaces any more and yet seems to run."""
    return is_dead(pid) or int(_stat(pid)[6]) & _EXITING != 0


def is_stopped(pid: int) -> bool:
    """Whether all threads of a process are stopped by a signal, or gone."""
    return _is_in(pid, b"TtZX")


def _is_in(pid: int, states: bytes) -> bool:
    """Whether every thread of a process is in one of these states."""
    return _stat(pid)[0] in states and all(_stat(pid, thread)[0] in states for thread in _threads(pid))


def _threads(pid: int | str) -> list[str]:
    with contextlib.suppress(OSError):
        return os.listdir(f"/proc/{pid}/task")
    return []


def _places(pid: int | str) -> Iterator[str]:
    """Where a process is described: as a whole, and where its first thread has exited, by the others."""
    yield f"/proc/{pid}"
    yield from (f"/proc/{pid}/task/{thread}" for thread in _threads(pid))


def _stat(pid: int, thread: str | None = None) -> list[bytes]:
    """The fields of /proc/PID/stat behind the name, which may have any characters; as of a dead one if it is gone."""
    place = f"/proc/{pid}" if thread is None else f"/proc/{pid}/task/{thread}"
    try:
        with open(f"{place}/stat", "rb", buffering=0) as file:
            return file.read().rpartition(b")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return _GONE


def with_environment(token: bytes) -> list[int]:
    """The processes whose initial environment contains a token, also those that have left their process group."""
    return [pid for pid in all_processes() if token in _environment(pid)]


def _environment(pid: int) -> bytes:
    for place in _places(pid):
        with contextlib.suppress(OSError):
            if found := Path(f"{place}/environ").read_bytes():
                return found
    return b""


def send_signal(pids: list[int], number: signal.Signals) -> None:
    """Send a signal to the processes; those that are gone are skipped."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)

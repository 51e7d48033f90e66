"""Information from /proc about processes: namespaces, status, usage and limits."""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_LISTS_CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")
"""Whether the kernel was built to list the children of a process."""
_GONE = [b"X", *[b"0"] * 50]
_EXITING = 0x4
"""The kernel's flag for a process that has begun to exit."""


def namespace(pid: int | str, kind: str) -> int | None:
    """The identity of a process's namespace; None when the process is gone or hidden."""
    try:
        return os.stat(f"/proc/{pid}/ns/{kind}").st_ino
    except OSError:
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
    """All processes in /proc."""
    return (int(name) for name in os.listdir("/proc") if name.isdecimal())


def status(pid: int) -> dict[str, str]:
    """The fields of /proc/PID/status; empty when the process is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(errors="replace").splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def cpu_time(pid: int) -> float:
    """Processor seconds of a process and of its children that it has waited for."""
    return sum(map(int, _stat(pid)[11:15])) / _TICKS


def memory(pid: int) -> int:
    """Proportional set size of a process in bytes."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def limit(pid: int, name: str) -> str | None:
    """The hard value of a resource limit as /proc/PID/limits names it."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/limits").read_text().splitlines():
            if line.startswith(name):
                return line.removeprefix(name).split()[1]
    return None


def is_dead(pid: int) -> bool:
    """Whether a process is gone or a zombie."""
    return _stat(pid)[0] in b"ZX"


def is_ending(pid: int) -> bool:
    """Whether a process is gone or exiting: then it has no namespaces any more and yet seems to run."""
    fields = _stat(pid)
    return fields[0] in b"ZX" or int(fields[6]) & _EXITING != 0


def is_stopped(pid: int) -> bool:
    """Whether a process is stopped by a signal, or is gone."""
    return _stat(pid)[0] in b"TtZX"


def _stat(pid: int) -> list[bytes]:
    """The fields of /proc/PID/stat behind the name, which may have any characters; as of a dead one if it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:
            return file.read().rpartition(b")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return _GONE


def with_environment(token: bytes) -> list[int]:
    """The processes whose initial environment contains a token, also those that have left their process group."""
    found = []
    for pid in all_processes():
        with contextlib.suppress(OSError):
            if token in Path(f"/proc/{pid}/environ").read_bytes():
                found.append(pid)
    return found


def send_signal(pids: list[int], number: signal.Signals) -> None:
    """Send a signal to the processes; those that are gone are skipped."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)

"""Information from /proc about processes: namespaces, status, usage and limits."""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_EXITING = 0x4
"""The kernel's flag for a process that has begun to exit."""


def namespace(pid: int | str, kind: str) -> int | None:
    """The identity of a process's namespace; None when the process is gone or hidden."""
    try:
        return os.stat(f"/proc/{pid}/ns/{kind}").st_ino
    except OSError:
        return None


def members(pid_namespace: int) -> list[int]:
    """The processes of a pid namespace, without zombies, which may wait long for a slow init to reap them."""
    found = (pid for pid in all_processes() if namespace(pid, "pid") == pid_namespace)
    return [pid for pid in found if not is_dead(pid)]


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
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return sum(map(int, text.rpartition(")")[2].split()[11:15])) / _TICKS


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
    return status(pid).get("State", "X")[0] in "ZX"


def is_ending(pid: int) -> bool:
    """Whether a process is gone or exiting: then it has no namespaces any more and yet seems to run."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return fields[0] in "ZX" or int(fields[6]) & _EXITING != 0


def is_stopped(pid: int) -> bool:
    """Whether a process is stopped by a signal, or is gone."""
    return status(pid).get("State", "Z")[0] in "TtZX"


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

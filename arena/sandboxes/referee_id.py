"""A unique name for this referee process, by which what it leaves behind can be found when it is gone."""

import os
from pathlib import Path

PREFIX = "arena"
_ENDED = "ZX"
"""The states of a process that was killed, and whose parent has not looked yet."""


def referee_id() -> str:
    """Name this process as `pid namespace - pid - start time`: process numbers are used again, start times are not."""
    return f"{_pid_namespace()}-{os.getpid()}-{start_time(os.getpid())}"


def is_alive(name: str) -> bool:
    """Whether the referee with this id still runs; a process of another pid namespace is taken to be alive."""
    try:
        namespace, pid, started = map(int, name.split("-"))
    except ValueError:
        return True
    return namespace != _pid_namespace() or start_time(pid) == started


def start_time(pid: int) -> int | None:
    """The start time of a process in clock ticks since boot; None when there is no such process, or it has ended."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The command in parentheses may hold anything, so the fields are counted from its end.
    fields = status.rpartition(")")[2].split()
    return None if fields[0] in _ENDED else int(fields[19])


def _pid_namespace() -> int:
    return os.stat("/proc/self/ns/pid").st_ino

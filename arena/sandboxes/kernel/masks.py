"""What a bot sees of the machine in /proc and /sys: itself, and a few facts that stand still; all else is masked.

The files of the kernel count forks, terminals, pages and open files of the whole machine, and so tell a bot what
another one does. Interpreters want some of them, so these are shown as they were when the referee first looked.
"""

import functools
import os
from collections.abc import Collection, Iterator
from pathlib import Path

FACTS = ("cpuinfo", "loadavg", "meminfo", "stat", "uptime")
"""Read by C libraries, Java, Node and Go to learn how many processors and how much memory there is."""
PROC_KEPT = frozenset({"self", "thread-self", "mounts", "net", "cgroups", "filesystems", "version"})
SYS_KEPT = frozenset({"fs/cgroup", "kernel/mm/transparent_hugepage"})
"""Where a container's own limits are read, and what garbage collectors ask for."""
_STAT_KEPT = ("cpu", "btime")


@functools.cache
def facts() -> dict[str, str]:
    """The text of each fact: the same for every bot of this referee, however long it runs."""
    found = {name: Path("/proc", name).read_text() for name in FACTS}
    lines = found["stat"].splitlines(keepends=True)
    return found | {"stat": "".join(line for line in lines if line.startswith(_STAT_KEPT))}


@functools.cache
def proc_masked() -> tuple[str, ...]:
    """Every file and folder of /proc that a bot sees empty."""
    return tuple(path for path in _unlisted("/proc", PROC_KEPT | {*FACTS}) if not path.split("/")[2].isdecimal())


@functools.cache
def sys_masked() -> tuple[str, ...]:
    """Every file and folder of /sys that a bot sees empty."""
    return tuple(_unlisted("/sys", SYS_KEPT))


def _unlisted(folder: str, kept: Collection[str]) -> Iterator[str]:
    """What is neither kept nor leads to what is; links lead elsewhere, where they are masked or not."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        path = f"{folder}/{name}"
        inner = {other.removeprefix(f"{name}/") for other in kept if other.startswith(f"{name}/")}
        if inner:
            yield from _unlisted(path, inner)
        elif name not in kept and not os.path.islink(path):
            yield path

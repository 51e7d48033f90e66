"""Which files of /proc and /sys a bot sees, which of them as snapshots, and which are masked.

The kernel's files count forks, terminals, pages and open files of the whole machine, and so tell a bot what another bot
does. Interpreters need some of them, so these are shown as they were when the referee first read them.
"""

import functools
import os
from collections.abc import Collection, Iterator
from pathlib import Path

SNAPSHOT_FILES = ("cpuinfo", "loadavg", "meminfo", "stat", "uptime")
"""Read by C libraries, Java, Node and Go to learn how many processors and how much memory there is."""
PROC_SHOWN = frozenset({"self", "thread-self", "mounts", "net", "cgroups", "filesystems", "version"})
_HUGE_PAGES = "kernel/mm/transparent_hugepage"
SYS_SHOWN = frozenset(
    {"fs/cgroup", *(f"{_HUGE_PAGES}/{name}" for name in ("enabled", "defrag", "shmem_enabled", "hpage_pmd_size"))}
)
"""Needed to read the limits of a container, and by garbage collectors: settings of huge pages, not their counters."""
_STAT_SHOWN = ("cpu", "btime")


@functools.cache
def snapshots() -> dict[str, str]:
    """The text of each file, read once: the same for every bot of this referee."""
    found = {name: Path("/proc", name).read_text() for name in SNAPSHOT_FILES}
    lines = found["stat"].splitlines(keepends=True)
    return found | {"stat": "".join(line for line in lines if line.startswith(_STAT_SHOWN))}


@functools.cache
def proc_masked() -> tuple[str, ...]:
    """Every file and folder of /proc that a bot sees empty."""
    return tuple(
        path for path in _paths_to_mask("/proc", PROC_SHOWN | {*SNAPSHOT_FILES}) if not path.split("/")[2].isdecimal()
    )


@functools.cache
def sys_masked() -> tuple[str, ...]:
    """Every file and folder of /sys that a bot sees empty."""
    return tuple(_paths_to_mask("/sys", SYS_SHOWN))


def _paths_to_mask(folder: str, kept: Collection[str]) -> Iterator[str]:
    """The paths in a folder that are neither shown nor above a path that is; links are masked where they lead."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        path = f"{folder}/{name}"
        inner = {other.removeprefix(f"{name}/") for other in kept if other.startswith(f"{name}/")}
        if inner:
            yield from _paths_to_mask(path, inner)
        elif name not in kept and not os.path.islink(path):
            yield path

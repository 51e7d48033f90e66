"""Control groups of version 1, 2 or both: limits, freezing, killing and accounting for the processes of a bot."""

import contextlib
import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from arena.errors import InfraError
from arena.sandboxes.base import Limits
from arena.sandboxes.kernel.cgroup_tree import FEATURES, Hierarchy, make_group
from arena.sandboxes.referee_id import PREFIX, is_alive

CPU_PERIOD_US = 20_000
"""Short, so that a bot with many threads waits 20 ms at most for its next share, not the usual 100."""

SOCKET_BYTES = 16 << 20
"""Limit of the buffers of network sockets, where the kernel does not count them as memory."""

_REMOVE_S = 2.0
_READ_BYTES = 4096
# The file, by version, that must be writable to use a feature of a group that docker made; the others are only read.
_CONTROL_FILES = {"freeze": ("freezer.state", "cgroup.freeze"), "kill": ("", "cgroup.kill")}


@dataclass(frozen=True, slots=True)
class FeatureDirectory:
    """The directory of a group that provides a feature, and its control group version."""

    version: int
    path: Path


class ControlGroup:
    """The control group of a bot: a directory in each hierarchy that is needed for its features."""

    def __init__(self, directories: Mapping[str, FeatureDirectory]) -> None:
        self._directories = dict(directories)
        self.features = frozenset(directories)
        """Those of memory, pids, cpu, cputime, freeze and kill that this group has."""
        self._open_files: dict[str, int] = {}
        """Files that are used with every move stay open: opening a file costs ten times as much as reading it."""

    @classmethod
    def create(cls, name: str, hierarchies: Sequence[Hierarchy]) -> Self:
        """Make the directories; features that no hierarchy offers are missing from `features`."""
        directories: dict[str, FeatureDirectory] = {}
        try:
            for hierarchy in sorted(hierarchies, key=lambda found: -found.version):
                missing = FEATURES - directories.keys()
                path, offered = make_group(hierarchy, name, missing)
                directories |= {
                    feature: FeatureDirectory(hierarchy.version, path) for feature in offered if path is not None
                }
        except BaseException:
            cls(directories).remove()
            raise
        return cls(directories)

    @classmethod
    def of_process(cls, pid: int, name: str, hierarchies: Sequence[Hierarchy]) -> Self:
        """The control group that docker made for a process; `name` in its path shows that it is not shared."""
        directories: dict[str, FeatureDirectory] = {}
        for hierarchy in sorted(hierarchies, key=lambda found: -found.version):
            path = hierarchy.of_process(pid)
            if path is None or name not in str(path) or not path.is_dir():
                continue
            for feature in hierarchy.features(path) - directories.keys():
                if feature not in _CONTROL_FILES or os.access(
                    path / _CONTROL_FILES[feature][hierarchy.version - 1], os.W_OK
                ):
                    directories[feature] = FeatureDirectory(hierarchy.version, path)
        return cls(directories)

    def version(self, feature: str) -> int:
        """The control group version of a feature."""
        return self._directories[feature].version

    @property
    def paths(self) -> frozenset[Path]:
        return frozenset(directory.path for directory in self._directories.values())

    def limit(self, limits: Limits) -> None:
        """Write the limits and read them back; InfraError when the kernel did not accept one."""
        for feature in ("memory", "pids", "cpu"):
            directory = self._directories.get(feature)
            if directory is None:
                continue
            for file, value in _settings(feature, directory.version, limits):
                if (directory.path / file).exists():
                    _write(directory.path / file, value)
        self.limit_sockets(limits)
        self.check(limits)

    def limit_sockets(self, limits: Limits) -> None:
        """Limit the buffers of network sockets: a build can fill its own loopback, and version 1 counts them apart."""
        directory = self._directories.get("memory")
        if directory is not None and os.access(file := directory.path / "memory.kmem.tcp.limit_in_bytes", os.W_OK):
            _write(file, str(min(limits.memory_bytes, SOCKET_BYTES)))

    def check(self, limits: Limits) -> None:
        """Compare the limits in force with those wanted; InfraError when a limit is higher or missing."""
        wanted = {"memory": limits.memory_bytes, "pids": limits.pids, "cpu": limits.cpus}
        try:
            found = self.limits()
        except OSError as error:
            raise InfraError(f"a limit cannot be read back: {error}") from error
        for feature, value in found.items():
            # The kernel rounds memory down to pages; a higher limit than wanted is an error.
            if value is None or value > wanted[feature] * 1.001:
                raise InfraError(f"the {feature} limit did not take: wanted {wanted[feature]}, read back {value}")

    def limits(self) -> dict[str, float | None]:
        """The limits in force: bytes, processes, processors; None for no limit."""
        readers = {"memory": _memory_limit, "pids": _pids_limit, "cpu": _cpu_limit}
        return {name: read(self._directories[name]) for name, read in readers.items() if name in self._directories}

    def exists(self) -> bool:
        """Whether the group still exists; the groups of a container vanish with it."""
        return all(path.is_dir() for path in self.paths)

    def procs_files(self) -> list[str]:
        """The `cgroup.procs` files, to which a process writes 0 to enter the group."""
        return sorted(str(path / "cgroup.procs") for path in self.paths)

    def processes(self) -> set[int]:
        return set().union(*map(self.members_of, self.paths))

    @staticmethod
    def members_of(path: Path) -> set[int]:
        """The processes in one directory of a group; none when it is gone."""
        try:
            return set(map(int, _read(path / "cgroup.procs").split()))
        except OSError:
            return set()

    def freeze(self) -> None:
        """Ask the kernel to stop all processes of the group; `is_frozen` tells when they have stopped."""
        self._set_frozen(True)

    def thaw(self) -> None:
        self._set_frozen(False)

    def is_frozen(self) -> bool:
        directory = self._directories["freeze"]
        if directory.version == 2:
            return _field(self._read_open(directory, "cgroup.events"), "frozen") == 1
        return self._read_open(directory, "freezer.state", os.O_RDWR).strip() == "FROZEN"

    def kill(self) -> None:
        """Send SIGKILL to everything; on version 1 the group is thawed after it, or the signal would wait for ever."""
        if "kill" in self._directories:
            _write(self._directories["kill"].path / "cgroup.kill", "1")
        else:
            self._kill_one_by_one()
        self.thaw()

    def cpu_time(self) -> float | None:
        """Processor seconds used by all processes that ever were in the group; None if they are not counted."""
        directory = self._directories.get("cputime")
        if directory is None:
            return None
        if directory.version == 2:
            return _field(self._read_open(directory, "cpu.stat"), "usage_usec") / 1e6
        return int(self._read_open(directory, "cpuacct.usage")) / 1e9

    def oom_kills(self) -> int:
        """How many processes the kernel killed because the group was out of memory."""
        directory = self._directories.get("memory")
        if directory is None:
            return 0
        return _field(
            _read(directory.path / ("memory.events" if directory.version == 2 else "memory.oom_control")), "oom_kill"
        )

    def peak_memory(self) -> int | None:
        """Peak memory in bytes; None if it is not counted."""
        directory = self._directories.get("memory")
        if directory is None:
            return None
        file = directory.path / ("memory.peak" if directory.version == 2 else "memory.max_usage_in_bytes")
        return int(_read(file)) if file.exists() else None

    def remove(self) -> None:
        """Remove the directories, waiting for processes that still end; InfraError if one cannot be removed in time."""
        deadline = time.monotonic() + _REMOVE_S
        while left := [path for path in self.paths if not _try_rmdir(path)]:
            if time.monotonic() > deadline:
                raise InfraError(f"the control group {left[0]} cannot be removed: {self.processes() or 'it is busy'}")
            time.sleep(0.005)

    def close(self) -> None:
        while self._open_files:
            os.close(self._open_files.popitem()[1])

    def _open_file(self, directory: FeatureDirectory, file: str, mode: int) -> int:
        if (descriptor := self._open_files.get(file)) is None:
            descriptor = self._open_files[file] = os.open(directory.path / file, mode | os.O_CLOEXEC)
        return descriptor

    def _read_open(self, directory: FeatureDirectory, file: str, mode: int = os.O_RDONLY) -> str:
        return os.pread(self._open_file(directory, file, mode), _READ_BYTES, 0).decode()

    def _set_frozen(self, frozen: bool) -> None:
        directory = self._directories.get("freeze")
        if directory is None:
            return
        if directory.version == 2:
            file, word = "cgroup.freeze", str(int(frozen))
        else:
            file, word = "freezer.state", "FROZEN" if frozen else "THAWED"
        try:
            os.pwrite(self._open_file(directory, file, os.O_RDWR), word.encode(), 0)
        except OSError as error:
            raise InfraError(f"cannot write {word} to {directory.path / file}: {error.strerror}") from error

    def _kill_one_by_one(self) -> None:
        # Frozen processes cannot fork while the list is worked off.
        self.freeze()
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def sweep(hierarchies: Sequence[Hierarchy]) -> list[str]:
    """Kill and remove the groups of referees that are gone; the names of the groups removed."""
    return [path.name for path in _leftovers(hierarchies) if _kill_and_remove(path)]


def _leftovers(hierarchies: Sequence[Hierarchy]) -> Iterator[Path]:
    for folder in {folder for hierarchy in hierarchies for folder in hierarchy.bot_parents()}:
        for path in folder.glob(f"{PREFIX}-*-*-*-*"):
            if not is_alive(path.name.removeprefix(f"{PREFIX}-").rpartition("-")[0]):
                yield path


def _kill_and_remove(path: Path) -> bool:
    deadline = time.monotonic() + _REMOVE_S
    while not _try_rmdir(path):
        with contextlib.suppress(OSError):
            for pid in map(int, _read(path / "cgroup.procs").split()):
                os.kill(pid, signal.SIGKILL)
            if (path / "freezer.state").exists():
                _write(path / "freezer.state", "THAWED")
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def _settings(feature: str, version: int, limits: Limits) -> tuple[tuple[str, str], ...]:
    """The files to write for a feature, in order; files that this kernel lacks are skipped."""
    memory, quota = str(limits.memory_bytes), str(int(limits.cpus * CPU_PERIOD_US))
    table = {
        ("memory", 2): (("memory.swap.max", "0"), ("memory.oom.group", "1"), ("memory.max", memory)),
        ("memory", 1): (
            ("memory.swappiness", "0"),
            ("memory.limit_in_bytes", memory),
            ("memory.memsw.limit_in_bytes", memory),
        ),
        ("cpu", 2): (("cpu.max", f"{quota} {CPU_PERIOD_US}"),),
        ("cpu", 1): (("cpu.cfs_period_us", str(CPU_PERIOD_US)), ("cpu.cfs_quota_us", quota)),
    }
    return (("pids.max", str(limits.pids)),) if feature == "pids" else table[feature, version]


def _memory_limit(directory: FeatureDirectory) -> float | None:
    return _number(_read(directory.path / ("memory.max" if directory.version == 2 else "memory.limit_in_bytes")))


def _pids_limit(directory: FeatureDirectory) -> float | None:
    return _number(_read(directory.path / "pids.max"))


def _cpu_limit(directory: FeatureDirectory) -> float | None:
    if directory.version == 2:
        quota, period = _read(directory.path / "cpu.max").split()
    else:
        quota, period = _read(directory.path / "cpu.cfs_quota_us"), _read(directory.path / "cpu.cfs_period_us")
    number = _number(quota)
    return None if number is None or number < 0 else number / int(period)


def _number(text: str) -> float | None:
    return None if text.strip() == "max" else float(text)


def _field(text: str, name: str) -> int:
    _, _, after = f"\n{text}".partition(f"\n{name} ")
    return int(after.partition("\n")[0] or 0)


def _try_rmdir(path: Path) -> bool:
    try:
        path.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _read(path: Path) -> str:
    return path.read_text()


def _write(path: Path, value: str) -> None:
    try:
        path.write_text(value)
    except OSError as error:
        raise InfraError(f"cannot write {value} to {path}: {error.strerror}") from error

"""Control groups of version 1, 2 or both: limits, freezing, killing and counting for one bot's processes."""

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
from arena.sandboxes.kernel.cgroup_tree import FEATURES, Hierarchy, place
from arena.sandboxes.owner import PREFIX, is_alive

CPU_PERIOD_US = 20_000
"""Short, so that a bot with many threads waits 20 ms at most for its next share, not the usual 100."""

SOCKET_BYTES = 16 << 20
"""What the buffers of network sockets may hold, where the kernel does not count them as memory."""

_REMOVE_S = 2.0
_LOOK_BYTES = 4096
# What must be writable, by version, to use a feature of a group that somebody else made; the rest is only read.
_LEVERS = {"freeze": ("freezer.state", "cgroup.freeze"), "kill": ("", "cgroup.kill")}


@dataclass(frozen=True, slots=True)
class Home:
    """The directory that gives a group one feature, and the version of its files."""

    version: int
    path: Path


class Group:
    """The control groups of one bot: one directory per hierarchy, chosen feature by feature."""

    def __init__(self, homes: Mapping[str, Home]) -> None:
        self._homes = dict(homes)
        self._held: dict[str, int] = {}
        """Files that are used with every move, kept open: to open one costs ten times as much as to use it."""

    @classmethod
    def create(cls, name: str, hierarchies: Sequence[Hierarchy]) -> Self:
        """Make the directories; features that no hierarchy gives here are missing from `features`."""
        homes: dict[str, Home] = {}
        try:
            for hierarchy in sorted(hierarchies, key=lambda found: -found.version):
                missing = FEATURES - homes.keys()
                path, offered = place(hierarchy, name, missing)
                homes |= {feature: Home(hierarchy.version, path) for feature in offered if path is not None}
        except BaseException:
            cls(homes).remove()
            raise
        return cls(homes)

    @classmethod
    def of_process(cls, pid: int, name: str, hierarchies: Sequence[Hierarchy]) -> Self:
        """The groups that another program made for a process, where their path shows that they are its alone."""
        homes: dict[str, Home] = {}
        for hierarchy in sorted(hierarchies, key=lambda found: -found.version):
            path = hierarchy.of_process(pid)
            if path is None or name not in str(path) or not path.is_dir():
                continue
            for feature in hierarchy.features(path) - homes.keys():
                if feature not in _LEVERS or os.access(path / _LEVERS[feature][hierarchy.version - 1], os.W_OK):
                    homes[feature] = Home(hierarchy.version, path)
        return cls(homes)

    @property
    def features(self) -> frozenset[str]:
        """Which of memory, pids, cpu, cputime, freeze, kill this group has."""
        return frozenset(self._homes)

    def version(self, feature: str) -> int:
        """The version of the control groups that give a feature."""
        return self._homes[feature].version

    @property
    def paths(self) -> frozenset[Path]:
        """The directories of the group."""
        return frozenset(home.path for home in self._homes.values())

    def limit(self, limits: Limits) -> None:
        """Write the limits and read each one back; InfraError when the kernel did not take it."""
        for feature in ("memory", "pids", "cpu"):
            home = self._homes.get(feature)
            if home is None:
                continue
            for file, value in _settings(feature, home.version, limits):
                if (home.path / file).exists():
                    _write(home.path / file, value)
        self.limit_sockets(limits)
        self.check(limits)

    def limit_sockets(self, limits: Limits) -> None:
        """Limit the buffers of network sockets: a bot can fill its own loopback, and version 1 counts them apart."""
        home = self._homes.get("memory")
        if home is not None and os.access(file := home.path / "memory.kmem.tcp.limit_in_bytes", os.W_OK):
            _write(file, str(min(limits.memory_bytes, SOCKET_BYTES)))

    def check(self, limits: Limits) -> None:
        """Compare the limits in force with those wanted; InfraError when one is looser, or gone."""
        wanted = {"memory": limits.memory_bytes, "pids": limits.pids, "cpu": limits.cpus}
        try:
            found = self.limits()
        except OSError as error:
            raise InfraError(f"a limit cannot be read back: {error}") from error
        for feature, value in found.items():
            # The kernel rounds memory down to pages; a looser limit than wanted is none.
            if value is None or value > wanted[feature] * 1.001:
                raise InfraError(f"the {feature} limit did not take: wanted {wanted[feature]}, read back {value}")

    def limits(self) -> dict[str, float | None]:
        """The limits in force: bytes, processes, processors; None for no limit."""
        readers = {"memory": _memory_limit, "pids": _pids_limit, "cpu": _cpu_limit}
        return {name: read(self._homes[name]) for name, read in readers.items() if name in self._homes}

    def exists(self) -> bool:
        """Whether the group is still there; the groups of a container vanish with it."""
        return all(path.is_dir() for path in self.paths)

    def doors(self) -> list[str]:
        """The files to which a process writes 0 to enter the group."""
        return sorted(str(path / "cgroup.procs") for path in self.paths)

    def processes(self) -> set[int]:
        """Everything in the group."""
        return set().union(*map(self.members_of, self.paths))

    @staticmethod
    def members_of(path: Path) -> set[int]:
        """The processes in one directory of a group; none when it is gone."""
        try:
            return set(map(int, _read(path / "cgroup.procs").split()))
        except OSError:
            return set()

    def freeze(self) -> None:
        """Ask the kernel to stop everything in the group; `is_frozen` tells when it is done."""
        self._set_frozen(True)

    def thaw(self) -> None:
        """Let everything run again."""
        self._set_frozen(False)

    def is_frozen(self) -> bool:
        """Whether every process has stopped."""
        home = self._homes["freeze"]
        if home.version == 2:
            return _field(self._look(home, "cgroup.events"), "frozen") == 1
        return self._look(home, "freezer.state", os.O_RDWR).strip() == "FROZEN"

    def kill(self) -> None:
        """Send SIGKILL to everything; on version 1 the group is thawed after it, or the signal would wait for ever."""
        if "kill" in self._homes:
            _write(self._homes["kill"].path / "cgroup.kill", "1")
        else:
            self._kill_one_by_one()
        self.thaw()

    def cpu_time(self) -> float | None:
        """Processor seconds used by all that ever ran in the group."""
        home = self._homes.get("cputime")
        if home is None:
            return None
        if home.version == 2:
            return _field(self._look(home, "cpu.stat"), "usage_usec") / 1e6
        return int(self._look(home, "cpuacct.usage")) / 1e9

    def oom_kills(self) -> int:
        """How many processes the kernel ended for want of memory."""
        home = self._homes.get("memory")
        if home is None:
            return 0
        return _field(_read(home.path / ("memory.events" if home.version == 2 else "memory.oom_control")), "oom_kill")

    def peak_memory(self) -> int | None:
        """The most bytes ever used at once."""
        home = self._homes.get("memory")
        if home is None:
            return None
        file = home.path / ("memory.peak" if home.version == 2 else "memory.max_usage_in_bytes")
        return int(_read(file)) if file.exists() else None

    def remove(self) -> None:
        """Remove the directories; waits for processes that are still ending, and one that stays keeps no other."""
        deadline = time.monotonic() + _REMOVE_S
        while left := [path for path in self.paths if not _removed(path)]:
            if time.monotonic() > deadline:
                raise InfraError(f"the control group {left[0]} cannot be removed: {self.processes() or 'it is busy'}")
            time.sleep(0.005)

    def close(self) -> None:
        """Let go of the files."""
        while self._held:
            os.close(self._held.popitem()[1])

    def _hold(self, home: Home, file: str, mode: int) -> int:
        if (held := self._held.get(file)) is None:
            held = self._held[file] = os.open(home.path / file, mode | os.O_CLOEXEC)
        return held

    def _look(self, home: Home, file: str, mode: int = os.O_RDONLY) -> str:
        return os.pread(self._hold(home, file, mode), _LOOK_BYTES, 0).decode()

    def _set_frozen(self, frozen: bool) -> None:
        home = self._homes.get("freeze")
        if home is None:
            return
        if home.version == 2:
            file, word = "cgroup.freeze", str(int(frozen))
        else:
            file, word = "freezer.state", "FROZEN" if frozen else "THAWED"
        try:
            os.pwrite(self._hold(home, file, os.O_RDWR), word.encode(), 0)
        except OSError as error:
            raise InfraError(f"cannot write {word} to {home.path / file}: {error.strerror}") from error

    def _kill_one_by_one(self) -> None:
        # Frozen processes cannot fork away from the list while it is worked off.
        self.freeze()
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def sweep(hierarchies: Sequence[Hierarchy]) -> list[str]:
    """Kill and remove what referees that are gone have left; the names of the groups removed."""
    return [path.name for path in _leftovers(hierarchies) if _clear(path)]


def _leftovers(hierarchies: Sequence[Hierarchy]) -> Iterator[Path]:
    for folder in {folder for hierarchy in hierarchies for folder in hierarchy.places()}:
        for path in folder.glob(f"{PREFIX}-*-*-*-*"):
            if not is_alive(path.name.removeprefix(f"{PREFIX}-").rpartition("-")[0]):
                yield path


def _clear(path: Path) -> bool:
    deadline = time.monotonic() + _REMOVE_S
    while not _removed(path):
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
    """The files to write for one feature, in order; a file that this kernel lacks is passed over."""
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


def _memory_limit(home: Home) -> float | None:
    return _number(_read(home.path / ("memory.max" if home.version == 2 else "memory.limit_in_bytes")))


def _pids_limit(home: Home) -> float | None:
    return _number(_read(home.path / "pids.max"))


def _cpu_limit(home: Home) -> float | None:
    if home.version == 2:
        quota, period = _read(home.path / "cpu.max").split()
    else:
        quota, period = _read(home.path / "cpu.cfs_quota_us"), _read(home.path / "cpu.cfs_period_us")
    number = _number(quota)
    return None if number is None or number < 0 else number / int(period)


def _number(text: str) -> float | None:
    return None if text.strip() == "max" else float(text)


def _field(text: str, name: str) -> int:
    pairs = (line.split() for line in text.splitlines())
    return next((int(pair[1]) for pair in pairs if pair[0] == name), 0)


def _removed(path: Path) -> bool:
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

"""The mounted control group hierarchies: which features they offer, and making groups in them."""

import contextlib
import os
import re
from collections.abc import Iterable, Set
from dataclasses import dataclass
from pathlib import Path

from arena.errors import InfraError

FEATURES = frozenset({"memory", "pids", "cpu", "cputime", "freeze", "kill"})
_V1 = {"memory": "memory", "pids": "pids", "cpu": "cpu", "cpuacct": "cputime", "freezer": "freeze"}
_V2_CONTROLLERS = ("memory", "pids", "cpu")
# These work in every version 2 group, even where no controller can be had.
_V2_ALWAYS = {"cpu.stat": "cputime", "cgroup.freeze": "freeze", "cgroup.kill": "kill"}
_REFEREE_GROUP, _BOTS_GROUP = "arena-referee", "arena-bots"


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A mounted hierarchy of control groups."""

    version: int
    controllers: frozenset[str]
    """Version 1: the controllers of this mount. Version 2: empty, because each group lists its own."""
    mount: Path
    root: str
    """The group at the mount point, as a path within the hierarchy."""
    own_group: Path
    """The directory of the group of this process."""

    def parents(self) -> list[Path]:
        """The groups in which we may make groups, best first."""
        return [self.own_group] if self.own_group == self.mount else [self.own_group, self.mount]

    def bot_parents(self) -> list[Path]:
        """The groups that contain the groups of bots, best first."""
        return [parent / _BOTS_GROUP if self.version == 2 else parent for parent in self.parents()]

    def of_process(self, pid: int) -> Path | None:
        """The group of a process; None when it is outside of this mount."""
        try:
            memberships = Path(f"/proc/{pid}/cgroup").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return None
        return _directory(self.mount, self.root, _membership(memberships, self.controllers))

    def features(self, path: Path) -> frozenset[str]:
        """The features of a group of this hierarchy."""
        if self.version == 1:
            return frozenset(_V1[name] for name in self.controllers if name in _V1)
        controllers = (path / "cgroup.controllers").read_text().split()
        always = {feature for file, feature in _V2_ALWAYS.items() if (path / file).exists()}
        return frozenset(always | (set(controllers) & set(_V2_CONTROLLERS)))


def discover() -> tuple[Hierarchy, ...]:
    """The hierarchies that are mounted here."""
    return parse(Path("/proc/self/mountinfo").read_text(), Path("/proc/self/cgroup").read_text())


def can_make_groups() -> bool:
    """Whether this process may make control groups at all."""
    return any(_writable(parent) for hierarchy in discover() for parent in hierarchy.parents())


def can_freeze() -> bool:
    """Whether groups can be made here whose processes the kernel stops; those above them do not always tell."""
    hierarchies = [hierarchy for hierarchy in discover() if any(map(_writable, hierarchy.parents()))]
    return any(hierarchy.version == 2 or "freezer" in hierarchy.controllers for hierarchy in hierarchies)


def parse(mountinfo: str, memberships: str) -> tuple[Hierarchy, ...]:
    """The hierarchies of a mount table, with our own groups from the text of /proc/self/cgroup."""
    return tuple(found for line in mountinfo.splitlines() if (found := _parse_mount(line, memberships)) is not None)


def _parse_mount(line: str, memberships: str) -> Hierarchy | None:
    left, _, right = line.partition(" - ")
    kind, _, options = right.split(" ", 2)
    if kind not in ("cgroup", "cgroup2"):
        return None
    root, point = map(_unescape, left.split()[3:5])
    controllers = frozenset(options.split(",")) & _V1.keys() if kind == "cgroup" else frozenset()
    if kind == "cgroup" and not controllers:
        return None
    own_group = _directory(Path(point), root, _membership(memberships, controllers)) or Path(point)
    if own_group.name == _REFEREE_GROUP:
        own_group = own_group.parent
    return Hierarchy(2 if kind == "cgroup2" else 1, controllers, Path(point), root, own_group)


def _membership(memberships: str, controllers: Set[str]) -> str:
    """The path of a group in the lines `id:controllers:path`."""
    for line in memberships.splitlines():
        _, names, path = line.split(":", 2)
        if set(names.split(",")) & controllers if controllers else names == "":
            return path
    return "/"


def _directory(mount: Path, root: str, group: str) -> Path | None:
    """The directory of a group below a mount that shows only the part of the tree below `root`."""
    with contextlib.suppress(ValueError):
        inside = Path(group).relative_to(root)
        return None if ".." in inside.parts else mount / inside
    return None


def _unescape(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


def make_group(hierarchy: Hierarchy, name: str, wanted: Set[str]) -> tuple[Path | None, frozenset[str]]:
    """Make a group with as many of the wanted features as possible; no group is left if it would have none."""
    parents = [parent for parent in hierarchy.parents() if _writable(parent)]
    if not parents:
        return None, frozenset()
    parent = max(parents, key=lambda parent: len(_prepare(hierarchy, parent, wanted)))
    try:
        path = (_bots_group(parent) if hierarchy.version == 2 else parent) / name
        path.mkdir()
    except OSError as error:
        raise InfraError(f"cannot make the control group {name} in {parent}: {error.strerror}") from error
    offered = hierarchy.features(path) & wanted
    if not offered:
        path.rmdir()
    return path, offered


def _writable(parent: Path) -> bool:
    return os.access(parent, os.W_OK) and os.access(parent / "cgroup.procs", os.W_OK)


def _prepare(hierarchy: Hierarchy, parent: Path, wanted: Set[str]) -> Set[str]:
    """Enable the wanted controllers for the children of a group; those that are enabled then."""
    if hierarchy.version == 1:
        return hierarchy.features(parent) & wanted
    _delegate(hierarchy, parent, wanted)
    return wanted & set((parent / "cgroup.subtree_control").read_text().split())


def _delegate(hierarchy: Hierarchy, parent: Path, wanted: Set[str]) -> None:
    """Enable the wanted controllers for the children of a version 2 group, as far as the kernel permits."""
    have = (parent / "cgroup.subtree_control").read_text().split()
    able = (parent / "cgroup.controllers").read_text().split()
    missing = [name for name in _V2_CONTROLLERS if name in wanted and name in able and name not in have]
    if not missing:
        return
    if not _enable_controllers(parent, missing) and _is_ours(hierarchy, parent):
        # A group with processes of its own cannot enable controllers for its children, so these processes move.
        _move(parent, parent / _REFEREE_GROUP)
        _enable_controllers(parent, missing)


def _bots_group(parent: Path) -> Path:
    """Make the parent group of all bots, with the same controllers enabled for its children as in its own parent."""
    # systemd takes back every controller that its own units no longer need, and the limits of running bots would go
    # with it; but the kernel refuses to disable a controller that a child group has enabled for its own children.
    group = parent / _BOTS_GROUP
    group.mkdir(exist_ok=True)
    enabled = (parent / "cgroup.subtree_control").read_text().split()
    _enable_controllers(group, [name for name in _V2_CONTROLLERS if name in enabled])
    return group


def _enable_controllers(parent: Path, controllers: Iterable[str]) -> bool:
    try:
        for name in controllers:
            (parent / "cgroup.subtree_control").write_text(f"+{name}")
    except OSError:
        return False
    return True


def _is_ours(hierarchy: Hierarchy, parent: Path) -> bool:
    """Whether we may move the processes of a group: it is our user's, the root of our namespace, or holds only us."""
    if parent.stat().st_uid == os.getuid() != 0:
        return True
    if parent == hierarchy.mount and (parent / "cgroup.type").exists():
        return True
    return (parent / "cgroup.procs").read_text().split() == [str(os.getpid())]


def _move(parent: Path, leaf: Path) -> None:
    leaf.mkdir(exist_ok=True)
    for pid in (parent / "cgroup.procs").read_text().split():
        # A process may have ended meanwhile; any other failure shows when controllers are enabled.
        with contextlib.suppress(OSError):
            (leaf / "cgroup.procs").write_text(pid)

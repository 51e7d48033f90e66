"""Bots given as a directory, in bubblewrap: namespaces, a read-only view, a filter, and a user without rights."""

import contextlib
import os
import shutil
import signal
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.errors import InfraError, UsageError
from arena.sandboxes.base import (
    SOCKET_DIR_BYTES,
    SOCKET_DIR_INODES,
    SOCKET_NAME,
    BotDirectory,
    Enforcement,
    Limits,
)
from arena.sandboxes.kernel import cgroup_tree, masks, procfs
from arena.sandboxes.kernel.seccomp import compile_filter
from arena.sandboxes.kernel.users import LeasedUser
from arena.sandboxes.launched.child_process import FILTER, INFO, Plan, Stage, gated
from arena.sandboxes.launched.lifecycle import LaunchedSandbox
from arena.sandboxes.lifecycle import soon

_TIGHTEN_S = 2.0
_STAGE = "/tmp"  # noqa: S108  (covered by a mount that only the launcher and the bot see)
BOT, _RUN = "/bot", "/run/bot"
_EMPTY_FILE, _EMPTY_FOLDER, _FACT = "empty-file", "empty-folder", "fact-"
_DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty"))
"""What bubblewrap shows of the machine's own /dev: its inodes are shared, and whoever may write may set their times."""
_SYSTEM_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_SETTINGS = ("alternatives", "java-*-openjdk")
"""What Debian keeps in /etc of its compilers and languages: nothing secret, and `cc` or `java` do not start without."""
_RESERVED = tuple(map(Path, ("/proc", "/dev", "/sys", BOT, _RUN)))


@dataclass(frozen=True, slots=True)
class Room:
    """The file system in memory that the bot may write to and the referee holds a handle of."""

    name: str
    target: str
    """Where the bot sees it."""
    bytes: int
    inodes: int
    executable: bool = False


SOCKET_ROOM = Room("socket", _RUN, SOCKET_DIR_BYTES, SOCKET_DIR_INODES)


class BubblewrapSandbox(LaunchedSandbox):
    """The embedded default: no network, no files but the listed ones, nothing that outlives it."""

    _room = SOCKET_ROOM
    _folder = BOT
    """Where the program finds its folder, read-only."""

    def __init__(
        self,
        program: BotDirectory,
        limits: Limits,
        *,
        require: Collection[str] = (),
        hierarchies: Sequence[cgroup_tree.Hierarchy] | None = None,
    ) -> None:
        super().__init__(program, limits, require=require, hierarchies=hierarchies)
        self._command = find_bubblewrap()
        self._binds = list(_binds(program, self._folder))
        self._user: LeasedUser | None = None
        self._filter = -1
        self._init: int | None = None
        self._pids: int | None = None

    def _acquire(self) -> None:
        super()._acquire()
        counted = "memory" in self._group.features
        self._filter = compile_filter(file_locks=self._limits.file_locks, memory_files=counted)
        if os.geteuid() == 0:
            self._user = LeasedUser()

    @property
    def _uid(self) -> int:
        return os.getuid() if self._user is None else self._user.uid

    def _plan(self) -> Plan:
        size = f"size={self._room.bytes},nr_inodes={self._room.inodes},mode=0700"
        gid = os.getgid() if self._user is None else self._user.uid
        return Plan(
            argv=arguments(self._command, self._program, self._limits, self._binds, self._room),
            cwd="/",
            env={},
            uid=None if self._user is None else self._user.uid,
            rlimits=self._rlimits(),
            doors=self._group.doors(),
            stage=Stage(
                top=_STAGE,
                binds=[(str(source), name) for source, _, name in self._binds],
                files={_EMPTY_FILE: "", **{f"{_FACT}{name}": text for name, text in masks.facts().items()}},
                folder=_EMPTY_FOLDER,
                devices=_DEVICES,
                room=self._room.name,
                options=f"{size},uid={self._uid},gid={gid}",
                executable=self._room.executable,
                user_namespace=self._user is None,
            ),
            extra={FILTER: self._filter},
        )

    async def _settle(self, directory: int | None, init: int | None) -> Enforcement:
        if directory is None or init is None:
            raise InfraError("the launcher sent no directory, or bubblewrap no process number")
        self._directory, self._init = directory, os.pidfd_open(init)
        self._pids = procfs.namespace(init, "pid")
        self._check_namespaces(init)
        # Bubblewrap's own first process puts the filter on a moment after it has made the gate.
        await soon(lambda: not any(map(self._looseness, self._processes())), within_s=_TIGHTEN_S)
        for pid in self._processes():
            if loose := self._looseness(pid):
                raise InfraError(f"the sandbox is not tight: {loose}")
            self._check_membership(pid)
            if pid != init and procfs.limit(pid, "Max processes") != str(self._limits.pids):
                raise InfraError("the bot has no limit on its processes")
        _check_mounts(init, {"/tmp", "/dev/shm", self._room.target})  # noqa: S108
        return {
            "sandbox": "bubblewrap",
            "memory": self._by_group("memory", "rlimit"),
            "pids": self._by_group("pids", "rlimit"),
            "cpu": self._by_group("cpu", "none"),
            "freeze": self._by_group("freeze", "signal"),
            "kill": self._by_group("kill", "pid namespace"),
            "network": "namespace",
            "files": "namespace",
            "seccomp": "filter",
            "uid": "shared" if self._user is None else "own",
        }

    def _check_namespaces(self, init: int) -> None:
        for kind in ("user", "pid", "net", "ipc", "uts", "mnt"):
            if procfs.namespace(init, kind) in (None, procfs.namespace("self", kind)):
                raise InfraError(f"the bot has no {kind} namespace of its own")

    def _looseness(self, pid: int) -> dict[str, str | None]:
        """The lines of a process's status that are not as they must be before any bot runs."""
        found = procfs.status(pid)
        user = "\t".join([str(self._uid)] * 4)
        group = user if self._user is not None else found.get("Gid")
        none = "0" * 16
        wanted = {"Uid": user, "Gid": group, "Seccomp": "2", "NoNewPrivs": "1"}
        wanted |= {"CapEff": none, "CapPrm": none, "CapBnd": none}
        return {name: found.get(name) for name, value in wanted.items() if found.get(name) != value}

    def _processes(self) -> list[int]:
        return [] if self._pids is None else procfs.members(self._pids)

    def _begin_to_end(self) -> None:
        """The end of its init process ends everything in a pid namespace, and bubblewrap itself collects the dead."""
        if self._init is None:
            self._strike()
            return
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._init, signal.SIGKILL)
        self._group.thaw()

    def _discard(self) -> None:
        if self._filter >= 0:
            os.close(self._filter)
        if self._init is not None:
            os.close(self._init)
        if self._user is not None:
            self._user.free()


def find_bubblewrap() -> str:
    """The path of bwrap; one that is setuid is refused, because it would act as root."""
    found = shutil.which("bwrap", path="/usr/bin:/bin:/usr/local/bin")
    if found is None:
        raise InfraError("bubblewrap is not installed: apt-get install bubblewrap")
    if os.stat(found).st_mode & 0o6000:
        raise InfraError(f"{found} is setuid; the sandbox needs a plain one: chmod u-s {found}")
    return found


def arguments(
    bwrap: str,
    program: BotDirectory,
    limits: Limits,
    binds: Sequence[tuple[Path, str, str]],
    room: Room = SOCKET_ROOM,
) -> list[str]:
    """The command line that is the policy: what the bot sees, and what it may do."""
    command = ["prlimit", f"--nproc={limits.pids}:{limits.pids}", "--", *gated(program.command)]
    return [
        bwrap,
        *("--unshare-all", "--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000"),
        *("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "bot", "--clearenv"),
        *("--proc", "/proc", "--dev", "/dev"),
        *("--perms", "1777", "--size", str(limits.tmp_bytes), "--tmpfs", "/tmp"),  # noqa: S108
        *("--perms", "1777", "--size", str(limits.shm_bytes), "--tmpfs", "/dev/shm"),  # noqa: S108
        *(word for _, target, name in binds for word in ("--ro-bind", f"{_STAGE}/{name}", target)),
        *(word for name, target in _links() for word in ("--symlink", target, name)),
        *("--bind", f"{_STAGE}/{room.name}", room.target),
        *(word for source, target in masked() for word in ("--ro-bind", f"{_STAGE}/{source}", target)),
        *("--remount-ro", "/dev", "--remount-ro", "/"),
        *(word for item in environment(program).items() for word in ("--setenv", *item)),
        *("--chdir", BOT, "--seccomp", str(FILTER), "--info-fd", str(INFO)),
        *("--", *command),
    ]


def masked() -> Iterator[tuple[str, str]]:
    """What lies over files and folders that tell of other bots: a name on the stage, and where the bot sees it."""
    for name in masks.facts():
        yield f"{_FACT}{name}", f"/proc/{name}"
    for path in masks.proc_masked():
        yield _EMPTY_FOLDER if Path(path).is_dir() else _EMPTY_FILE, path
    # All terminals of the machine are counted together, and a bot needs none.
    yield _EMPTY_FOLDER, "/dev/pts"


def environment(program: BotDirectory) -> dict[str, str]:
    """All that a bot finds in its environment."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": "/tmp",  # noqa: S108
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "ARENA_SOCKET": f"{_RUN}/{SOCKET_NAME}",
        **program.env,
    }


def _binds(program: BotDirectory, folder: str) -> Iterator[tuple[Path, str, str]]:
    """Where from, where to, and a name on the stage: parents first, since a later mount covers an earlier one."""
    if not program.path.is_dir():
        raise UsageError(f"{program.path} is no directory")
    own = [Path("/usr"), *(Path("/", name) for name in _SYSTEM_LINKS if _is_plain_directory(Path("/", name)))]
    settings = [path for pattern in _SETTINGS for path in Path("/etc").glob(pattern)]
    wanted = sorted({*own, *settings, *program.read_only})
    for number, path in enumerate(wanted):
        _check_bind(path)
        if not any(path != other and path.is_relative_to(other) for other in wanted):
            yield path, str(path), f"ro{number}"
    if os.geteuid() == 0 and program.path.stat().st_mode & 0o005 != 0o005:
        raise UsageError(f"the bot's user cannot read {program.path}: chmod -R o+rX {program.path}")
    yield program.path.resolve(), folder, "bot"


def _check_bind(path: Path) -> None:
    if not path.is_absolute() or ".." in path.parts:
        raise UsageError(f"a read-only path must be absolute and plain: {path}")
    if not path.exists():
        raise UsageError(f"there is no {path} to show to the bot")
    if any(place.is_relative_to(path) or path.is_relative_to(place) for place in _RESERVED) or path == Path("/tmp"):  # noqa: S108
        raise UsageError(f"{path} cannot be shown to a bot")


def _is_plain_directory(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _links() -> list[tuple[str, str]]:
    return [(f"/{name}", os.readlink(f"/{name}")) for name in _SYSTEM_LINKS if Path("/", name).is_symlink()]


def _check_mounts(init: int, rooms: set[str]) -> None:
    """Read back the mounts: everything that lasts is read-only, and what tells of others is masked."""
    bare = {target for _, target in masked()}
    for line in Path(f"/proc/{init}/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        point, options = left.split()[4:6]
        kind = right.split()[0]
        writable = "rw" in options.split(",")
        if writable and point not in rooms and kind not in ("proc", "devpts"):
            raise InfraError(f"{point} is writable in the sandbox")
        if point in rooms and kind != "tmpfs":
            raise InfraError(f"{point} in the sandbox is no file system of its own")
        bare.discard(point)
    if bare:
        raise InfraError(f"{min(bare)} is not masked in the sandbox")

"""Sandbox for folders with bubblewrap: namespaces, read-only mounts, a system call filter, an unprivileged user."""

import contextlib
import functools
import os
import shutil
import signal
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.errors import InfraError, UsageError
from arena.referee.enforcement import Enforcement
from arena.sandboxes import processors
from arena.sandboxes.base import SOCKET_DIR_BYTES, SOCKET_DIR_INODES, SOCKET_NAME, BotDirectory, Limits
from arena.sandboxes.kernel import cgroup_tree, masks, procfs
from arena.sandboxes.kernel.seccomp import open_filter
from arena.sandboxes.kernel.users import LeasedUser
from arena.sandboxes.launched.child_process import FILTER, INFO, LaunchPlan, Staging, gated
from arena.sandboxes.launched.lifecycle import LaunchedSandbox
from arena.sandboxes.lifecycle import wait_until

_FILTER_S = 2.0
_STAGING = "/tmp"  # noqa: S108  (the mount point of the staging directory, in the launcher's mount namespace only)
BOT, _RUN = "/bot", "/run/bot"
_EMPTY_FILE, _EMPTY_FOLDER, _SNAPSHOT = "empty-file", "empty-folder", "snapshot-"
_DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty"))
"""The devices that bubblewrap binds from the host, where their inodes are shared: a writer could set their times."""
_SYSTEM_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_SETTINGS = ("alternatives", "java-*-openjdk")
"""Paths in /etc that Debian's compilers and languages need to start; they hold nothing secret."""
_NOT_BINDABLE = tuple(map(Path, ("/proc", "/dev", "/sys", BOT, _RUN)))


@dataclass(frozen=True, slots=True)
class WritableTmpfs:
    """A tmpfs that the bot may write to."""

    name: str
    target: str
    """Its mount point in the sandbox."""
    bytes: int
    inodes: int
    executable: bool = False
    mode: str = "0700"

    def mount(self, uid: int, gid: int) -> tuple[str, str, bool]:
        """What the launcher needs to know to mount it."""
        size = f"size={self.bytes},nr_inodes={self.inodes},mode={self.mode}"
        return self.name, f"{size},uid={uid},gid={gid}", self.executable


SOCKET_TMPFS = WritableTmpfs("socket", _RUN, SOCKET_DIR_BYTES, SOCKET_DIR_INODES)


def temporary(limits: Limits) -> tuple[WritableTmpfs, WritableTmpfs]:
    """What every sandbox has for temporary files."""
    return (
        WritableTmpfs("tmp", "/tmp", limits.tmp_bytes, limits.inodes, executable=True, mode="1777"),  # noqa: S108
        WritableTmpfs("shm", "/dev/shm", limits.shm_bytes, limits.inodes, executable=True, mode="1777"),  # noqa: S108
    )


class BubblewrapSandbox(LaunchedSandbox):
    """A bot in bubblewrap, without network and with read access to listed files only; the default for folders."""

    _tmpfs = SOCKET_TMPFS
    """The one of which the referee holds a descriptor."""
    _folder = BOT
    """The mount point of the bot's folder, which is read-only."""
    _has_loopback = False
    """Whether its processes may use the network of the sandbox among themselves."""
    _user: LeasedUser | None = None
    _filter = -1
    """The descriptor of the compiled system call filter."""
    _init: int | None = None
    """A pidfd of bubblewrap's init process."""
    _init_pid: int | None = None
    _pids: int | None = None
    """The pid namespace of the bot."""

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
        self._writable = (self._tmpfs, *temporary(limits))

    def _acquire(self) -> None:
        super()._acquire()
        self._filter = open_filter(
            file_locks=self._limits.file_locks,
            memory_files="memory" in self._group.features,
            chosen_signals="freeze" in self._group.features,
            loopback=self._has_loopback,
        )
        if os.geteuid() == 0:
            self._user = LeasedUser()

    @property
    def _uid(self) -> int:
        return os.getuid() if self._user is None else self._user.uid

    def _plan(self) -> LaunchPlan:
        gid = os.getgid() if self._user is None else self._user.uid
        return LaunchPlan(
            argv=arguments(self._command, self._program, self._limits, self._binds, self._writable),
            cwd="/",
            env={},
            uid=None if self._user is None else self._user.uid,
            rlimits=self._rlimits(),
            processors=processors.for_bot(self._limits),
            procs_files=self._group.procs_files(),
            staging=Staging(
                top=_STAGING,
                binds=[(str(source), name) for source, _, name in self._binds],
                files={_EMPTY_FILE: "", **{f"{_SNAPSHOT}{name}": text for name, text in masks.snapshots().items()}},
                folder=_EMPTY_FOLDER,
                devices=_DEVICES,
                tmpfs=[tmpfs.mount(self._uid, gid) for tmpfs in self._writable],
                user_namespace=self._user is None,
            ),
            extra={FILTER: self._filter},
        )

    async def _read_back(self, directory: int | None, init: int | None) -> Enforcement:
        if directory is None or init is None:
            raise InfraError("the launcher sent no directory, or bubblewrap no process number")
        self._directory, self._init, self._init_pid = directory, os.pidfd_open(init), init
        self._pids = procfs.namespace(init, "pid")
        self._check_namespaces(init)
        # Bubblewrap's init process installs its filter a moment after it has started the gate.
        await wait_until(lambda: not any(map(self._status_mismatches, self._processes())), within_s=_FILTER_S)
        processes = self._processes()
        self._check_membership(processes)
        for pid in processes:
            if wrong := self._status_mismatches(pid):
                raise InfraError(f"the sandbox is not confined as requested: {wrong}")
            if pid != init and procfs.limit(pid, "Max processes") != str(self._limits.pids):
                raise InfraError("the bot has no limit on its processes")
        _check_mounts(init, self._writable)
        return {
            "sandbox": "bubblewrap",
            "memory": self._enforced_by("memory", "rlimit"),
            "pids": self._enforced_by("pids", "rlimit"),
            "cpu": self._enforced_by("cpu", "none"),
            "cputime": self._enforced_by("cputime", "processes"),
            "freeze": self._enforced_by("freeze", "signal"),
            "kill": self._enforced_by("kill", "pid namespace"),
            "network": "namespace",
            "files": "namespace",
            "inodes": "tmpfs",
            "seccomp": "filter",
            "uid": "shared" if self._user is None else "own",
        }

    def _check_namespaces(self, init: int) -> None:
        for kind in ("user", "pid", "net", "ipc", "uts", "mnt"):
            if procfs.namespace(init, kind) in (None, procfs.namespace("self", kind)):
                raise InfraError(f"the bot has no {kind} namespace of its own")

    def _status_mismatches(self, pid: int) -> dict[str, str | None]:
        """The fields of /proc/PID/status that differ from what they must be before the bot runs."""
        found = procfs.status(pid)
        user = "\t".join([str(self._uid)] * 4)
        group = user if self._user is not None else found.get("Gid")
        none = "0" * 16
        wanted = {"Uid": user, "Gid": group, "Seccomp": "2", "NoNewPrivs": "1"}
        wanted |= {"CapEff": none, "CapPrm": none, "CapBnd": none}
        return {name: found.get(name) for name, value in wanted.items() if found.get(name) != value}

    def _processes(self) -> list[int]:
        return [] if self._pids is None else procfs.members(self._pids, self._init_pid)

    def _begin_kill(self) -> None:
        """Kill the init process, which ends all processes of the pid namespace; bubblewrap reaps them."""
        if self._init is None:
            self._kill_all()
            return
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._init, signal.SIGKILL)
        self._group.thaw()

    def _free_resources(self) -> None:
        if self._filter >= 0:
            os.close(self._filter)
        if self._init is not None:
            os.close(self._init)
        if self._user is not None:
            self._user.free()


def find_bubblewrap() -> str:
    """The path of bwrap; a setuid bwrap is refused, because it would run as root."""
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
    writable: Sequence[WritableTmpfs],
) -> list[str]:
    """The command line of bubblewrap, which defines what the bot sees and may do."""
    return [
        bwrap,
        *("--unshare-all", "--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000"),
        *("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "bot", "--clearenv"),
        *("--proc", "/proc", "--dev", "/dev"),
        *(word for tmpfs in writable for word in ("--bind", f"{_STAGING}/{tmpfs.name}", tmpfs.target)),
        # After the writable ones, which would cover them: an environment may be in a folder under /tmp.
        *(word for _, target, name in binds for word in ("--ro-bind", f"{_STAGING}/{name}", target)),
        *(word for name, target in _links() for word in ("--symlink", target, name)),
        *(word for source, target in masked() for word in ("--ro-bind", f"{_STAGING}/{source}", target)),
        # A bot could otherwise make itself the last to be ended when the machine runs out of memory (oom_score_adj).
        *("--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"),
        *(word for item in environment(program, limits).items() for word in ("--setenv", *item)),
        *("--chdir", BOT, "--seccomp", str(FILTER), "--info-fd", str(INFO)),
        *("--", *gated(program.command, pids=limits.pids)),
    ]


@functools.cache
def masked() -> tuple[tuple[str, str], ...]:
    """The mounts that hide files and folders: a name in the staging directory, and the path that it covers."""
    return (
        *((f"{_SNAPSHOT}{name}", f"/proc/{name}") for name in masks.snapshots()),
        *((_EMPTY_FOLDER if os.path.isdir(path) else _EMPTY_FILE, path) for path in masks.proc_masked()),
        # Terminals are numbered across the whole machine, and a bot needs none.
        (_EMPTY_FOLDER, "/dev/pts"),
    )


def environment(program: BotDirectory, limits: Limits) -> dict[str, str]:
    """The environment variables of the bot."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": "/tmp",  # noqa: S108
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        **processors.environment(limits),
        "ARENA_SOCKET": f"{_RUN}/{SOCKET_NAME}",
        **program.env,
    }


def _binds(program: BotDirectory, folder: str) -> Iterator[tuple[Path, str, str]]:
    """Source, target and staging name of each bind mount; parents first, because later mounts cover earlier ones."""
    if not program.path.is_dir():
        raise UsageError(f"{program.path} is not a directory")
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
    if any(place.is_relative_to(path) or path.is_relative_to(place) for place in _NOT_BINDABLE) or path == Path("/tmp"):  # noqa: S108
        raise UsageError(f"{path} cannot be shown to a bot")


def _is_plain_directory(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _links() -> list[tuple[str, str]]:
    return [(f"/{name}", os.readlink(f"/{name}")) for name in _SYSTEM_LINKS if Path("/", name).is_symlink()]


def _check_mounts(init: int, writable: Sequence[WritableTmpfs]) -> None:
    """Check that nothing else is writable, that what is writable is bounded, and that all masks are in place."""
    bare, bounds = {target for _, target in masked()}, {tmpfs.target: tmpfs for tmpfs in writable}
    for mount in procfs.mounts(init):
        tmpfs = bounds.get(mount.point)
        if tmpfs is None and mount.writable and mount.kind != "devpts":
            raise InfraError(f"{mount.point} is writable in the sandbox")
        if tmpfs is not None and (mount.kind, mount.inodes) != ("tmpfs", tmpfs.inodes):
            raise InfraError(
                f"{mount.point} in the sandbox is not a file system of its own, or holds any number of files"
            )
        bare.discard(mount.point)
    if bare:
        raise InfraError(f"{min(bare)} is not masked in the sandbox")

"""Script that prepares the child process of a bot: sent to `python -I -S` as compiled code, never imported.

It reads a plan (see `LaunchPlan` in child_process.py) from standard input, enters the control groups, builds the
staging directory, sends a descriptor of the bot's writable directory to the referee, drops its privileges and executes
bubblewrap, or the bot itself. Failures are reported to the referee over the control socket as `error: ...`.

Every start of a bot waits for this, so it imports only modules that are written in C: json, socket, signal, ctypes and
typing take longer than the interpreter and all the rest together.
"""

import _ctypes
import _socket
import fcntl
import marshal
import os
import resource
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CLONE_NEWNS, CLONE_NEWUSER = 0x0002_0000, 0x1000_0000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_NOATIME, MS_NODIRATIME, MS_BIND, MS_REC, MS_PRIVATE, MS_RELATIME = 1024, 2048, 4096, 16384, 1 << 18, 1 << 21
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38
SIGKILL = 9
SPARE_DESCRIPTOR = 64
LIBC = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]  # None is the program itself


class Int(_ctypes._SimpleCData):  # type: ignore[type-arg]  # it has none at run time
    """An `int` of C."""

    _type_ = "i"


class Long(_ctypes._SimpleCData):  # type: ignore[type-arg]  # it has none at run time
    """An `unsigned long` of C."""

    _type_ = "L"


class Function(_ctypes.CFuncPtr):
    """A function of the C library that returns 0, or sets errno."""

    _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_USE_ERRNO
    _restype_ = Int


def main() -> None:
    plan = marshal.load(sys.stdin.buffer)  # noqa: S302  (the referee wrote it)
    control = plan["control"]
    try:
        prepare(plan, control)
        arrange_descriptors(plan["descriptors"])
        control = 9  # CONTROL in child_process.py; this script can import nothing
        os.execve(plan["argv"][0], plan["argv"], plan["env"])  # noqa: S606  (no shell is the point)
    except (OSError, ValueError, OverflowError) as error:
        os.write(control, f"error: {error}\n".encode())
        sys.exit(125)


def prepare(plan: "dict[str, Any]", control: int) -> None:
    """Do everything before the exec, in an order that matters for security."""
    die_with_parent(plan["parent"])
    os.umask(0o022)
    for procs_file in plan["procs_files"]:
        with open(procs_file, "w") as file:
            file.write("0")
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("500")
    if plan["staging"] is not None:
        build_staging(plan["staging"], control)
    os.setsid()
    os.sched_setaffinity(0, plan["processors"])
    set_limits(plan["rlimits"])
    os.umask(0o077)
    if plan["uid"] is not None:
        drop_privileges(plan["uid"])
        # The change of user has cleared the parent death signal.
        die_with_parent(plan["parent"])
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    os.chdir(plan["cwd"])


def die_with_parent(parent: int) -> None:
    """Ask to be killed when the referee ends, and exit if it has ended already."""
    call("prctl", PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(125)


def build_staging(staging: "dict[str, Any]", control: int) -> None:
    """Mount in a namespace of our own what bubblewrap binds, including paths that its user could not reach."""
    if staging["user_namespace"]:
        enter_user_namespace()
    call("unshare", CLONE_NEWNS)
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    for device in staging["devices"]:
        bind_read_only(device)
    # Opened before the staging directory covers its mount point, so that sources below it stay reachable.
    sources = [(os.open(source, os.O_PATH | os.O_CLOEXEC), name) for source, name in staging["binds"]]
    top = staging["top"]
    mount("tmpfs", top, "tmpfs", MS_NOSUID | MS_NODEV, "size=4m,nr_inodes=256,mode=0755")
    for descriptor, name in sources:
        target = f"{top}/{name}"
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):
            os.mkdir(target, 0o755)
        else:
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o644))
        mount(f"/proc/self/fd/{descriptor}", target, None, MS_BIND | MS_REC)
        os.close(descriptor)
    os.mkdir(f"{top}/{staging['folder']}", 0o755)
    for name, text in staging["files"].items():
        with open(f"{top}/{name}", "x") as file:
            file.write(text)
    for name, options, executable in staging["tmpfs"]:
        mount_tmpfs(f"{top}/{name}", options, executable)
    send_directory(f"{top}/{staging['tmpfs'][0][0]}", control)


def bind_read_only(device: str) -> None:
    """Bind a device onto itself read-only; if bubblewrap did this, the device could not be used."""
    mount(device, device, None, MS_BIND)
    found = os.statvfs(device).f_flag
    # The flags of the mount below must be repeated, or the kernel refuses to drop them.
    kept = found & (MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_NOATIME | MS_NODIRATIME)
    relative = MS_RELATIME if found & os.ST_RELATIME else 0
    mount("none", device, None, MS_REMOUNT | MS_BIND | MS_RDONLY | kept | relative)


def enter_user_namespace() -> None:
    """Enter a user namespace as the same user, to be able to mount."""
    uid, gid = os.getuid(), os.getgid()
    call("unshare", CLONE_NEWUSER)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def mount_tmpfs(path: str, options: str, executable: bool) -> None:
    """Mount a file system that the bot may write to; bubblewrap's own would hold any number of files."""
    os.mkdir(path, 0o755)
    mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV | (0 if executable else MS_NOEXEC), options)


def send_directory(path: str, control: int) -> None:
    """Send the descriptor of a directory to the referee, because no path on the host leads to it."""
    directory = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    line = _socket.socket(fileno=os.dup(control))
    rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, directory.to_bytes(4, sys.byteorder))
    line.sendmsg([b"directory\n"], [rights])
    line.close()
    os.close(directory)


def set_limits(limits: dict[str, int]) -> None:
    """Set soft and hard limits, never above the referee's hard ones."""
    for name, value in limits.items():
        number = getattr(resource, name)
        finite = [bound for bound in (value, resource.getrlimit(number)[1]) if bound != resource.RLIM_INFINITY]
        bound = min(finite, default=resource.RLIM_INFINITY)
        resource.setrlimit(number, (bound, bound))


def drop_privileges(uid: int) -> None:
    """Become an unprivileged user for good."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    if os.getresuid() != (uid, uid, uid) or os.getresgid() != (uid, uid, uid) or os.getgroups():
        raise ValueError("the user could not be given up")


def arrange_descriptors(wanted: dict[int, int]) -> None:
    """Move each descriptor to its number; all others are closed at the exec."""
    spare = {number: fcntl.fcntl(source, fcntl.F_DUPFD, SPARE_DESCRIPTOR) for number, source in wanted.items()}
    for source in set(wanted.values()):
        os.close(source)
    spare[0] = os.open("/dev/null", os.O_RDONLY)
    for number, source in spare.items():
        os.dup2(source, number)
        os.close(source)


def mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """Mount a file system; an error names the target."""
    kind_bytes = kind.encode() if kind is not None else None
    call("mount", source.encode(), target.encode(), kind_bytes, Long(flags), options.encode(), what=target)


def call(name: str, *arguments: int | bytes | Long | None, what: str = "") -> None:
    """Call a function of the C library; OSError from errno if it fails."""
    if Function(_ctypes.dlsym(LIBC, name))(*arguments) != 0:
        number = _ctypes.get_errno()
        raise OSError(number, os.strerror(number), f"{name} {what}".strip())


if __name__ == "__main__":
    main()

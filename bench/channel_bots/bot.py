"""Both ends of every channel: one copy is told bits to send, the other looks for them; needs nothing but Python.

Each connection brings one line, `CHANNEL NUMBER BIT` to send or `CHANNEL NUMBER` to look, and is answered with a
number, or with the name of the error that closes the channel.
"""

import ctypes
import errno
import os
import random
import re
import resource
import signal
import socket
import struct
from collections.abc import Callable
from typing import Any

Send = Callable[[int, int], object]
Look = Callable[[int], int]
KEPT: list[Any] = []
LAST: dict[str, Any] = {}
libc = ctypes.CDLL(None, use_errno=True)


def read(path: str, pattern: str) -> int:
    """The first number that a pattern finds in a file."""
    with open(path) as file:
        found = re.search(pattern, file.read(), re.MULTILINE)
    if found is None:
        raise OSError(errno.ENODATA, path)
    return int(found[1])


def since_last(value: int) -> int:
    """How far a counter has gone since it was looked at."""
    before: int = LAST.get("value", value)
    LAST["value"] = value
    return value - before


def syscall(*arguments: int) -> int:
    """The result of a system call."""
    value: int = libc.syscall(*map(ctypes.c_long, arguments))
    if value < 0:
        raise OSError(ctypes.get_errno(), "system call")
    return value


# What senders do.


def drop() -> None:
    """Let go of all that is kept."""
    while KEPT:
        thing = KEPT.pop()
        if isinstance(thing, Child):
            thing.end()
        elif isinstance(thing, int):
            os.close(thing)
        elif hasattr(thing, "close"):
            thing.close()


class Child:
    """A process that only waits."""

    def __init__(self) -> None:
        self.pid = os.fork()
        while self.pid == 0:
            signal.pause()

    def end(self) -> None:
        """End it for good."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def held(make: Callable[[], object]) -> Send:
    """Keep something for a 1, let it go for a 0."""

    def send(_: int, bit: int) -> None:
        drop()
        if bit:
            make()

    return send


def done(act: Callable[[int], object]) -> Send:
    """Do something for a 1, and nothing for a 0."""

    def send(number: int, bit: int) -> None:
        if bit:
            act(number)

    return send


def keep_memory() -> None:
    """64 MiB."""
    KEPT.append(bytearray(b"x" * (64 << 20)))


def keep_processes() -> None:
    """Many processes."""
    KEPT.extend(Child() for _ in range(24))


def keep_terminals() -> None:
    """Pseudo-terminals."""
    for _ in range(8):
        KEPT.extend(os.openpty())


def keep_pipes() -> None:
    """Open files."""
    for _ in range(100):
        KEPT.extend(os.pipe())


def keep_connections() -> None:
    """Sockets of TCP."""
    KEPT.extend(socket.socket(socket.AF_INET) for _ in range(100))


def keep_signals() -> None:
    """Signals that wait to be delivered."""
    for _ in range(40):
        information = ctypes.create_string_buffer(struct.pack("=iii", signal.SIGRTMIN + 1, 0, -1), 128)
        syscall(129, os.getpid(), signal.SIGRTMIN + 1, ctypes.addressof(information))


def send_signals(_: int, bit: int) -> None:
    """Queue signals for a 1, collect them for a 0."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN + 1])
    while signal.sigtimedwait([signal.SIGRTMIN + 1], 0):
        pass
    if bit:
        keep_signals()


def fork_often(_: int) -> None:
    """Count up the forks."""
    for _ in range(60):
        Child().end()


def switch_often(_: int) -> None:
    """Count up the context switches."""
    here, there = socket.socketpair()
    child = os.fork()
    if child == 0:
        for _ in range(2000):
            there.recv(1)
            there.send(b"x")
        os._exit(0)
    for _ in range(2000):
        here.send(b"x")
        here.recv(1)
    os.waitpid(child, 0)


def new_session() -> int:
    """The number of a new session, as a child of ours sees it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            os.write(writing, str(read("/proc/self/autogroup", r"autogroup-(\d+)")).encode())
        except OSError as error:
            os.write(writing, f"-{error.errno}".encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    answer = int(os.read(reading, 32))
    os.close(reading)
    if answer < 0:
        raise OSError(-answer, "setsid")
    return answer


def name_files(_: int) -> None:
    """Fill the cache of names."""
    for index in range(3000):
        os.path.exists(f"/tmp/nothing-{random.random()}-{index}")  # noqa: S108  (it is never made)


def make_pipes(count: int) -> int:
    """The highest inode number of so many new pipes."""
    highest = 0
    for _ in range(count):
        reading, writing = os.pipe()
        highest = max(highest, os.fstat(reading).st_ino)
        os.close(reading)
        os.close(writing)
    return highest


def make_cookies(count: int) -> int:
    """The highest cookie of so many new sockets."""
    highest = 0
    for _ in range(count):
        with socket.socket(socket.AF_UNIX) as line:
            cookie = line.getsockopt(socket.SOL_SOCKET, 57, 8)
        highest = max(highest, struct.unpack("=Q", cookie)[0])
    return highest


def process_inode() -> int:
    """The inode of a new process, which counts them all."""
    child = Child()
    try:
        descriptor = os.pidfd_open(child.pid)
        number = os.fstat(descriptor).st_ino
        os.close(descriptor)
        return number
    finally:
        child.end()


def keep_events() -> None:
    """Counters for threads to wait on, which are numbered from the lowest free number."""
    KEPT.extend(os.eventfd(0) for _ in range(100))


def event_number() -> int:
    """The number of a new one."""
    descriptor = os.eventfd(0)
    try:
        return read(f"/proc/self/fdinfo/{descriptor}", r"^eventfd-id: (\d+)")
    finally:
        os.close(descriptor)


def print_much(_: int) -> None:
    """Let the machine write a log."""
    os.write(1, (b"x" * 4095 + b"\n") * 64)


class Sysinfo(ctypes.Structure):
    """As the kernel fills it in on 64-bit machines."""

    _fields_ = (
        ("uptime", ctypes.c_long), ("loads", ctypes.c_ulong * 3), ("totalram", ctypes.c_ulong),
        ("freeram", ctypes.c_ulong), ("rest", ctypes.c_ulong * 4), ("procs", ctypes.c_ushort),
        ("spare", ctypes.c_char * 64),
    )  # fmt: skip


def sysinfo() -> Sysinfo:
    """What the kernel says of the whole machine."""
    found = Sysinfo()
    if libc.sysinfo(ctypes.byref(found)):
        raise OSError(ctypes.get_errno(), "sysinfo")
    return found


# Files that both can read.


def common_file() -> str:
    """A file that nobody else reads."""
    for folder, _, names in os.walk("/usr/lib/python3.11"):
        if "topics.py" in names:
            return f"{folder}/topics.py"
    raise OSError(errno.ENOENT, "no common file")


def ask_cache(_: int) -> int:
    """Whether the middle of the common file is in memory."""
    with open(common_file(), "rb") as file:
        try:
            os.preadv(file.fileno(), [bytearray(1)], 1 << 18, os.RWF_NOWAIT)
        except BlockingIOError:
            return 0
    return 1


def change_cache(_: int, bit: int) -> None:
    """Have that file in memory, or not."""
    with open(common_file(), "rb") as file:
        if bit:
            file.read()
        else:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def cold_file(number: int) -> str:
    """Some file that hardly anybody reads; both ends count alike."""
    if "files" not in LAST:
        found = []
        for folder, _, names in os.walk("/usr"):
            for name in names:
                path = f"{folder}/{name}"
                if not os.path.islink(path) and os.path.getsize(path) > 8192:
                    found.append(path)
        found.sort()
        random.Random("cold files").shuffle(found)
        LAST["files"] = found
    files: list[str] = LAST["files"]
    return files[number % len(files)]


def touch_file(number: int) -> None:
    """Bring its beginning into memory."""
    with open(cold_file(number), "rb", buffering=0) as file:
        file.read(1)


def blocks_read(number: int) -> int:
    """Whether it came from the disk."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_inblock
    touch_file(number)
    return resource.getrusage(resource.RUSAGE_SELF).ru_inblock - before


CHANNELS: dict[str, tuple[Send, Look]] = {
        "page cache, asked": (change_cache, ask_cache),
        "page cache, read once": (done(touch_file), blocks_read),
        "/proc/sys/kernel/pty/nr": (held(keep_terminals), lambda _: read("/proc/sys/kernel/pty/nr", r"(\d+)")),
        "/proc/stat processes": (done(fork_often), lambda _: since_last(read("/proc/stat", r"^processes (\d+)"))),
        "/proc/stat ctxt": (done(switch_often), lambda _: since_last(read("/proc/stat", r"^ctxt (\d+)"))),
        "/proc/meminfo": (held(keep_memory), lambda _: read("/proc/meminfo", r"^MemFree: +(\d+)")),
        "/proc/loadavg": (held(keep_processes), lambda _: read("/proc/loadavg", r"/(\d+)")),
        "/proc/vmstat": (held(keep_memory), lambda _: read("/proc/vmstat", r"^nr_free_pages (\d+)")),
        "/proc/sys/fs/file-nr": (held(keep_pipes), lambda _: read("/proc/sys/fs/file-nr", r"(\d+)")),
        "/proc/sys/fs/dentry-state": (
            done(name_files), lambda _: since_last(read("/proc/sys/fs/dentry-state", r"(\d+)"))
        ),
        "/proc/self/autogroup": (
            done(lambda _: [new_session() for _ in range(20)]), lambda _: since_last(new_session())
        ),
        "/proc/self/status SigQ": (send_signals, lambda _: read("/proc/self/status", r"^SigQ:\s+(\d+)")),
        "/proc/net/sockstat": (held(keep_connections), lambda _: read("/proc/net/sockstat", r"^TCP: .*alloc (\d+)")),
        "/sys/devices/system/node": (
            held(keep_memory), lambda _: read("/sys/devices/system/node/node0/meminfo", r"MemFree: +(\d+)")
        ),
        "sysinfo, free memory": (held(keep_memory), lambda _: sysinfo().freeram),
        "sysinfo, processes": (held(keep_processes), lambda _: sysinfo().procs),
        "inodes of pipes": (done(lambda _: make_pipes(6000)), lambda _: since_last(make_pipes(1100))),
        "inodes of pidfds": (done(fork_often), lambda _: since_last(process_inode())),
        "cookies of sockets": (done(lambda _: make_cookies(9000)), lambda _: since_last(make_cookies(4200))),
        "ids of eventfds": (held(keep_events), lambda _: event_number()),
    "times of /dev/null": (
            done(lambda _: os.utime("/dev/null")), lambda _: since_last(os.stat("/dev/null").st_mtime_ns)
        ),
        "free blocks of the disk": (done(print_much), lambda _: since_last(os.statvfs("/usr").f_bfree)),
}  # fmt: skip


def answer(words: list[str]) -> int:
    """Send or look."""
    index, number, *bit = words
    send, look = list(CHANNELS.values())[int(index)]
    if bit:
        send(int(number), int(bit[0]))
        return 0
    return look(int(number))


def main() -> None:
    """Serve one connection after the other."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.environ["ARENA_SOCKET"])
    listener.listen()
    while True:
        line, _ = listener.accept()
        with line, line.makefile("rb") as file:
            try:
                said = str(answer(file.readline().decode().split()))
            except OSError as error:
                said = errno.errorcode.get(error.errno or 0, "error")
            except (AttributeError, TypeError, ValueError):
                said = "nothing there"
            line.sendall(said.encode() + b"\n")


if __name__ == "__main__":
    main()

"""Both ends of every channel: one copy is told bits to send, the other looks for them; needs nothing but Python.

Each connection brings one line, `CHANNEL NUMBER BITS` to send or `CHANNEL NUMBER` to look, and is answered with a
number, or with the name of the error that closes the channel.
"""

import ctypes
import errno
import mmap
import os
import random
import re
import resource
import signal
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
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
        if isinstance(thing, Child | Page):
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


class Page:
    """One page of a file, mapped where its neighbours are not."""

    def __init__(self, descriptor: int, number: int) -> None:
        self.address = map_file(descriptor, mmap.PAGESIZE, number * mmap.PAGESIZE)
        ctypes.c_char.from_address(self.address).value  # noqa: B018  (that is what maps it)

    def end(self) -> None:
        """Let go of it."""
        libc.munmap(ctypes.c_void_p(self.address), mmap.PAGESIZE)


def map_file(descriptor: int, length: int, offset: int = 0) -> int:
    """The address of a part of a file, to be read."""
    libc.mmap.restype = ctypes.c_void_p
    arguments = ctypes.c_size_t(length), mmap.PROT_READ, mmap.MAP_SHARED, descriptor, ctypes.c_long(offset)
    return int(libc.mmap(None, *arguments))


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


def keep_shared_memory() -> None:
    """8 MiB that several processes could share."""
    KEPT.append(mmap.mmap(-1, 8 << 20))
    KEPT[-1].write(b"x" * (8 << 20))


def keep_huge_pages() -> None:
    """Eight huge pages."""
    KEPT.append(mmap.mmap(-1, 18 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
    KEPT[-1].madvise(mmap.MADV_HUGEPAGE)
    KEPT[-1].write(b"x" * (18 << 20))


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
        ("freeram", ctypes.c_ulong), ("sharedram", ctypes.c_ulong), ("rest", ctypes.c_ulong * 3),
        ("procs", ctypes.c_ushort), ("spare", ctypes.c_char * 64),
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


# Many bits at a time.


def set_bits(value: int) -> Iterator[int]:
    """The numbers of the bits that are set."""
    return (index for index in range(value.bit_length()) if value >> index & 1)


def as_bits(found: list[bool]) -> int:
    """The number that these bits make."""
    return sum(bit << index for index, bit in enumerate(found))


def pages_of_files() -> list[tuple[int, int]]:
    """Pages of files that hardly anybody reads, as a descriptor and a number."""
    if "pages" not in LAST:
        number, found = 0, list[tuple[int, int]]()
        while len(found) < PAGES:
            path = cold_file(number)
            number += 1
            if 1 << 16 < os.path.getsize(path) < 1 << 22:
                descriptor = os.open(path, os.O_RDONLY)
                found.extend((descriptor, page) for page in range(os.path.getsize(path) // mmap.PAGESIZE))
        LAST["pages"] = found[:PAGES]
    pages: list[tuple[int, int]] = LAST["pages"]
    return pages


def map_pages(_: int, value: int) -> None:
    """Map a page for each 1."""
    drop()
    pages = pages_of_files()
    KEPT.extend(Page(*pages[index]) for index in set_bits(value))


def pages_shared(_: int) -> int:
    """Of which pages somebody else has a mapping, by /proc/self/pagemap."""
    if "mapped" not in LAST:
        LAST["mapped"] = [Page(*page) for page in pages_of_files()]
    with open("/proc/self/pagemap", "rb", buffering=0) as file:
        entries = [os.pread(file.fileno(), 8, page.address // mmap.PAGESIZE * 8) for page in LAST["mapped"]]
    return as_bits([not int.from_bytes(entry, "little") >> 56 & 1 for entry in entries])


def smaps_shared(_: int) -> int:
    """How much of what is mapped somebody else has mapped, too."""
    if "mapped" not in LAST:
        LAST["mapped"] = [Page(*page) for page in pages_of_files()]
    with open("/proc/self/smaps_rollup") as file:
        return sum(map(int, re.findall(r"^Shared_Clean: +(\d+)", file.read(), re.MULTILINE)))


def wait_on_pages(_: int, value: int) -> None:
    """Have a thread wait on a word of a common page for each 1; whom the other end has found is gone."""
    address = common_page()
    waiting: dict[int, threading.Thread] = LAST.setdefault("waiting", {})
    for index in [index for index, thread in waiting.items() if thread.is_alive() and not value >> index & 1]:
        libc.syscall(FUTEX, ctypes.c_void_p(address + 4 * index), 1, 99, 0, 0, 0)
    for index in set_bits(value):
        if index not in waiting or not waiting[index].is_alive():
            waiting[index] = threading.Thread(target=wait_on, args=(address + 4 * index,), daemon=True)
            waiting[index].start()
    time.sleep(0.002)  # until they wait


def wait_on(address: int) -> None:
    """Wait on a word of a file."""
    word = ctypes.c_uint32.from_address(address).value
    libc.syscall(FUTEX, ctypes.c_void_p(address), 0, word, 0, 0, 0)


def common_page() -> int:
    """The address of a page that both have."""
    if "common" not in LAST:
        descriptor = os.open(common_file(), os.O_RDONLY)
        LAST["common"] = map_file(descriptor, mmap.PAGESIZE)
    return int(LAST["common"])


def waiters(_: int) -> int:
    """On which words somebody waited; they are woken."""
    address = common_page()
    return as_bits([syscall(FUTEX, address + 4 * index, 1, 99, 0, 0, 0) > 0 for index in range(THREADS)])


def name_some(number: int, value: int) -> None:
    """Look for files that are not there, which the kernel then remembers."""
    for index in set_bits(value):
        os.path.exists(f"/usr/lib/nothing-{number}-{index}")


def names_known(number: int) -> int:
    """For which of these names somebody has looked: openat2 with RESOLVE_CACHED."""
    how = ctypes.create_string_buffer(struct.pack("=QQQ", 0, 0, 0x20), 24)
    found = []
    for index in range(NAMES):
        path = ctypes.create_string_buffer(f"/usr/lib/nothing-{number}-{index}".encode())
        libc.syscall(437, -100, path, how, 24)
        if (error := ctypes.get_errno()) not in (errno.ENOENT, errno.EAGAIN):
            raise OSError(error, "openat2")
        found.append(error == errno.ENOENT)
    return as_bits(found)


def touch_files(number: int, value: int) -> None:
    """Bring the beginnings of some files into memory."""
    for index in set_bits(value):
        touch_file(number * FILES + index)


def files_in_memory(number: int) -> int:
    """Which of these files somebody has read."""
    return as_bits([blocks_read(number * FILES + index) == 0 for index in range(FILES)])


FUTEX = 202
PAGES, THREADS, NAMES, FILES = 2048, 48, 2048, 64
WIDTHS = {
    "pages of shared files, asked (pagemap)": PAGES,
    "threads that wait on shared files (futex)": THREADS,
    "names of files, asked (openat2)": NAMES,
    "pages of files, read once": FILES,
}
"""Bits per exchange of the channels that carry more than one."""

CHANNELS: dict[str, tuple[Send, Look]] = {
        "page cache, asked": (change_cache, ask_cache),
        "pages of shared files, asked (pagemap)": (map_pages, pages_shared),
        "pages of shared files, counted (smaps)": (lambda _, bit: map_pages(_, ((1 << PAGES) - 1) * bit), smaps_shared),
        "threads that wait on shared files (futex)": (wait_on_pages, waiters),
        "names of files, asked (openat2)": (name_some, names_known),
        "pages of files, read once": (touch_files, files_in_memory),
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
        "/sys/…/transparent_hugepage/…/stats": (
            held(keep_huge_pages),
            lambda _: read("/sys/kernel/mm/transparent_hugepage/hugepages-2048kB/stats/nr_anon", r"(\d+)"),
        ),
        "/sys/devices/system/node": (
            held(keep_memory), lambda _: read("/sys/devices/system/node/node0/meminfo", r"MemFree: +(\d+)")
        ),
        "sysinfo, free memory": (held(keep_memory), lambda _: sysinfo().freeram),
        "sysinfo, shared memory": (held(keep_shared_memory), lambda _: sysinfo().sharedram),
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

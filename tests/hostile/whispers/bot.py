"""Two copies of it sit at the table; the first moves counters of the whole machine, the second reads them."""

import ctypes
import mmap
import os
import socket
import struct

from probe import attempts, call, say
from raw import play

COUNTERS = {
    "forks and switches": "/proc/stat",
    "free memory": "/proc/meminfo",
    "the number of processes": "/proc/loadavg",
    "pages": "/proc/vmstat",
    "terminals": "/proc/sys/kernel/pty/nr",
    "open files": "/proc/sys/fs/file-nr",
    "names of files": "/proc/sys/fs/dentry-state",
}
COMMON = "/usr/bin/env"
UNKNOWN = "/usr/lib/arena-whisper"
HUGE_PAGES = "/sys/kernel/mm/transparent_hugepage"
KEPT = []


def read(path):
    """What a file says, or nothing where it is not to be had."""
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return None


def fork():
    for _ in range(20):
        child = os.fork()
        if not child:
            os._exit(0)
        os.waitpid(child, 0)


def keep():
    KEPT.append(bytearray(b"x" * (16 << 20)))
    KEPT.extend(os.pipe() for _ in range(40))
    for number in range(2000):
        os.path.exists(f"/tmp/{number}")


def connect():
    KEPT.extend(socket.socket() for _ in range(20))


def name():
    os.path.exists(UNKNOWN)


def keep_huge_pages():
    KEPT.append(mmap.mmap(-1, 6 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
    KEPT[-1].madvise(mmap.MADV_HUGEPAGE)
    KEPT[-1].write(b"x" * (6 << 20))


def forget():
    with open(COMMON, "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def shout():
    """Seat 0: everything that might be heard elsewhere; what fails here is closed already."""
    for action in (fork, keep, connect, name, keep_huge_pages, forget, os.openpty, lambda: os.utime("/dev/null")):
        try:
            action()
        except OSError as error:
            say("closed:", error)
    say("the counters were moved")


def asks_for_pages():
    """A read of what is in memory already: any answer but a refusal tells what others have read."""
    with open(COMMON, "rb") as file:
        try:
            return os.preadv(file.fileno(), [bytearray(1)], 0, os.RWF_NOWAIT)
        except BlockingIOError:
            return "not in memory"


def asks_for_a_name():
    """An open of what is in memory already (RESOLVE_CACHED): any answer but a refusal tells what others looked for."""
    how = ctypes.create_string_buffer(struct.pack("=QQQ", 0, 0, 0x20), 24)
    try:
        return call(437, -100, UNKNOWN.encode(), how, 24)
    except (FileNotFoundError, BlockingIOError) as error:
        return repr(error)


def counts_of_huge_pages():
    """Counters of all huge pages of the machine."""
    paths = (f"{folder}/{name}" for folder, _, names in os.walk(HUGE_PAGES) for name in names if "stats" in folder)
    return [path for path in paths if read(path)]


LISTEN = {
    **{what: lambda path=path: read(path) != me[path] for what, path in COUNTERS.items()},
    "pages in memory": asks_for_pages,
    "names in memory": asks_for_a_name,
    "huge pages": counts_of_huge_pages,
    "sockets of TCP, which the kernel counts for all": socket.socket,
    "the time of a device": lambda: os.stat("/dev/null").st_mtime_ns != me["touched"],
    "the inode of a process": lambda: os.fstat(os.pidfd_open(os.getpid())).st_ino,
}


def meet(start):
    me["seat"] = start.seat


def turn(asked):
    if asked.number == 1 and me["seat"] == 0:
        shout()
    if asked.number == 3 and me["seat"] == 1:
        attempts(LISTEN)


me = {"seat": 0, "touched": os.stat("/dev/null").st_mtime_ns, **{path: read(path) for path in COUNTERS.values()}}
play(start=meet, turn=turn)

"""Has many threads in calls of the kernel that cannot be interrupted at once, whenever it is to be frozen."""

import ctypes
import mmap
import os
import signal
import sys
import threading
import time

from raw import once, play

THREADS = 16
CLONE, CLONE_VFORK = {"x86_64": 56, "aarch64": 220}.get(os.uname().machine, 56), 0x4000
libc = ctypes.CDLL(None)


def wait_for_a_child():
    """The parent of a vfork sleeps without hearing signals until its child is gone."""
    while True:
        if libc.syscall(CLONE, CLONE_VFORK | signal.SIGCHLD, 0, 0, 0, 0) == 0:
            time.sleep(0.2)
            os._exit(0)
        time.sleep(0.001)


def map_memory():
    """Large mappings made, filled and given back: the kernel is busy with each for a while."""
    while True:
        with mmap.mmap(-1, 4 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE):
            pass


def write_files():
    while True:
        with open(f"/tmp/{threading.get_ident()}", "wb") as file:
            file.write(bytes(1 << 20))
            os.fsync(file.fileno())


def begin():
    action = {"vfork": wait_for_a_child, "memory": map_memory, "files": write_files}[sys.argv[1]]
    for _ in range(THREADS):
        threading.Thread(target=action, daemon=True).start()
    print("the threads are busy", flush=True)


play(turn=once(begin))

"""Raises its own limits and its own importance."""

import os
import resource
import socket

from probe import attempts, call, libc
from raw import once, play


def raised(kind):
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (hard * 2, hard * 2))
    return True


def written(path, text):
    with open(path, "w") as file:
        file.write(text)
    return True


def real_time():
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    return True


def joined(group):
    """Leave the control group for the one above."""
    return any(written(f"/sys/fs/cgroup/{name}/cgroup.procs", "0") for name in ("", "memory", "pids", "cpu", "unified"))


TABLE = {
    "more processes": lambda: raised(resource.RLIMIT_NPROC),
    "more files": lambda: raised(resource.RLIMIT_NOFILE),
    "larger files": lambda: raised(resource.RLIMIT_FSIZE),
    "core files": lambda: resource.setrlimit(resource.RLIMIT_CORE, (1, 1)) or True,
    "locked memory": lambda: call(149, 0, 1 << 30),
    "nicer": lambda: os.nice(-5) < 0,
    "real time": real_time,
    "deadline": lambda: call(314, 0, (b"\x30" + bytes(3) + b"\x06").ljust(48, b"\0"), 0),
    "io priority of real time": lambda: call(251, 1, 0, 1 << 13),
    "never to be killed for memory": lambda: written("/proc/self/oom_score_adj", "-1000"),
    "autogroup": lambda: written("/proc/self/autogroup", "-20"),
    "another control group": lambda: joined(""),
    "larger buffers by force": lambda: socket.socket(socket.AF_UNIX).setsockopt(socket.SOL_SOCKET, 32, 1 << 30) or True,
    "latency for the whole machine": lambda: os.open("/dev/cpu_dma_latency", os.O_WRONLY),
    "slack of its init": lambda: written("/proc/1/timerslack_ns", "1"),
    "huge pages": lambda: libc.madvise and call(9, 0, 1 << 21, 3, 0x40022, -1, 0) > 0,
    "limits of its init": lambda: resource.prlimit(1, resource.RLIMIT_NPROC, (10**6, 10**6)) or True,
}
play(turn=once(lambda: attempts(TABLE)))

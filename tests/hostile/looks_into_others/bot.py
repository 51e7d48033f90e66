"""Tries to read and steer other processes, those of its sandbox included."""

import os

from probe import attempts, call
from raw import once, play


def memory_of(pid):
    """All that can be read of the writable memory of a process."""
    found = b""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as file, open(f"/proc/{pid}/maps") as maps:
        for line in maps:
            first, last = (int(number, 16) for number in line.split()[0].split("-"))
            if "rw" in line:
                file.seek(first)
                found += file.read(last - first)
    return found


TABLE = {
    "ptrace its init": lambda: call(101, 16, 1, 0, 0),
    "ptrace by seizing": lambda: call(101, 0x4206, 1, 0, 0),
    "ptrace its parent": lambda: call(101, 16, os.getppid(), 0, 0),
    "process_vm_readv": lambda: call(310, 1, 0, 0, 0, 0, 0),
    "process_vm_writev": lambda: call(311, 1, 0, 0, 0, 0, 0),
    # Its init has no more rights than the bot itself, so this is no door; but nothing of the host may be in it.
    "secrets in the memory of its init": lambda: b"canary" in memory_of(1),
    "descriptors of its init": lambda: call(438, os.pidfd_open(1), 0, 0),
    "kcmp": lambda: call(312, 1, os.getpid(), 0, 0, 0),
    "root of its init": lambda: set(os.listdir("/proc/1/root")) - set(os.listdir("/")),
    "files of its init": lambda: [os.readlink(f"/proc/1/fd/{n}") for n in os.listdir("/proc/1/fd") if int(n) > 9],
}
play(turn=once(lambda: attempts(TABLE)))

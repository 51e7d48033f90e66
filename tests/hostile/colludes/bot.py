"""Two copies of it sit at the table; the first leaves word everywhere, the second looks for it."""

import ctypes
import fcntl
import glob
import os
import socket
import time

from probe import attempts, call, say
from raw import play

WORD = "arena-collusion"
SHARED = [path for path in ("/usr/bin/env", "/bin/sh", "/usr/lib/os-release") if os.path.exists(path)]
INODES = {str(os.stat(path).st_ino) for path in SHARED}
KEPT = []


def locked(path, how):
    """Whether somebody holds a lock on a file that both can see; takes it if not."""
    descriptor = os.open(path, os.O_RDONLY)
    KEPT.append(descriptor)
    how(descriptor)


def flocked(descriptor):
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def record_locked(descriptor):
    fcntl.fcntl(descriptor, fcntl.F_SETLK, b"\0" * 64)


def leased(descriptor):
    fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)


def bind_abstract():
    KEPT.append(socket.socket(socket.AF_UNIX))
    KEPT[-1].bind(f"\0{WORD}")


def leave_word():
    """Seat 0: everything that might be seen elsewhere; what fails here is closed already."""
    for path in SHARED:
        for how in (flocked, record_locked, leased):
            quietly(locked, path, how)
    for folder in ("/tmp", "/dev/shm", "/var/tmp", "/run", os.path.dirname(os.environ["ARENA_SOCKET"]), "/dev/mqueue"):
        quietly(lambda folder=folder: open(f"{folder}/{WORD}", "w").close())
    quietly(bind_abstract)
    quietly(lambda: call(248, b"user", WORD.encode(), b"x", 1, -5))
    quietly(lambda: call(29, 0x4A4A, 4096, 0o1666))
    quietly(lambda: call(68, 0x4A4A, 0o1666))
    for path in SHARED:
        quietly(os.utime, path)
    say("word was left")


def quietly(action, *arguments):
    try:
        action(*arguments)
    except OSError as error:
        say("closed:", error)


def connects():
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(f"\0{WORD}")
        return True


def blocked(path, how):
    """A lock that others hold shows as one that we cannot have; one that nobody may have says nothing."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        how(descriptor)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def read(path):
    with open(path) as file:
        return file.read()


LOOK = {
    "a file": lambda: glob.glob(f"/*/{WORD}") + glob.glob(f"/*/*/{WORD}"),
    "a lock": lambda: any(blocked(path, flocked) for path in SHARED),
    "a record lock": lambda: any(blocked(path, record_locked) for path in SHARED),
    "the list of locks": lambda: INODES & {line.split()[5].split(":")[2] for line in read("/proc/locks").splitlines()},
    "an abstract socket": connects,
    "its name": lambda: WORD in read("/proc/net/unix"),
    "a key": lambda: call(249, b"user", WORD.encode(), 0, -5),
    "memory of System V": lambda: call(29, 0x4A4A, 4096, 0),
    "a queue of System V": lambda: call(68, 0x4A4A, 0),
    "keys in /proc": lambda: WORD in read("/proc/keys"),
    "a time stamp": lambda: [path for path in SHARED if os.stat(path).st_atime > me["born"]],
}


def meet(start):
    me["seat"] = start.seat


def turn(asked):
    if asked.number == 1 and me["seat"] == 0:
        leave_word()
    if asked.number == 3 and me["seat"] == 1:
        attempts(LOOK)


me = {"seat": 0, "born": time.time()}
ctypes.CDLL(None).umask(0)
play(start=meet, turn=turn)

"""Reads what it should not, and prints all that it finds."""

import contextlib
import glob
import os
import sys

from canary import FILE, VARIABLE
from probe import attempts, say
from raw import once, play


def read(path):
    with open(path, "rb") as file:
        return file.read(20_000)


def environments():
    """Every environment and command line that can be seen; the canary would be in one of them."""
    for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
        try:
            say(path, read(path).replace(b"\0", b" ")[:3000].decode(errors="replace"))
        except OSError as error:
            say(path, error)
    return os.environ.get(VARIABLE)


def found(pattern):
    return glob.glob(pattern, recursive=True)


def walk():
    """Every file below the places where secrets are."""
    return [place for top in ("/tmp", "/run", "/var/tmp", "/dev/shm") for place in found(f"{top}/**/{FILE}*")]


def descriptors():
    """What was left open for us beyond the three usual ones: directories and sockets would be doors."""
    kinds = []
    for number in range(3, 256):
        with contextlib.suppress(OSError):
            kinds.append(os.readlink(f"/proc/self/fd/{number}"))
    say("open:", kinds)
    return [kind for kind in kinds if kind.startswith("/") and not kind.startswith(("/proc", "/dev", "/tmp", "/bot"))]


TABLE = {
    "environments": environments,
    "canaries in files": walk,
    "descriptors": descriptors,
    "passwords": lambda: read("/etc/shadow"),
    "home of root": lambda: [name for name in os.listdir("/root") if name not in sys.base_prefix.split("/")],
    "homes": lambda: os.listdir("/home"),
    "the work tree": lambda: os.path.exists("/work/main/tests/hostile/canaries.py"),
    "the disk": lambda: found("/dev/[svx]d*") or found("/dev/nvme*"),
    "kernel memory": lambda: read("/proc/kcore"),
    "kernel log": lambda: read("/proc/kmsg"),
    "kernel messages": lambda: read("/dev/kmsg"),
    "keys of the machine": lambda: found("/etc/ssh/*key"),
    "machine id": lambda: read("/etc/machine-id").strip(),
    "control groups to write": lambda: any(os.access(path, os.W_OK) for path in found("/sys/fs/cgroup/*")),
    "other processes": lambda: [pid for pid in os.listdir("/proc") if pid.isdecimal() and int(pid) > 5000],
    "docker's files": lambda: os.listdir("/var/lib/docker"),
    "other bots": lambda: [path for path in found("/run/arena/*") + found("/run/bot/*") if not path.endswith("b.sock")],
    "core pattern": lambda: os.access("/proc/sys/kernel/core_pattern", os.W_OK),
    "sysrq": lambda: os.access("/proc/sysrq-trigger", os.W_OK),
}
play(turn=once(lambda: attempts(TABLE)))

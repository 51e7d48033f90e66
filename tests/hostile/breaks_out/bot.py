"""Asks the kernel for what no bot needs: namespaces, mounts, keys, other architectures, more rights."""

import ctypes
import mmap
import os
import subprocess

from probe import attempts, call, escapes_in_child, libc
from raw import once, play

NEW = {"user": 0x1000_0000, "mount": 0x0002_0000, "network": 0x4000_0000, "pid": 0x2000_0000, "cgroup": 0x0200_0000}


def machine_code(code):
    """Run bytes as a function."""
    area = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    area.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(area))
    return ctypes.CFUNCTYPE(ctypes.c_int)(address)()


def output(*command):
    return subprocess.run(command, capture_output=True, timeout=5, check=True).stdout


def written(path, text):
    with open(path, "w") as file:
        file.write(text)
    return True


def became_root():
    os.setresuid(0, 0, 0)
    return os.getuid() == 0


def setuid_file():
    """A copy of a shell that would be root's."""
    with open("/tmp/sh", "wb") as file, open("/bin/sh", "rb") as shell:
        file.write(shell.read())
    os.chown("/tmp/sh", 0, 0)
    os.chmod("/tmp/sh", 0o4755)
    return b"uid=0" in output("/tmp/sh", "-c", "id")


TABLE = {
    **{f"unshare {name}": lambda flag=flag: escapes_in_child(lambda: call(272, flag)) for name, flag in NEW.items()},
    **{
        f"clone {name}": lambda flag=flag: escapes_in_child(lambda: call(56, flag | 17, 0, 0, 0, 0))
        for name, flag in NEW.items()
    },
    "clone3": lambda: call(435, 0, 0),
    "setns": lambda: call(308, os.open("/proc/1/ns/mnt", os.O_RDONLY), 0),
    "mount": lambda: call(165, b"none", b"/tmp", b"tmpfs", 0, 0),
    "umount": lambda: call(166, b"/proc", 2),
    "open_tree": lambda: call(428, -100, b"/", 1),
    "fsopen": lambda: call(430, b"tmpfs", 0),
    "pivot_root": lambda: call(155, b"/tmp", b"/tmp"),
    "chroot": lambda: call(161, b"/tmp"),
    "open_by_handle_at": lambda: call(304, -1, 0, 0),
    "name_to_handle_at": lambda: call(
        303, -100, b"/", ctypes.create_string_buffer(200), ctypes.byref(ctypes.c_int()), 0
    ),
    "keyctl": lambda: call(250, 0, -3, 0),
    "add_key": lambda: call(248, b"user", b"arena", b"x", 1, -3),
    "io_uring": lambda: call(425, 1, ctypes.create_string_buffer(200)),
    "userfaultfd": lambda: call(323, 0),
    "bpf": lambda: call(321, 0, ctypes.create_string_buffer(200), 100),
    "perf_event_open": lambda: call(298, ctypes.create_string_buffer(200), 0, -1, -1, 0),
    "shared memory of System V": lambda: call(29, 4242, 4096, 0o1666),
    "queue of System V": lambda: call(68, 4242, 0o1666),
    "queue of POSIX": lambda: call(240, b"arena", 0o102, 0o666, 0),
    "inotify": lambda: call(294, 0),
    "fanotify": lambda: call(300, 0, 0),
    "personality": lambda: call(135, 0x0040000),
    "kernel log": lambda: call(103, 3, ctypes.create_string_buffer(100), 100),
    "set the clock": lambda: call(227, 0, ctypes.create_string_buffer(16)),
    "set the name of the host": lambda: call(170, b"owned", 5),
    "reboot": lambda: call(169, 0xFEE1DEAD, 672274793, 0, 0),
    "int 0x80": lambda: escapes_in_child(lambda: machine_code(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3") > 0),
    "x32": lambda: escapes_in_child(lambda: libc.syscall(0x40000000 + 39) > 0),
    "become root": became_root,
    "a setuid file": setuid_file,
    "su": lambda: output("su", "-c", "id"),
    "new privileges again": lambda: libc.prctl(38, 0, 0, 0, 0) == 0,
    "capabilities": lambda: libc.prctl(24, 21, 0, 0, 0) == 0 and libc.prctl(47, 2, 21, 0, 0) == 0,
    "write to /usr": lambda: written("/usr/owned", "x"),
    "write to its own folder": lambda: written(f"{os.path.dirname(__file__)}/owned", "x"),
    "write to /etc": lambda: written("/etc/owned", "x"),
    "write to the root": lambda: written("/owned", "x"),
    "core pattern": lambda: written("/proc/sys/kernel/core_pattern", "|/tmp/owned"),
    "swappiness": lambda: written("/proc/sys/vm/swappiness", "100"),
    "make a device": lambda: os.mknod("/tmp/disk", 0o60666, os.makedev(8, 0)) or True,
}
play(turn=once(lambda: attempts(TABLE)))

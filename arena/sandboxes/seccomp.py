"""The system calls that no bot may make: one list of rules, compiled for bubblewrap and written down for docker."""

import errno
import importlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from arena.errors import InfraError

MASKED_EQ, GREATER = "SCMP_CMP_MASKED_EQ", "SCMP_CMP_GT"

# Kernel objects that no namespace separates, doors into other processes, and calls that only an attacker needs.
DENIED = {
    "other processes": "ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_getfd",
    "mounts and namespaces": "mount umount umount2 move_mount open_tree fsopen fsconfig fsmount fspick mount_setattr"
    " pivot_root chroot setns unshare sethostname setdomainname",
    "keyrings": "keyctl add_key request_key",
    "kernel machinery": "bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register io_setup"
    " modify_ldt memfd_secret move_pages migrate_pages lookup_dcookie personality",
    "the machine": "init_module finit_module delete_module create_module query_module get_kernel_syms kexec_load"
    " kexec_file_load reboot swapon swapoff acct syslog quotactl quotactl_fd iopl ioperm vhangup nfsservctl uselib"
    " sysfs _sysctl ustat",
    "the clock": "settimeofday stime clock_settime clock_settime64 adjtimex clock_adjtime clock_adjtime64",
    "files by handle, and watching files that other bots share": "open_by_handle_at name_to_handle_at fanotify_init"
    " fanotify_mark inotify_init inotify_init1",
    "memory and queues that outlive a process": "mq_open mq_unlink shmget msgget semget",
}
SOCKET_FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10}
CLONE_FLAGS = {
    "CLONE_NEWNS": 0x0002_0000, "CLONE_NEWCGROUP": 0x0200_0000, "CLONE_NEWUTS": 0x0400_0000,
    "CLONE_NEWIPC": 0x0800_0000, "CLONE_NEWUSER": 0x1000_0000, "CLONE_NEWPID": 0x2000_0000,
    "CLONE_NEWNET": 0x4000_0000,
}  # fmt: skip
TERMINAL_REQUESTS = {"TIOCSTI": 0x5412, "TIOCLINUX": 0x541C}
LOCK_COMMANDS = {"F_SETLK": 6, "F_SETLKW": 7, "F_OFD_SETLK": 37, "F_OFD_SETLKW": 38, "F_SETLEASE": 1024}
WATCH_COMMANDS = {"F_NOTIFY": 1026}


@dataclass(frozen=True, slots=True)
class Condition:
    """A test of one argument, in the words and the order of values that libseccomp and docker share."""

    index: int
    operation: str
    value: int
    value_two: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """These calls fail with an error number, always or when the condition holds."""

    names: tuple[str, ...]
    error: int = errno.EPERM
    condition: Condition | None = None


def rules(*, file_locks: bool, memory_files: bool = True) -> tuple[Rule, ...]:
    """Every rule; everything that no rule names is allowed, foreign architectures never are.

    Files that exist only in memory must be denied where nothing but a watchdog counts memory: it cannot see them.
    """
    hidden = () if memory_files else (Rule(("memfd_create",)),)
    return (*_always(), *hidden, *(() if file_locks else _locks()))


def _always() -> Iterator[Rule]:
    for names in DENIED.values():
        yield Rule(tuple(names.split()))
    # Its flags lie in memory where no filter can look; libraries fall back to clone.
    yield Rule(("clone3",), errno.ENOSYS)
    for flag in CLONE_FLAGS.values():
        yield Rule(("clone",), condition=Condition(0, MASKED_EQ, flag, flag))
    highest = max(SOCKET_FAMILIES.values())
    yield Rule(("socket",), condition=Condition(0, GREATER, highest))
    for family in set(range(highest)) - set(SOCKET_FAMILIES.values()):
        yield Rule(("socket",), condition=_equals(0, family))
    for request in TERMINAL_REQUESTS.values():
        yield Rule(("ioctl",), condition=_equals(1, request))
    for command in WATCH_COMMANDS.values():
        yield Rule(("fcntl",), condition=_equals(1, command))


def _locks() -> Iterator[Rule]:
    yield Rule(("flock",))
    for command in LOCK_COMMANDS.values():
        yield Rule(("fcntl",), condition=_equals(1, command))


def _equals(index: int, value: int) -> Condition:
    # The kernel reads these arguments as 32 bits; a filter that compares 64 is passed by setting a high one.
    return Condition(index, MASKED_EQ, 0xFFFF_FFFF, value)


def docker_profile(*, file_locks: bool) -> dict[str, Any]:
    """The rules as docker reads them; an empty list of sub-architectures forbids 32-bit calls."""
    natives = ("SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64", "SCMP_ARCH_RISCV64")
    return {
        "defaultAction": "SCMP_ACT_ALLOW",
        "archMap": [{"architecture": native, "subArchitectures": []} for native in natives],
        "syscalls": [_docker_rule(rule) for rule in rules(file_locks=file_locks)],
    }


def _docker_rule(rule: Rule) -> dict[str, Any]:
    entry: dict[str, Any] = {"names": list(rule.names), "action": "SCMP_ACT_ERRNO", "errnoRet": rule.error}
    if rule.condition is not None:
        tested = rule.condition
        entry["args"] = [
            {"index": tested.index, "value": tested.value, "valueTwo": tested.value_two, "op": tested.operation}
        ]
    return entry


def docker_text(*, file_locks: bool) -> str:
    """The profile as it stands in docker/seccomp.json."""
    return json.dumps(docker_profile(file_locks=file_locks), indent=1) + "\n"


def compile_filter(*, file_locks: bool, memory_files: bool = True) -> int:
    """The rules as a program for the kernel, in an unnamed file ready to be read; the caller closes it."""
    library = _library()
    program = library.SyscallFilter(library.ALLOW)
    program.set_attr(library.Attr.ACT_BADARCH, library.KILL_PROCESS)
    operations = {MASKED_EQ: library.MASKED_EQ, GREATER: library.GT}
    for rule in rules(file_locks=file_locks, memory_files=memory_files):
        tested = rule.condition
        arguments = (
            [library.Arg(tested.index, operations[tested.operation], tested.value, tested.value_two)] if tested else []
        )
        for name in rule.names:
            try:
                program.add_rule(library.ERRNO(rule.error), name, *arguments)
            except (OSError, ValueError) as error:
                raise InfraError(f"libseccomp cannot deny {name}: {error}") from error
    descriptor = os.memfd_create("arena-seccomp", os.MFD_CLOEXEC)
    with open(descriptor, "wb", closefd=False) as file:
        program.export_bpf(file)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _library() -> Any:
    """Import pyseccomp when it is needed: a referee that only talks to docker runs without libseccomp."""
    try:
        return importlib.import_module("pyseccomp")
    except (ImportError, OSError, RuntimeError) as error:
        raise InfraError(f"libseccomp is missing, so no filter can be made: {error}") from error

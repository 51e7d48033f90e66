"""The system call filter: rules from the lists in syscalls.py, compiled for bubblewrap and as JSON for docker."""

import errno
import functools
import importlib
import json
import os
import tempfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from arena.errors import InfraError
from arena.sandboxes.kernel import syscalls

DEFAULT_ERROR = errno.ENOSYS
_NATIVES = ("SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64", "SCMP_ARCH_RISCV64")
_INT_BITS = 32
_INT = (1 << _INT_BITS) - 1


@dataclass(frozen=True, slots=True)
class Condition:
    """One argument under a mask has this value.

    The kernel reads most arguments as 32 bits; a filter that compares 64 is passed by setting a high one.
    """

    index: int
    mask: int
    value: int


@dataclass(frozen=True, slots=True)
class Rule:
    """These calls are allowed, or fail with an error number: always, or when the condition holds."""

    names: tuple[str, ...]
    error: int | None = None
    """None allows them; 0 lets them do nothing and say that they did."""
    condition: Condition | None = None


def rules(
    *, file_locks: bool, memory_files: bool = True, chosen_signals: bool = True, loopback: bool = False
) -> tuple[Rule, ...]:
    """Every rule; no two that differ in what they do fit the same call. What no rule fits fails with DEFAULT_ERROR.

    Files that exist only in memory must be denied where nothing but a watchdog counts memory: it cannot see them.
    Signals that a bot has the kernel send must be denied where a signal stops it: one of them would wake it.
    `loopback` is for builds: they may use the network, of which they see no more than themselves.
    """
    return (
        *(Rule(tuple(names.split())) for names in syscalls.ALLOWED.values()),
        *(Rule(tuple(names.split()), errno.EPERM) for names in syscalls.FORBIDDEN.values()),
        Rule(tuple(syscalls.MISSING.split()), DEFAULT_ERROR),
        Rule(tuple(syscalls.PRETENDED.split()), 0),
        Rule(tuple(syscalls.PRETENDED_FOR_ONE.split()), 0, _equals(0, _INT)),
        *_memory(memory_files=memory_files),
        *_with_commands(syscalls.LOCKS, syscalls.LOCK_COMMANDS, allowed=file_locks),
        *_with_commands(syscalls.CHOSEN_SIGNALS, syscalls.CHOSEN_SIGNAL_COMMANDS, allowed=chosen_signals),
        *_clone(),
        *_preadv2(),
        *_sockets(loopback=loopback),
        *(Rule((call.name,), None, _equals(call.index, value)) for call in syscalls.ONLY for value in _values(call)),
        *(rule for call in syscalls.ALL_BUT for rule in _all_but(call)),
    )


def _values(call: syscalls.Only | syscalls.AllBut) -> Collection[int]:
    return call.values.values()


def _equals(index: int, value: int) -> Condition:
    return Condition(index, _INT, value)


def _with_commands(call: str, commands: Mapping[str, int], *, allowed: bool) -> Iterator[Rule]:
    """A call and the commands of fcntl that do the same."""
    error = None if allowed else errno.EPERM
    yield Rule((call,), error)
    for command in commands.values():
        yield Rule(("fcntl",), error, _equals(1, command))


def _memory(*, memory_files: bool) -> Iterator[Rule]:
    yield from _without_huge_pages("mmap", 3, syscalls.MAP_HUGETLB)
    if memory_files:
        yield from _without_huge_pages(syscalls.MEMORY_FILES, 1, syscalls.MFD_HUGETLB)
    else:
        yield Rule((syscalls.MEMORY_FILES,), errno.EPERM)


def _without_huge_pages(name: str, index: int, flag: int) -> Iterator[Rule]:
    yield Rule((name,), None, Condition(index, flag, 0))
    yield Rule((name,), errno.EINVAL, Condition(index, flag, flag))  # as from a kernel that has none


def _clone() -> Iterator[Rule]:
    """Clone without certain flags; clone3, whose flags no filter can see, does not exist, and libraries fall back."""
    flags = (*syscalls.NEW_NAMESPACES.values(), syscalls.CLONE_PIDFD)
    yield Rule(("clone",), None, Condition(0, sum(flags), 0))
    for flag in flags:
        yield Rule(("clone",), errno.EPERM, Condition(0, flag, flag))


def _preadv2() -> Iterator[Rule]:
    yield Rule(("preadv2",), None, _equals(5, 0))
    yield Rule(("preadv2",), errno.EOPNOTSUPP, Condition(5, syscalls.RWF_NOWAIT, syscalls.RWF_NOWAIT))


def _sockets(*, loopback: bool) -> Iterator[Rule]:
    """Families that a bot may not have fail as on a machine that has none of them; options that it may not set, too."""
    families = syscalls.FAMILIES | (syscalls.LOOPBACK_FAMILIES if loopback else {})
    for call, allowed in (("socket", families), ("socketpair", syscalls.FAMILIES)):
        yield from _one_way_or_the_other(call, 0, allowed.values(), listed=None, others=errno.EAFNOSUPPORT)
    options = syscalls.SO_PASSPIDFD | ({} if loopback else syscalls.SOCKET_PROGRAMS)
    yield from _all_but(syscalls.AllBut("setsockopt", 2, options, errno.ENOPROTOOPT))


def _all_but(call: syscalls.AllBut) -> Iterator[Rule]:
    return _one_way_or_the_other(call.name, call.index, _values(call), listed=call.error, others=None)


def _one_way_or_the_other(
    name: str, index: int, values: Collection[int], *, listed: int | None, others: int | None
) -> Iterator[Rule]:
    """What happens where an argument is among these values, and what where it is any other."""
    for value in values:
        yield Rule((name,), listed, _equals(index, value))
    for mask, value in other_values(values):
        yield Rule((name,), others, Condition(index, mask, value))


def other_values(excluded: Collection[int], *, prefix: int = 0, length: int = 0) -> Iterator[tuple[int, int]]:
    """All other values of 32 bits as masks and values, since libseccomp cannot say "unequal" under a mask."""
    free = _INT_BITS - length
    if not any(value >> free == prefix for value in excluded):
        yield _INT >> free << free, prefix << free
    elif free:
        for bit in (0, 1):
            yield from other_values(excluded, prefix=prefix << 1 | bit, length=length + 1)


def docker_profile(*, file_locks: bool) -> dict[str, Any]:
    """The rules as docker reads them; an empty list of sub-architectures forbids 32-bit calls."""
    return {
        "defaultAction": "SCMP_ACT_ERRNO",
        "defaultErrnoRet": DEFAULT_ERROR,
        "archMap": [{"architecture": native, "subArchitectures": []} for native in _NATIVES],
        "syscalls": [_docker_rule(rule) for rule in rules(file_locks=file_locks)],
    }


def gvisor_profile() -> dict[str, Any]:
    """What gVisor's own kernel shall refuse, as docker reads it: sockets of the network, and programs on sockets.

    It answers EPERM whatever error is asked for, and so would give the wrong one for calls that shall not exist; but
    for sockets, it has nothing for which the filters of the other sandboxes are made.
    """
    return {
        "defaultAction": "SCMP_ACT_ALLOW",
        "archMap": [{"architecture": native, "subArchitectures": []} for native in _NATIVES],
        "syscalls": [_docker_rule(rule) for rule in _sockets(loopback=False) if rule.error is not None],
    }


def _docker_rule(rule: Rule) -> dict[str, Any]:
    entry: dict[str, Any] = {"names": list(rule.names), "action": "SCMP_ACT_ALLOW"}
    if rule.error is not None:
        entry |= {"action": "SCMP_ACT_ERRNO", "errnoRet": rule.error}
    if rule.condition is not None:
        tested = rule.condition
        entry["args"] = [
            {"index": tested.index, "value": tested.mask, "valueTwo": tested.value, "op": "SCMP_CMP_MASKED_EQ"}
        ]
    return entry


def docker_text(*, file_locks: bool) -> str:
    """The profile as it stands in docker/seccomp.json, one rule per line."""
    profile = docker_profile(file_locks=file_locks)
    entries = ",\n".join(f"  {json.dumps(entry)}" for entry in profile.pop("syscalls"))
    return json.dumps(profile, indent=1).removesuffix("\n}") + f',\n "syscalls": [\n{entries}\n ]\n}}\n'


def open_filter(
    *, file_locks: bool, memory_files: bool = True, chosen_signals: bool = True, loopback: bool = False
) -> int:
    """The compiled rules in an unnamed file ready to be read; the caller closes it."""
    program = _compiled(
        file_locks=file_locks, memory_files=memory_files, chosen_signals=chosen_signals, loopback=loopback
    )
    descriptor = os.memfd_create("arena-seccomp", os.MFD_CLOEXEC)
    os.write(descriptor, program)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


@functools.cache  # every launch needs it, and libseccomp takes 10 ms for it
def _compiled(*, file_locks: bool, memory_files: bool, chosen_signals: bool, loopback: bool) -> bytes:
    return compile_filter(
        rules(file_locks=file_locks, memory_files=memory_files, chosen_signals=chosen_signals, loopback=loopback)
    )


def compile_filter(rules: tuple[Rule, ...]) -> bytes:
    """The rules as a program for the kernel."""
    library = _library()
    program = library.SyscallFilter(library.ERRNO(DEFAULT_ERROR))
    program.set_attr(library.Attr.ACT_BADARCH, library.KILL_PROCESS)
    for rule in rules:
        if rule.error == DEFAULT_ERROR:
            continue
        action = library.ALLOW if rule.error is None else library.ERRNO(rule.error)
        tested = rule.condition
        arguments = [library.Arg(tested.index, library.MASKED_EQ, tested.mask, tested.value)] if tested else []
        for name in filter(known, rule.names):
            try:
                program.add_rule(action, name, *arguments)
            except OSError as error:
                raise InfraError(f"libseccomp cannot make a rule for {name}: {error}") from error
    with tempfile.TemporaryFile() as file:
        program.export_bpf(file)
        file.seek(0)
        return file.read()


def known(name: str) -> bool:
    """Whether the installed libseccomp knows a call; an unknown call stays forbidden by the default."""
    return number(name) != -1


def number(name: str) -> int:
    """The number of a call on this machine, below -1 where other kinds of machines have it, -1 if it is unknown."""
    library = _library()
    return int(library.resolve_syscall(library.system_arch(), name))


def _library() -> Any:
    """Import pyseccomp when it is needed: a referee that only talks to docker runs without libseccomp."""
    try:
        return importlib.import_module("pyseccomp")
    except (ImportError, OSError, RuntimeError) as error:
        raise InfraError(f"libseccomp is missing, so no filter can be made: {error}") from error

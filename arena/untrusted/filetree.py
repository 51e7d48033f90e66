"""Listing of untrusted folders: without following links, opening files or exceeding limits."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from arena.errors import UsageError
from arena.untrusted.text import quoted
from arena.untrusted.units import MIB

MAX_PATH_BYTES = 1024
"""Of a path within the folder; so nothing lies deeper than 512 levels, and the kernel takes every path."""
_STEP = os.O_PATH | os.O_DIRECTORY


@dataclass(frozen=True, slots=True)
class TreeLimits:
    """How much a folder may hold to be looked at."""

    entries: int = 50_000
    total_bytes: int = 1024 * MIB


class TreeEntry(NamedTuple):
    """A file, folder, link or something else in a folder."""

    name: str
    """Its path within the folder, with slashes."""
    info: os.stat_result


LeftOut = Callable[[str], bool]
"""Whether everything of this name is passed over."""


def _nothing(_: str) -> bool:
    return False


def list_tree(
    folder: Path, limits: TreeLimits | None = None, *, left_out: LeftOut = _nothing, what: str | None = None
) -> list[TreeEntry]:
    """Everything in a folder but what has such a name, parents first; UsageError says why it cannot be listed."""
    limits, what = limits or TreeLimits(), what or str(folder)
    found, total, waiting = list[TreeEntry](), 0, [""]
    while waiting:
        for entry in _list_one(folder, waiting.pop(), left_out, what):
            found.append(entry)
            total += entry.info.st_size if stat.S_ISREG(entry.info.st_mode) else 0
            if len(found) > limits.entries:
                raise UsageError(f"{what} has more than {limits.entries} files and folders")
            if total > limits.total_bytes:
                raise UsageError(f"{what} has more than {limits.total_bytes // MIB} MiB")
            if stat.S_ISDIR(entry.info.st_mode):
                waiting.append(entry.name)
    return sorted(found, key=_parts)


def _list_one(folder: Path, inner: str, left_out: LeftOut, what: str) -> Iterator[TreeEntry]:
    """The entries of one folder within the folder, one by one, however many there are."""
    prefix = f"{inner}/" if inner else ""
    with map_read_errors(what, inner):
        descriptor = _open_inside(folder, inner, os.O_RDONLY | os.O_DIRECTORY)
        try:
            with os.scandir(descriptor) as entries:
                for entry in entries:
                    if left_out(entry.name):
                        continue
                    name = prefix + entry.name
                    if len(name) > MAX_PATH_BYTES // 4 and len(os.fsencode(name)) > MAX_PATH_BYTES:
                        raise UsageError(f"{what}: {quoted(name)} lies too deep, or its name is too long")
                    yield TreeEntry(name, entry.stat(follow_symlinks=False))
        finally:
            os.close(descriptor)


def read_link(folder: Path, entry: TreeEntry, what: str) -> str:
    inner, _, name = entry.name.rpartition("/")
    with map_read_errors(what, entry.name):
        descriptor = _open_inside(folder, inner, _STEP)
        try:
            return os.readlink(name, dir_fd=descriptor)
        finally:
            os.close(descriptor)


def open_file(folder: Path, entry: TreeEntry, what: str) -> int:
    """A descriptor of a plain file; never of a pipe that was put in its place, which would make us wait for ever."""
    with map_read_errors(what, entry.name):
        descriptor = _open_inside(folder, entry.name, os.O_RDONLY | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UsageError(f"{what}: {quoted(entry.name)} was changed while it was read")
    return descriptor


def _open_inside(folder: Path, inner: str, flags: int) -> int:
    """Open a path within a folder, step by step: a link that just took the place of a folder in it is not followed.

    The folder itself may be reached by a link.
    """
    steps = inner.split("/") if inner else []
    descriptor = os.open(folder, (_STEP if steps else flags) | os.O_CLOEXEC)
    for number, part in enumerate(steps, 1):
        above = descriptor
        wanted = flags if number == len(steps) else _STEP
        try:
            descriptor = os.open(part, wanted | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=above)
        finally:
            os.close(above)
    return descriptor


@contextmanager
def map_read_errors(what: str, name: str = "") -> Iterator[None]:
    """Turn an OSError of reading a file into a UsageError of one sentence."""
    try:
        yield
    except OSError as error:
        where = f"{what}: {quoted(name)}" if name else what
        raise UsageError(f"{where} cannot be read: {error.strerror or type(error).__name__}") from error


def _parts(entry: TreeEntry) -> list[str]:
    return entry.name.split("/")

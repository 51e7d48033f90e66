"""The right to be the runner of a contest, which one process has at a time.

This is the seam to the lease in the store of results: until that has one, a lock beside the settings is held, which the
kernel drops with its holder, and the epoch is a number in the same file.
"""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from arena.contest.settings import Contest
from arena.errors import InfraError
from arena.store.sql import Store

LOCK = "runner.lock"


class RunnerHere(InfraError):
    """Another process is the runner at present."""


class RunnerLease:
    """What the active runner has: its epoch, and the store to which only it may write."""

    def __init__(self, store: Store, epoch: int) -> None:
        self.epoch = epoch
        self.store = behind(store, epoch)

    def check(self) -> None:
        """LeaseLost if it is known that another process has it."""


@contextmanager
def runner_lease(contest: Contest, store: Store) -> Iterator[RunnerLease]:
    """Be the runner until the end of the block; RunnerHere names the one that is it now."""
    with _open(contest) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RunnerHere(f"the runner is {file.read().partition(' ')[2] or 'another process'}") from error
        epoch = int(file.read().partition(" ")[0] or 0) + 1
        file.seek(0)
        file.write(f"{epoch} {this_place()}")
        file.truncate()
        file.flush()
        os.fsync(file.fileno())
        yield RunnerLease(store, epoch)


def behind(store: Store, epoch: int) -> Store:  # noqa: ARG001
    """The store as whoever has the lease with this epoch may write it."""
    return store


def this_place() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"


def _open(contest: Contest) -> IO[str]:
    try:
        return open(os.open(contest.folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644), "r+", encoding="utf-8")
    except OSError as error:
        raise InfraError(f"{contest.folder} cannot be written: {error.strerror}") from error

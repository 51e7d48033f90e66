"""A lease of this process: taken, renewed by a thread for as long as it is needed, and given back, or lost."""

import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from arena.errors import ArenaError
from arena.sandboxes.referee_id import is_alive, referee_id
from arena.store.leases import Fence, Holder, LeaseEntry, LeaseLost
from arena.store.sql import Store

RENEW_S = 5.0
"""Seconds between two renewals, and before one that failed is tried again."""
HELD_UP_S = 60.0
"""Seconds for which somebody else may hold up all who write to the store, and no living process loses its lease."""
TERM_S = 90.0
"""Seconds without a renewal after which a process on another machine is taken for dead."""
_BOOT = Path("/proc/sys/kernel/random/boot_id")


class Lease:
    """The right of this process to do something that only one may do, given back at the end of its block.

    What is written through its `store` is written only while it has that right.
    """

    def __init__(self, store: Store, fence: Fence) -> None:
        """`take` is the way to get one."""
        self.store = store.fenced(fence)
        self._plain, self._fence = store, fence
        self._over = threading.Event()
        self._lost: LeaseLost | None = None
        self._on_loss: Callable[[], object] = lambda: None
        self._lock = threading.Lock()
        # A thread, because whoever has a lease may be busy with anything for longer than it may be silent.
        self._thread = threading.Thread(target=self._renew_again_and_again, name="lease", daemon=True)

    @classmethod
    def take(cls, store: Store, name: str) -> Self:
        """Take the lease of this name; LeaseHeld if another process has it that lives, as far as can be known."""
        return cls(store, store.take_lease(name, this_process(), is_gone))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        with suppress(ArenaError):  # then it is free when this process has ended, or after its time
            self._plain.release_lease(self._fence)

    @property
    def epoch(self) -> int:
        """How often it was taken, for rows that this process writes elsewhere."""
        return self._fence.epoch

    def check(self) -> None:
        """LeaseLost if it is known that another process has it."""
        if self._lost is not None:
            raise self._lost

    def on_loss(self, react: Callable[[], object]) -> None:
        """Call this once if another process takes it, or has taken it already, in whatever thread learns of it."""
        with self._lock:
            self._on_loss = react
            lost = self._lost is not None
        if lost:
            react()

    def _renew_again_and_again(self) -> None:
        while not self._over.wait(RENEW_S):
            try:
                self._plain.renew_lease(self._fence)
            except LeaseLost as error:
                with self._lock:
                    self._lost, react = error, self._on_loss
                react()
                return
            except ArenaError:
                continue  # whoever writes there will say what is wrong with the store


def this_process() -> Holder:
    return Holder(socket.gethostname(), os.getpid(), _boot(), referee_id())


def is_gone(entry: LeaseEntry) -> bool:
    """Whether its holder may be taken for dead: one of this machine that has ended, or any that is silent too long."""
    holder = entry.holder
    ended = holder is not None and holder.boot == _boot() and not is_alive(holder.process)
    return ended or entry.silent_s >= TERM_S


def _boot() -> str:
    """Tells this machine from all others, and from itself before it was started anew."""
    return _BOOT.read_text().strip()

"""A pool whose number of workers changes while it plays."""

from abc import ABC, abstractmethod

from arena.monitoring.events import Listener, ignore
from arena.workers.base import NULL_SPECTATOR, Spectator, WorkerHandle
from arena.workers.pool import WorkerPool


class ElasticPool(WorkerPool, ABC):
    """A pool without workers at first; it makes them as they are wanted, and no match is cut off when fewer are."""

    def __init__(self, *, on_event: Listener = ignore, spectator: Spectator = NULL_SPECTATOR) -> None:
        super().__init__([], needed=1, on_event=on_event, spectator=spectator)
        self._wanted = 0

    def resize(self, tables: int) -> None:
        """Have so many workers from now on; who is one too many ends, after its match if it plays one."""
        self._wanted = tables
        while len(self._workers) < tables:
            worker = self._make_worker()
            self._workers.append(worker)
            self._start(worker)
        without_place = [worker for worker in self._starting.values() if not worker.node]
        for worker in [*without_place, *self._idle][: self._surplus()]:
            self._dismiss(worker)
        self._changed.set()

    @abstractmethod
    def _make_worker(self) -> WorkerHandle:
        """A worker more, not started yet."""

    def _surplus(self) -> int:
        return max(0, len(self._workers) - self._wanted)

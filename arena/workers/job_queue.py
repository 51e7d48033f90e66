"""The jobs that are still to be played."""

from collections import deque
from collections.abc import Iterable, Iterator

from arena.workers.base import Job


class JobQueue:
    """Jobs in their order; what could not be played to its end comes first."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._jobs: Iterator[Job] = iter(jobs)
        self._returned: deque[Job] = deque()

    def take(self) -> Job | None:
        """The next job; None when there is none at present."""
        return self._returned.popleft() if self._returned else next(self._jobs, None)

    def put_back(self, job: Job) -> None:
        """Let a job, or the rest of one, be taken next."""
        if job.assignments:
            self._returned.appendleft(job)

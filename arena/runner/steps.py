"""The way of a submission, told to its team: bounded lines in the words of the pipeline."""

from collections.abc import Iterator
from contextlib import contextmanager

from arena.contest.submissions import BUILDING, CHECKING, UNPACKING, Submissions
from arena.runner.log import Log

MAX_STEPS = 60
"""Of one attempt: an honest submission has a handful, and nothing of a bot's own shall fill the database."""


class Steps:
    """Writes each step of the submission that is in work, and keeps what its bot said."""

    def __init__(self, queue: Submissions, submission_id: int, epoch: int, log: Log) -> None:
        self._queue, self._submission_id, self._epoch, self._log = queue, submission_id, epoch, log
        self._state, self._told = UNPACKING, 0
        self.said = ""
        """What the bot printed last, if it was at fault."""

    def progress(self, sentence: str) -> None:
        """One step is done."""
        self._told += 1
        if self._told <= MAX_STEPS:
            self._queue.step(self._submission_id, self._epoch, self._state, sentence)

    def warn(self, sentence: str) -> None:
        """What is not enforced here is the organiser's to know, and no contestant's."""
        self._log("warning", submission=self._submission_id, text=sentence)

    @contextmanager
    def during(self, work: str) -> Iterator[None]:
        """A step that may take minutes begins."""
        self.enter(BUILDING, work)
        yield

    def playing(self, game: str) -> None:
        """Its trial matches begin."""
        self.enter(CHECKING, f"playing {game} against random, from every seat")

    def output(self, log: str) -> None:
        """What the refused bot printed last."""
        self.said = log

    def enter(self, state: str, sentence: str) -> None:
        """What follows belongs to this state."""
        self._state = state
        self._log("step", submission=self._submission_id, state=state)
        self.progress(sentence)

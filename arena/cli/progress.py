"""The progress of a tournament while it is played."""

import time

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from arena.store.base import MatchEntry

QUIET_INTERVAL = 10.0
"""Seconds between two lines of progress where there is no terminal."""


class Report:
    """Progress: a bar in a terminal, a line now and then elsewhere."""

    def __init__(self, played: int, total: int | None) -> None:
        self._played = played
        self._total = total
        self._started = self._last = time.monotonic()
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, transient=True)
        self._live = self._progress.console.is_terminal
        self._task = self._progress.add_task("playing", completed=played, total=total)
        self._fresh = 0

    def __enter__(self) -> "Report":
        if self._live:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._progress.stop()

    def note(self, entry: MatchEntry) -> None:
        """One more match is over."""
        self._played += 1
        self._fresh += 1
        now = time.monotonic()
        rate = self._fresh / max(now - self._started, 1e-9)
        if self._live:
            self._progress.update(self._task, advance=1, description=f"{rate:.1f} matches/s")
        elif now - self._last > QUIET_INTERVAL:
            self._last = now
            click.echo(f"{self._played} of {self._total or '?'} matches, {rate:.1f} per second, last: {entry.reason}")

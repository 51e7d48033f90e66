"""What is shown while matches are played: a live view in a terminal, a line now and then elsewhere."""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Protocol, Self, TextIO, cast

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from arena.cli.output import marked
from arena.cli.table_formats import duration
from arena.cli.tables import rating_table
from arena.match import about
from arena.schedules.budget import Budget
from arena.schedules.outlook import outlook
from arena.standings.ladder import Selection
from arena.standings.table import Standings, make_standings
from arena.store.base import BotEntry, MatchEntry, Tally
from arena.tournaments.tournament import Tournament

FIRST_LINE = 3.0
"""Seconds until the first line where there is no terminal."""
QUIET = 10.0
"""Seconds between two lines there."""
RENEWAL = 1.0
"""Seconds between two renewals of what is shown, at least."""
CALM = 20.0
"""So many times longer than a renewal takes is the pause after it: bots are being timed on this machine."""
SHOWN = 10
"""Places of the standing that are shown."""


class View(Protocol):
    """Something to be looked at while matches are played."""

    def note(self, entry: MatchEntry) -> None:
        """One more match is over; this must be quick, because the referee waits for it."""
        ...

    def renew(self) -> None:
        """Work out what is shown next; this may take a while, and is done in a thread of its own."""
        ...

    def render(self) -> RenderableType:
        """For a terminal."""
        ...

    def line(self) -> str:
        """All in one line; nothing when there is nothing to say yet."""
        ...


class ErrorTolerantStream:
    """A stream that takes whatever is written, also when there is nobody to read it any more."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write if that is possible."""
        with suppress(OSError, ValueError):
            return self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush if that is possible."""
        with suppress(OSError, ValueError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Report:
    """Shows a view on stderr for as long as it is entered as a context; no failure of it reaches the matches."""

    def __init__(self, view: View) -> None:
        self._view = view
        # Without a stderr at all Rich writes nowhere.
        file = cast("TextIO", ErrorTolerantStream(sys.stderr)) if sys.stderr is not None else None
        self._console = Console(file=file, stderr=True)
        self._live: Live | None = None
        self._failure: Exception | None = None

    async def __aenter__(self) -> Self:
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            self._live = Live(get_renderable=self._render, console=self._console, refresh_per_second=2, transient=True)
            with self._unharmed():
                self._live.start()
        self._ticking = asyncio.create_task(self._tick())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._ticking.cancel()
        try:
            await asyncio.wait([self._ticking])
        finally:
            if self._live is not None:
                with self._unharmed():
                    self._live.stop()
            if self._failure is not None:
                self.say(f"the progress display failed, but every result is saved: {self._failure!r}")

    def note(self, entry: MatchEntry) -> None:
        with self._unharmed():
            self._view.note(entry)

    def say(self, sentence: str) -> None:
        """Print a sentence of its own, above what is live."""
        with self._unharmed():
            self._console.print(marked(sentence), soft_wrap=True, highlight=False)

    async def _tick(self) -> None:
        due = time.monotonic() + FIRST_LINE
        while True:
            started = time.monotonic()
            with self._unharmed():
                await asyncio.to_thread(self._view.renew)
                if self._live is None and started >= due and (line := self._view.line()):
                    self.say(line)
                    due = started + QUIET
            took = time.monotonic() - started
            await asyncio.sleep(min(max(RENEWAL, CALM * took), QUIET))

    def _render(self) -> RenderableType:
        try:
            return self._view.render()
        except Exception as error:
            self._failure = self._failure or error
            return ""

    @contextmanager
    def _unharmed(self) -> Iterator[None]:
        """Whatever fails in here is said once, when all is over."""
        try:
            yield
        except Exception as error:
            self._failure = self._failure or error


class TournamentView:
    """A tournament: how far it is, who leads, and what is settled."""

    def __init__(
        self,
        running: Tournament,
        field: Sequence[BotEntry],
        *,
        budget: Budget,
        confidence: float,
    ) -> None:
        self._field = field
        self._budget = budget
        self._confidence = confidence
        self._total = running.total()
        self._started = time.monotonic()
        self._before = running.played
        self._played = 0
        self._counts: Counter[tuple[tuple[int, ...], tuple[int, ...]]] = Counter()
        for _, outcome in running.finished.known():
            self._counts[tuple(field[bot].id for bot in outcome.seating), outcome.ranks] += 1
        self._known: tuple[Standings, str] | None = None
        """The table, and what is settled in it."""

    def note(self, entry: MatchEntry) -> None:
        self._played += 1
        self._count(entry)

    def renew(self) -> None:
        counts = list(self._counts.items())
        if counts:
            tallies = [Tally(bot_ids, ranks, times) for (bot_ids, ranks), times in counts]
            table = make_standings(tallies, (), Selection(self._field, self._field))
            met = all(row.place for row in table.rows)
            sentence = outlook(table.posterior, self._confidence).sentence() if met else "not all bots have met yet"
            self._known = table, sentence

    def render(self) -> RenderableType:
        """A bar, the standing and what is settled."""
        total = self._expected()
        top = Table.grid(padding=(0, 1))
        top.add_row(ProgressBar(total=total, completed=self._before + self._played, width=30), marked(self._progress()))
        if self._known is None:
            return top
        table, sentence = self._known
        title = f"the first {SHOWN} of {len(table.rows)}" if len(table.rows) > SHOWN else ""
        return Group(top, rating_table(table.rows[:SHOWN], title), marked(sentence))

    def line(self) -> str:
        """Progress, leader and what is settled."""
        if self._known is None or not self._played:
            return ""
        table, sentence = self._known
        parts = [self._progress(), sentence]
        if best := table.leader:
            leads = f"{best.bot.label} leads with {best.rating.mu:.1f} ± {2 * best.rating.field_sigma:.1f}"
            parts.insert(1, leads)
        return "; ".join(parts)

    def _count(self, entry: MatchEntry) -> None:
        bot_ids = tuple(seat.bot_id for seat in entry.seats)
        self._counts[bot_ids, tuple(seat.rank for seat in entry.seats)] += 1

    def _expected(self) -> int | None:
        """How many matches there will be: as many as are planned, or as many as there is time for."""
        fitting = self._budget.matches_that_fit()
        possible = None if fitting is None else self._before + self._played + fitting
        return min((number for number in (self._total, possible) if number is not None), default=None)

    def _progress(self) -> str:
        done, total = self._before + self._played, self._expected()
        rate = self._played / max(time.monotonic() - self._started, 1e-9)
        planned = "" if total is None else f" of {total:,}" if total == self._total else f" of about {about(total)}"
        parts = [
            f"{done:,}{planned} matches" if planned or done != 1 else "1 match",
            f"{rate:.1f} per second" if rate >= 1.0 else f"{60 * rate:.0f} per minute",
        ]
        if total is not None and rate:
            parts.append(f"{duration(min((total - done) / rate, self._budget.left()))} left")
        return ", ".join(parts)

"""Replays the schedule of a tournament over the results that are kept, and compares the matches with it.

Who meets whom, from which seat and with which deal follows from the settings and the results of the rounds before, so
that nobody can leave out, add or choose a match without being found out.
"""

from collections.abc import Iterator
from functools import lru_cache

from arena.schedules.outcomes import FixtureResult, Outcomes
from arena.tournaments.formats import schedule_of
from arena.tournaments.settings import Settings


class ScheduleReplay:
    """Follows the schedule of these settings; UsageError if this version of Arena has another one for them."""

    def __init__(self, settings: Settings) -> None:
        self._schedule = schedule_of(settings)
        self._seed_of = lru_cache(maxsize=1 << 14)(settings.deal_seed)
        self._finished = Outcomes()
        self._rounds = self._schedule.rounds(self._finished)

    def check(self, ordinal: int, result: FixtureResult, seed: int) -> Iterator[str]:
        """What is wrong about the match at this place, if anything is; they come in the order of their places.

        After one that is wrong nothing follows any more.
        """
        while ordinal >= self._end():
            if not self._rounds:
                yield f"its place {ordinal} is after the end of the schedule, which has {len(self._finished)} matches"
                return
            if not self._next_rounds():
                yield f"its round comes when all before it are played, but {self._missing()} of those are missing"
                return
        fixture = self._rounds.fixture(ordinal - len(self._finished))
        if result.seating != fixture.seating:
            yield f"at its place {ordinal} the schedule has other bots or other seats"
        elif seed != self._seed_of(fixture.deal, fixture.group):
            yield f"its deal does not come from the tournament's seed: at its place {ordinal} the schedule has another"
        self._finished.note(ordinal, result)

    def end(self, *, finished: bool, closed_at: int | None = None) -> Iterator[str]:
        """What is wrong about the whole, once all matches were checked and right.

        One that was closed is over where that was said, if all before is played.
        """
        while finished and self._rounds:
            if closed_at is not None and closed_at <= self._end():
                self._drop_out()
                if missing := self._finished.missing(len(self._finished), max(closed_at, len(self._finished))):
                    yield f"it is called closed after {closed_at} places of its schedule, but {missing} were not played"
                return
            if self._schedule.is_decided(self._finished):
                return
            if not self._next_rounds():
                total = self._schedule.total()
                of = f" of {total}" if total else ""
                yield f"it is called finished after {self._finished.played}{of} matches, but its schedule goes on"
                return

    def _end(self) -> int:
        """The place after the last of the present rounds."""
        return len(self._finished) + len(self._rounds) * self._rounds.size

    def _missing(self) -> int:
        return self._finished.missing(len(self._finished), self._end())

    def _drop_out(self) -> None:
        self._rounds.drop_excluded(len(self._finished), self._finished)

    def _next_rounds(self) -> bool:
        """Go on to the rounds that follow from those that are played; False if one of their matches is missing."""
        self._drop_out()
        if not self._finished.finish(self._end()):
            return False
        self._rounds = self._schedule.rounds(self._finished)
        return True

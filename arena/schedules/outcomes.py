"""How the matches of a schedule ended, by their places in it: four bytes each, however many there are."""

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

_DROPPED = 2**32 - 1
"""In place of an outcome: this match will never be played."""


@dataclass(frozen=True, slots=True)
class FixtureResult:
    """A match that is over: which bot sat where (by its number in the field), and the ranks, in seat order."""

    seating: tuple[int, ...]
    ranks: tuple[int, ...]


class Outcomes:
    """Matches that were played; schedules see those of finished rounds, which come first and without a gap."""

    def __init__(self) -> None:
        self._codes = array("I")
        """For every place in the schedule 0, or the number of its outcome, counted from 1, or that it is dropped."""
        self._kinds: list[FixtureResult] = []
        self._numbers: dict[FixtureResult, int] = {}
        self._finished = 0
        self.played = 0
        """How many were played, in finished rounds or later ones."""
        self.counts: Counter[FixtureResult] = Counter()
        """How often each outcome came up in finished rounds."""

    def __len__(self) -> int:
        """How many matches the finished rounds have."""
        return self._finished

    @property
    def end(self) -> int:
        """The place after the last that was played, or dropped."""
        return len(self._codes)

    def __iter__(self) -> Iterator[FixtureResult]:
        """The outcomes of finished rounds, in the order of the schedule."""
        return (self._kinds[code - 1] for code in self._codes[: self._finished] if code != _DROPPED)

    def known(self, start: int = 0, stop: int | None = None) -> Iterator[tuple[int, FixtureResult]]:
        """Every match of these places that was played, with its place."""
        return (
            (place, self._kinds[code - 1])
            for place, code in enumerate(self._codes[start:stop], start)
            if code not in (0, _DROPPED)
        )

    def get(self, place: int) -> FixtureResult | None:
        """How the match at this place ended; nothing if it was not played."""
        code = self._codes[place] if place < len(self._codes) else 0
        return self._kinds[code - 1] if code not in (0, _DROPPED) else None

    def games(self) -> Counter[int]:
        """How many matches of finished rounds every bot has played."""
        games = Counter[int]()
        for outcome, times in self.counts.items():
            games.update(dict.fromkeys(outcome.seating, times))
        return games

    def drop(self, place: int) -> None:
        """The match at this place will not be played, unless it was already."""
        if self.get(place) is None:
            self._reach(place)
            self._codes[place] = _DROPPED

    def missing(self, start: int, stop: int) -> int:
        """How many of these places are still to be played."""
        known = self._codes[start:stop]
        return stop - start - len(known) + known.count(0)

    def note(self, place: int, outcome: FixtureResult) -> None:
        """The match at this place was played."""
        self._reach(place)
        if outcome not in self._numbers:
            self._kinds.append(outcome)
            self._numbers[outcome] = len(self._kinds)
        self.played += not self._codes[place]
        self._codes[place] = self._numbers[outcome]

    def _reach(self, place: int) -> None:
        """Have a code for this place."""
        if place >= len(self._codes):
            self._codes.frombytes(bytes(self._codes.itemsize * (place + 1 - len(self._codes))))

    def finish(self, count: int) -> bool:
        """The first so many matches are finished rounds; False if one of them is missing."""
        if self.missing(self._finished, count):
            return False
        for code, times in Counter(self._codes[self._finished : count]).items():
            if code != _DROPPED:
                self.counts[self._kinds[code - 1]] += times
        self._finished = count
        return True

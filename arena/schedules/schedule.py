"""Schedules: round-robin, gauntlet and swiss, as rounds in which every group plays its deals from every seat.

A schedule is asked for its next rounds with the results so far, and returns none when it is over. They depend on
finished rounds only, so neither the number of concurrent matches nor an interruption changes them. Rounds are
told by their groups: the fixtures of a hundred thousand matches are made when they are asked for, and never listed.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Protocol, overload

from arena.errors import UsageError
from arena.match import points
from arena.rng import shuffle, stream
from arena.schedules.all_pairs import AllPairs
from arena.schedules.outcomes import Outcomes
from arena.schedules.pairing import Standing, pair_off, unordered

SWISS_VERSION = 2
"""Raised whenever the same results are paired otherwise than before: no tournament may mix two kinds of pairings."""
ADAPTIVE_VERSION = 2
"""The same for adaptive tournaments, whose end follows from the results, too."""
MOST_CHOSEN_GROUPS = 60
"""More groups of three or four bots than this are not all played: a balanced choice of them is."""

MOST_GROUPS = 500_000
"""A gauntlet lists all of its groups, and whoever reads a stranger's file must not run out of memory by that."""
MOST_TO_CHOOSE_FROM = 3_000
"""Bots among whom groups of three or four are chosen: the time for that grows with the square of their number."""


class OtherSchedule(UsageError):
    """A tournament was begun by a version of Arena that pairs otherwise, so that nothing follows from its results."""

    def __init__(self, which: str) -> None:
        super().__init__(
            f"{which} was begun by an Arena version with different pairing rules: resume it with that version, or "
            "start a new one; the matches played so far stay in the store"
        )


@dataclass(frozen=True, slots=True)
class Fixture:
    """A match to be played: which bot sits where (by its number in the field), and which deal it plays."""

    seating: tuple[int, ...]
    deal: int
    """Fixtures of one group with the same deal share their seed."""

    @property
    def group(self) -> tuple[int, ...]:
        """The bots that meet, in ascending order."""
        return tuple(sorted(self.seating))


Round = Sequence[Fixture]
"""Fixtures that belong together: who stops between two rounds has treated everybody alike."""


@dataclass(frozen=True, slots=True)
class Rounds(Sequence[Round]):
    """Rounds in which the same groups meet, each with its next deal and every bot of it in every seat once."""

    groups: Sequence[tuple[int, ...]]
    """All of one size."""
    deals: int | Sequence[int]
    """What they play in the first of these rounds: all the same, or each group its own."""
    length: int
    """How many rounds these are."""
    excluded: frozenset[int] = frozenset()
    """Bots that play no more: what they have not played is dropped."""

    @property
    def size(self) -> int:
        """The fixtures of one round."""
        return len(self.groups) * len(self.groups[0]) if self.groups else 0

    def __len__(self) -> int:
        return self.length if self.groups else 0

    @overload
    def __getitem__(self, number: int) -> Round: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Round]: ...
    def __getitem__(self, number: int | slice) -> Round | Sequence[Round]:
        """The fixtures of a round, in the order of the schedule."""
        if isinstance(number, slice):
            return [self[index] for index in range(*number.indices(len(self)))]
        if not 0 <= number < len(self):
            raise IndexError(number)
        return [fixture for group in range(len(self.groups)) for fixture in self.meeting(group, number)]

    def seating(self, place: int) -> tuple[int, ...]:
        """Who sits where in the fixture at this place of all rounds together."""
        group, shift = divmod(place % self.size, len(self.groups[0]))
        return (*self.groups[group][shift:], *self.groups[group][:shift])

    def fixture(self, place: int) -> Fixture:
        """The fixture at this place of all rounds together."""
        number, rest = divmod(place, self.size)
        return Fixture(self.seating(place), self._first_deal(rest // len(self.groups[0])) + number)

    def meeting(self, group: int, number: int) -> Iterator[Fixture]:
        """The fixtures of one group in one round."""
        return rotations(self.groups[group], self._first_deal(group) + number)

    def drop_excluded(self, start: int, finished: Outcomes) -> None:
        """Drop what excluded bots have not played; these rounds begin at the place `start`."""
        seats = len(self.groups[0]) if self.groups else 0
        for number, group in enumerate(self.groups) if self.excluded else ():
            if not self.excluded.isdisjoint(group):
                for first in range(start + number * seats, start + len(self) * self.size, self.size):
                    for place in range(first, first + seats):
                        finished.drop(place)

    def _first_deal(self, group: int) -> int:
        return self.deals if isinstance(self.deals, int) else self.deals[group]

    def same_groups(self) -> Iterator[Sequence[int]]:
        """The numbers of all groups, those of the same bots together; where all play the same deal, there are none."""
        if isinstance(self.deals, int):
            yield from ((group,) for group in range(len(self.groups)))
            return
        numbers: dict[tuple[int, ...], list[int]] = {}
        for number, group in enumerate(self.groups):
            numbers.setdefault(group, []).append(number)
        yield from numbers.values()


NO_ROUNDS = Rounds((), 0, 0)


class Schedule(Protocol):
    """Hands out rounds of fixtures."""

    def rounds(self, finished: Outcomes) -> Rounds:
        """The next rounds, once all earlier ones are finished; none when the schedule is over."""
        ...

    def total(self) -> int | None:
        """How many fixtures there are in all, if that is known before."""
        ...

    def ending(self, finished: Outcomes) -> str:
        """Why it is over, as a sentence."""
        ...

    def is_decided(self, played: Outcomes) -> bool:  # noqa: ARG002
        """Whether it is over before its rounds are, so that what is still being played is dropped."""
        return False


def rotations(group: Sequence[int], deal: int) -> Iterator[Fixture]:
    """The same deal with every bot in every seat once."""
    for shift in range(len(group)):
        yield Fixture((*group[shift:], *group[:shift]), deal)


Groups = Sequence[tuple[int, ...]]
MakeGroups = Callable[[Sequence[int]], Groups]
"""The groups of a round in which these bots play."""


@dataclass(frozen=True, slots=True)
class RosterChange:
    """A bot joins the field or leaves it: what was begun before this place of the schedule stays."""

    at: int
    bot: int
    joins: bool


@dataclass(frozen=True, slots=True)
class _Part:
    """Rounds of a fixed schedule with the same groups."""

    groups: Groups
    first: int
    """Its first deal."""
    last: int
    """The deal after its last one; 0 if it has no end."""
    start: int
    """The place of its first match."""

    @property
    def size(self) -> int:
        return len(self.groups) * len(self.groups[0]) if self.groups else 0

    @property
    def end(self) -> float:
        """The place after its last match."""
        return self.start + self.size * (self.last - self.first) if self.last else math.inf


class FixedSchedule(Schedule):
    """Every round is the same groups with a new deal; with 0 rounds there is no last one.

    When the field changes, the rounds that were begun stay as they are. Who joins then plays the deals that the others
    have played, each group only those that it has not; and all rounds after that are those of the new field.
    """

    def __init__(self, make: MakeGroups, bots: int, rounds: int, changes: Sequence[RosterChange] = ()) -> None:
        self._parts: list[_Part] = []
        field, begun, laid = list(range(bots)), 0, dict[tuple[int, ...], int]()
        groups = make(field)
        for change in changes:
            size = len(groups) * len(groups[0])
            if full := -(-max(0, change.at - self._end()) // size):
                begun = self._add(groups, begun, min(begun + full, rounds or begun + full))
            if not change.joins or len(groups[0]) > 2:  # of which a balanced choice may leave some out
                laid |= {group: begun for group in groups if change.bot in group or len(group) > 2}
            field = [*field, change.bot] if change.joins else [bot for bot in field if bot != change.bot]
            groups = make(field)
            missed: dict[int, list[tuple[int, ...]]] = {}
            for group in groups if change.joins else ():
                if change.bot in group and laid.get(group, 0) < begun:
                    missed.setdefault(laid.get(group, 0), []).append(group)
            for first, late in missed.items():
                self._add(late, first, begun)
        if begun < rounds or not rounds:
            self._add(groups, begun, rounds)
        self._excluded = frozenset(change.bot for change in changes if change.bot not in field)

    def _end(self) -> int:
        return int(self._parts[-1].end) if self._parts else 0

    def _add(self, groups: Groups, first: int, last: int) -> int:
        """Add the rounds from this deal up to that one, if these are any; the deal after them."""
        if first < last or not last:
            self._parts.append(_Part(groups, first, last, self._end()))
        return last

    def rounds(self, finished: Outcomes) -> Rounds:
        """All rounds of the same groups at once; without a last one, as many as there were before."""
        done = len(finished)
        part = next((part for part in self._parts if done < part.end), None)
        if part is None:
            return NO_ROUNDS
        number = part.first + (done - part.start) // part.size
        return Rounds(part.groups, number, (part.last or max(number + 1, 2 * number)) - number, self._excluded)

    def total(self) -> int | None:
        """All of it, if it has an end and nobody was excluded."""
        return None if self._excluded or self._parts[-1].end == math.inf else self._end()

    def ending(self, finished: Outcomes) -> str:
        return f"all {finished.played} matches are played"


def interleaved(groups: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The groups in an order in which all bots play about equally often from the start; `AllPairs` says how nearly."""
    busy: Counter[int] = Counter()
    """For each bot the layers that it plays in, as the bits of a number; nobody is twice in a layer."""
    layers: list[list[tuple[int, ...]]] = []
    for group in groups:
        taken = 0
        for bot in group:
            taken |= busy[bot]
        free = ~taken & (taken + 1)  # the lowest bit that is not set
        for bot in group:
            busy[bot] |= free
        if free.bit_length() > len(layers):
            layers.append([])
        layers[free.bit_length() - 1].append(group)
    return [group for layer in layers for group in layer]


def round_robin(
    bots: int, seats: int, rounds: int, seed: int = 0, changes: Sequence[RosterChange] = ()
) -> FixedSchedule:
    """Everybody against everybody; where that is too much for three or four seats, a balanced choice of groups."""

    def make(field: Sequence[int]) -> Groups:
        check_field_size(len(field), seats)
        if seats == 2:
            pairs = AllPairs(len(field))
            # A large field is not listed, unless it was changed.
            return pairs if field == list(range(len(field))) else _renamed(pairs, field)
        if len(field) > MOST_TO_CHOOSE_FROM:
            raise UsageError(f"a round robin for {seats} seats takes at most {MOST_TO_CHOOSE_FROM:,} bots: name fewer")
        if math.comb(len(field), seats) <= MOST_CHOSEN_GROUPS:
            groups = list(combinations(range(len(field)), seats))
        else:
            groups = balanced_groups(len(field), seats, MOST_CHOSEN_GROUPS, seed)
        return _renamed(interleaved(groups), field)

    return FixedSchedule(make, bots, rounds, changes)


def gauntlet(
    bots: int, seats: int, rounds: int, champion: int = 0, changes: Sequence[RosterChange] = ()
) -> FixedSchedule:
    """One bot against all others; with more seats, against every group of them."""

    def make(field: Sequence[int]) -> Groups:
        check_field_size(len(field), seats)
        if champion not in field:
            raise UsageError("the first bot of a gauntlet meets all others, and cannot be excluded: close it instead")
        if math.comb(len(field) - 1, seats - 1) > MOST_GROUPS:
            raise UsageError(
                f"a gauntlet of {len(field)} bots for {seats} seats has too many groups: name fewer bots, or seats"
            )
        return [(champion, *rest) for rest in combinations((bot for bot in field if bot != champion), seats - 1)]

    return FixedSchedule(make, bots, rounds, changes)


def _renamed(groups: Groups, field: Sequence[int]) -> Groups:
    """Groups of places in the field as groups of bots, each in ascending order."""
    return [tuple(sorted(field[place] for place in group)) for group in groups]


def balanced_groups(bots: int, seats: int, count: int, seed: int) -> list[tuple[int, ...]]:
    """About this many different groups, in which every bot plays equally often and every two meet about as often."""
    rng = stream(seed, "balanced-groups")
    played: Counter[int] = Counter()
    met: Counter[tuple[int, int]] = Counter()
    groups: dict[tuple[int, ...], None] = {}
    while len(groups) < count or len({played[bot] for bot in range(bots)}) > 1:
        order = list(range(bots))
        shuffle(rng, order)  # ties are broken by lot, so that no bot is first by its number
        group: list[int] = []
        for left in range(seats, 0, -1):
            free = [bot for bot in order if bot not in group]
            if left == 1:  # the last of them decides whether the group is a new one
                free = [bot for bot in free if tuple(sorted([*group, bot])) not in groups]
            if not free:  # these have met all others already, and the same deal twice would be the same match
                group = _least_played(order, seats, groups, played)
                break
            group.append(min(free, key=lambda bot: (played[bot], sum(met[unordered(bot, other)] for other in group))))
        played.update(group)
        met.update(unordered(*pair) for pair in combinations(group, 2))
        groups[tuple(sorted(group))] = None
    return list(groups)


def _least_played(
    order: Sequence[int], seats: int, groups: Collection[tuple[int, ...]], played: Counter[int]
) -> list[int]:  # fmt: skip
    """The group that is not among these whose bots have played least; the first of several in this order."""
    left = (group for group in combinations(order, seats) if tuple(sorted(group)) not in groups)
    return list(min(left, key=lambda group: sorted(played[bot] for bot in group)))


class Swiss(Schedule):
    """Each round pairs bots with equal scores that have not met; for two seats; with 0 rounds there is no last one."""

    def __init__(self, bots: int, rounds: int, seed: int) -> None:
        check_field_size(bots, 2)
        self._bots = bots
        self._rounds = rounds
        self._seed = seed

    def rounds(self, finished: Outcomes) -> Rounds:
        """The pairings of the next round; in an odd field somebody rests who did so least often, for both points."""
        number = len(finished) // (self._bots // 2 * 2)
        if self._rounds and number == self._rounds:
            return NO_ROUNDS
        played = finished.games()
        # Whoever plays in a round plays two matches, one from each side.
        rested = Counter({bot: number - played[bot] // 2 for bot in range(self._bots)})
        rng = stream(self._seed, "swiss", number)
        pairs = pair_off(self._standing(finished, rested, rng), rng)
        return Rounds(pairs, number, 1)

    def total(self) -> int | None:
        """Every pairing is two matches, one from each side."""
        return self._rounds * (self._bots // 2) * 2 or None

    def ending(self, finished: Outcomes) -> str:
        return f"all {len(finished)} matches are played"

    def _standing(self, finished: Outcomes, rested: Counter[int], rng: Random) -> Standing:
        """The bots from the best down, with scores in half points; ties are broken by lot."""
        scores = {bot: 4 * rested[bot] for bot in range(self._bots)}
        met = Counter[tuple[int, int]]()
        for outcome, times in finished.counts.items():
            met[unordered(*outcome.seating)] += times
            for bot, gained in zip(outcome.seating, points(outcome.ranks)):
                scores[bot] += times * round(2 * gained)
        order = list(range(self._bots))
        shuffle(rng, order)
        order.sort(key=lambda bot: -scores[bot])
        return Standing(order, scores, met, rested)


def check_field_size(bots: int, seats: int) -> None:
    """UsageError if not even one match can be played."""
    if bots < seats:
        there = "there is only 1" if bots == 1 else f"there are {bots}"
        raise UsageError(
            f"a tournament for {seats} seats needs at least {seats} bots, but {there}: name more with --bots"
        )

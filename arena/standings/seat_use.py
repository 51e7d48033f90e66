"""What a bot did in each of its seats, and by which faults it lost."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.store.base import SeatTally, Tally


@dataclass(frozen=True, slots=True)
class SeatUse:
    """What a bot did in one seat."""

    seat: int
    games: int
    share: float
    """Points for each game: 1 for a first place alone, a part of it for a shared one."""
    wall_us: float
    """For each of its games."""
    cpu_us: float
    faults: int


def seat_uses(bot_id: int, tallies: Iterable[Tally], seat_tallies: Sequence[SeatTally]) -> list[SeatUse]:
    """What a bot did in each of the seats that it sat in."""
    points: dict[int, float] = defaultdict(float)
    for tally in tallies:
        for seat, other in enumerate(tally.bot_ids):
            if other == bot_id and tally.ranks[seat] == 1:
                points[seat] += tally.matches / tally.ranks.count(1)
    by_seat: dict[int, list[SeatTally]] = defaultdict(list)
    for seat_tally in seat_tallies:
        if seat_tally.bot_id == bot_id:
            by_seat[seat_tally.seat].append(seat_tally)
    return [_use(seat, points[seat], own) for seat, own in sorted(by_seat.items())]


def _use(seat: int, points: float, tallies: Sequence[SeatTally]) -> SeatUse:
    games = sum(tally.matches for tally in tallies)
    wall, cpu = sum(tally.wall_us for tally in tallies), sum(tally.cpu_us for tally in tallies)
    faults = sum(tally.matches for tally in tallies if tally.at_fault)
    return SeatUse(seat, games, points / games, wall / games, cpu / games, faults)


def fault_kinds(bot_id: int, seat_tallies: Iterable[SeatTally]) -> list[tuple[str, int]]:
    """The endings by which a bot lost at fault, and how often, the most frequent first."""
    found: Counter[str] = Counter()
    for tally in seat_tallies:
        if tally.bot_id == bot_id and tally.at_fault:
            found[tally.ending] += tally.matches
    return found.most_common()

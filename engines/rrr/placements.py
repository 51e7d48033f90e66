"""What a seat may place in RRR: every tile on every space, with every use of its power.

Listing the moves is most of the time of a random game, so what can be known before is in tables: for most tiles the
moves on a space depend only on which tiles nearby the power can touch.
"""

from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import Final

from arena.match import Seat
from engines.rrr.moves import HIDDEN, ROUTES, SHIFT, TILE, Choice, Place, Route
from engines.rrr.powers import AREAS, Areas
from engines.rrr.table import Table
from engines.rrr.tiles import (
    BIT,
    BITS,
    BOARD,
    DIAGONAL,
    FAIRY,
    MAGICIAN,
    NAMES,
    ORTHOGONAL,
    POWER,
    SPACES,
    TOWER,
    Mask,
    Power,
    Space,
    Tile,
)

# -- tables ---------------------------------------------------------------------------------------------

NOTHING: Final = 0
ANY: Final = 1
DESTROYABLE: Final = 2
ARMOURED: Final = 3
ALLIED: Final = 4
"""Which tiles a power can touch: indices into the masks of `_Sight.targets`."""
_TOUCHES: Final = {
    Power.NONE: NOTHING,
    Power.KING: DESTROYABLE,
    Power.QUEEN: ANY,
    Power.PRINCESS: ANY,
    Power.MINISTER: ANY,
    Power.GENERAL: DESTROYABLE,
    Power.SORCERER: DESTROYABLE,
    Power.PIRATE: ARMOURED,
    Power.SEER: ANY,
    Power.DRAGON: ANY,
    Power.SAMURAI: ANY,
    Power.NINJA: ANY,
    Power.MAGICIAN: ALLIED,
}
"""The powers that are fully described by AREAS and by this."""
_WAKES: Final = {Power.BARD: ORTHOGONAL, Power.ARTIST: DIAGONAL}


class _Choices:
    """The choices of a power at a space, by the spaces that it can touch; worked out when first asked for."""

    __slots__ = ("_areas", "_known", "reach")

    def __init__(self, areas: Areas) -> None:
        self._areas = areas
        self._known: dict[Mask, tuple[Choice, ...]] = {}
        self.reach: Mask = reduce(or_, areas.values(), 0)

    def among(self, touchable: Mask) -> tuple[Choice, ...]:
        """The choices that touch one of these spaces."""
        near = touchable & self.reach
        found = self._known.get(near)
        if found is None:
            found = self._known[near] = tuple([choice for choice, area in self._areas.items() if area & near])
        return found


Rows = tuple[tuple[Place, ...], ...]


class _Placements:
    """The placements of a tile on each of the nine spaces, by the spaces that its power can touch."""

    __slots__ = ("_choices", "_known", "_tile", "rows")

    def __init__(self, tile: Tile, choices: tuple[_Choices, ...]) -> None:
        self._tile = tile
        self._choices = choices
        self._known: tuple[dict[Mask, tuple[Place, ...]], ...] = tuple([{} for _ in SPACES])
        self.rows: list[Rows | None] = [None] * (BOARD + 1)
        """By mask; None if nobody has asked yet."""

    def work_out(self, touchable: Mask) -> Rows:
        """Fill in the rows for this mask."""
        rows = self.rows[touchable] = tuple([self._on(space, touchable) for space in SPACES])
        return rows

    def _on(self, space: Space, touchable: Mask) -> tuple[Place, ...]:
        """The unused power and its uses; most masks share them, for a power does not reach far."""
        choices, known = self._choices[space], self._known[space]
        near = touchable & choices.reach
        row = known.get(near)
        if row is None:
            route = ROUTES[self._tile][space]
            row = known[near] = (route.unused, *route.uses(choices.among(near)))
        return row


_NO_CHOICES: Final = tuple((_Choices({}),) * 9 for _ in (0, 1))
_CHOICES: Final = {power: tuple(tuple(map(_Choices, row)) for row in rows) for power, rows in AREAS.items()}

# Everything that is looked up while moves are listed is indexed by tile: to look up a power takes much longer.
TOUCHED_BY: Final = tuple(_TOUCHES.get(power, NOTHING) for power in POWER)
CHOICES: Final = tuple(_CHOICES.get(power, _NO_CHOICES) for power in POWER)
"""CHOICES[tile][facing][space]: the choices of its power."""
PLACEMENTS: Final = tuple(
    tuple(
        _Placements(tile, CHOICES[tile][seat]) if POWER[tile] in _TOUCHES and tile != TOWER else None
        for tile in range(len(NAMES))
    )
    for seat in (0, 1)
)
"""PLACEMENTS[seat][tile].rows[mask][space]: the moves, unused power first; only for tiles that _TOUCHES describes."""
WAKES: Final[tuple[tuple[Mask, ...] | None, ...]] = tuple(_WAKES.get(power) for power in POWER)
"""WAKES[tile][space]: where its power finds tiles to re-activate."""


# -- what is legal --------------------------------------------------------------------------------------


def placements(table: Table, seat: Seat) -> tuple[Place, ...]:
    """Every placement: by tile (area, hidden row, neutral zone), then space, then unused power before its uses."""
    sight = _Sight(table, seat)
    spaces, cancelled, targets = BITS[sight.free], sight.cancelled & sight.free, sight.targets_of_all()
    tables = PLACEMENTS[seat]
    found: list[Place] = []
    for tile in table.playable(seat):
        by_target = tables[tile]
        if by_target is None:
            sight.add_special(tile, found)
            continue
        touchable = targets[TOUCHED_BY[tile]]
        rows = by_target.rows[touchable] or by_target.work_out(touchable)
        if cancelled:
            unused = by_target.rows[0] or by_target.work_out(0)
            for space in spaces:
                found += (unused if cancelled >> space & 1 else rows)[space]
        else:
            for space in spaces:
                found += rows[space]
    return tuple(found)


class _Sight:
    """What matters of a table for the powers of a seat, before it places a tile."""

    __slots__ = ("bare", "cancelled", "free", "guarded", "seat", "shields", "table")

    def __init__(self, table: Table, seat: Seat) -> None:
        self.table, self.seat = table, seat
        self.free = table.free()
        self.guarded, self.shields, self.cancelled = table.lasting()
        self.bare = table.up & ~self.shields

    def targets(self, placed: Mask) -> tuple[Mask, ...]:
        """The masks of NOTHING, ANY, DESTROYABLE, ARMOURED and ALLIED when a tile was placed there.

        A board full of face-up tiles ends the round, so nothing on it can be destroyed.
        """
        table, up = self.table, self.table.up | placed
        shields = self.shields | self.guarded & placed
        bare = up & ~shields
        allies = bare & (table.facing if self.seat else ~table.facing)
        return (0, bare, 0, 0, allies) if up == BOARD else (0, bare, bare, shields, allies)

    def targets_of_all(self) -> tuple[Mask, ...]:
        """The masks for a tile on any free space: it is in nobody's reach there, but the last one fills the board."""
        return self.targets(self.free if self.free & (self.free - 1) == 0 else 0)

    def add_special(self, tile: Tile, found: list[Place]) -> None:
        """The placements of the Tower, or of a tile whose power _TOUCHES does not describe."""
        wakes, offer = WAKES[tile], OFFERS[tile]
        if wakes is not None:
            self._add_waking(tile, wakes, found)
        elif offer is not None:
            self._add_offered(tile, offer(self.table, self.seat, tile), found)
        elif tile == FAIRY:
            self._add_shifting(tile, found)
        else:
            self._add_covering(tile, found)

    def _add_waking(self, tile: Tile, wakes: tuple[Mask, ...], found: list[Place]) -> None:
        for space in BITS[self.free]:
            route = ROUTES[tile][space]
            found.append(route.unused)
            reach = wakes[space] & self.bare
            if reach and not self.cancelled >> space & 1:
                _Scene(self, tile, space).wake(reach, route, found)

    def _add_offered(self, tile: Tile, offer: tuple[Choice, ...], found: list[Place]) -> None:
        for space in BITS[self.free]:
            route = ROUTES[tile][space]
            found.append(route.unused)
            if not self.cancelled >> space & 1:
                found += route.uses(offer)

    def _add_shifting(self, tile: Tile, found: list[Place]) -> None:
        for space in BITS[self.free]:
            route = ROUTES[tile][space]
            found.append(route.unused)
            if not self.cancelled >> space & 1:
                found += route.uses(shifts(self.bare, self.free & ~BIT[space]))

    def _add_covering(self, tile: Tile, found: list[Place]) -> None:
        for space in BITS[self.bare & self.table.allies(self.seat)]:
            found.append(ROUTES[tile][space].unused)


class _Scene:
    """The table as it is when this tile, which wakes others, has just been placed on this space."""

    __slots__ = ("sight", "space", "targets", "tile")

    def __init__(self, sight: _Sight, tile: Tile, space: Space) -> None:
        self.sight, self.tile, self.space = sight, tile, space
        self.targets = sight.targets(BIT[space])

    def wake(self, reach: Mask, route: Route, found: list[Place]) -> None:
        """Add every use of a power within this reach, to which the route has come."""
        board = self.sight.table.board
        for other in BITS[reach & ~self.sight.cancelled]:
            asleep = board[other]
            wakes = WAKES[asleep]
            if wakes is not None:
                self.wake(wakes[other] & self.targets[ANY], route.waking(other), found)
            elif POWER[asleep]:
                longer = route.waking(other)
                found += longer.uses(self._choices(asleep, other, longer))

    def _choices(self, asleep: Tile, at: Space, route: Route) -> tuple[Choice, ...]:
        """The choices of the tile at this space, whose power wakes no other."""
        sight, offer = self.sight, OFFERS[asleep]
        if offer is not None:
            return offer(sight.table, sight.seat, self.tile)
        if asleep == FAIRY:
            return shifts(self.targets[ANY] & ~BIT[at], sight.free & ~BIT[self.space])
        touchable = self.targets[TOUCHED_BY[asleep]]
        if asleep == MAGICIAN:
            touchable &= ~route.mask
        return CHOICES[asleep][sight.table.facing >> at & 1][at].among(touchable)


def shifts(movable: Mask, free: Mask) -> tuple[Choice, ...]:
    """Move one of these tiles to one of these spaces."""
    return tuple([SHIFT + 10 * space + to for space in BITS[movable] for to in BITS[free]])


# -- tiles beside the board -----------------------------------------------------------------------------


def _victims(table: Table, seat: Seat, _: Tile) -> tuple[Choice, ...]:
    open_ = tuple([TILE + tile for tile in table.areas[1 - seat]])
    return open_ + tuple(range(HIDDEN, HIDDEN + len(table.hidden[1 - seat])))


def _recruits(table: Table, _: Seat, placed: Tile) -> tuple[Choice, ...]:
    return tuple([TILE + tile for tile in table.zone if tile != placed])


def _discarded(table: Table, _seat: Seat, _placed: Tile) -> tuple[Choice, ...]:
    return tuple([TILE + tile for tile in table.discard])


Offer = Callable[[Table, Seat, Tile], tuple[Choice, ...]]
_OFFERS: Final[dict[Power, Offer]] = {
    Power.ASSASSIN: _victims,
    Power.ADVENTURER: _recruits,
    Power.HERMIT: _discarded,
}
OFFERS: Final[tuple[Offer | None, ...]] = tuple(_OFFERS.get(power) for power in POWER)
"""OFFERS[tile]: the choices of a power among tiles beside the board, whatever space it acts from."""

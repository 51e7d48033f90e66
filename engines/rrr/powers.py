"""The instant powers of RRR: what a placed tile may choose, and what its choice does.

Most powers name spaces around the acting tile: AREAS lists their choices with the spaces of each, and a choice is
there if one of its spaces holds a tile that the power can touch. The others choose among tiles or wake a power.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import chain
from operator import itemgetter, or_
from typing import Final

from arena.match import Seat
from engines.rrr.moves import (
    EVERY,
    HIDDEN,
    LINE,
    NEIGHBOURS,
    NOT_USED,
    ROUTES,
    SHIFT,
    TILE,
    Choice,
    Place,
    plain,
    route_mask,
)
from engines.rrr.table import Table
from engines.rrr.tiles import (
    AHEAD,
    AROUND,
    BIT,
    BITS,
    BOARD,
    DIAGONAL,
    LINES,
    ORTHOGONAL,
    POWER,
    SPACES,
    TILES,
    TOWER,
    Mask,
    Power,
    Space,
    Tile,
)

# -- tables ---------------------------------------------------------------------------------------------

Areas = dict[Choice, Mask]


def _each(mask: Mask) -> Areas:
    """One of these spaces."""
    return {space: BIT[space] for space in BITS[mask]}


# For a power at a space, on a tile that faces a seat: every choice with its spaces.
_SHAPES: Final[dict[Power, Callable[[Seat, Space], Areas]]] = {
    Power.KING: lambda _, at: _each(AROUND[at]),
    Power.QUEEN: lambda _, at: {LINE + direction: LINES[at][direction] for direction in range(8)},
    Power.PRINCESS: lambda _, at: {NEIGHBOURS: ORTHOGONAL[at], NEIGHBOURS + 1: DIAGONAL[at]},
    Power.MINISTER: lambda _, at: _each(AROUND[at]),
    Power.GENERAL: lambda _, at: _each(ORTHOGONAL[at]),
    Power.SORCERER: lambda _, at: _each(DIAGONAL[at]),
    Power.PIRATE: lambda _, at: _each(AROUND[at]),
    Power.SEER: lambda seat, at: {EVERY: AHEAD[seat][at]},
    Power.DRAGON: lambda _, at: {EVERY: AROUND[at]},
    Power.SAMURAI: lambda _, at: _each(ORTHOGONAL[at]),
    Power.NINJA: lambda _, at: _each(DIAGONAL[at]),
    Power.MAGICIAN: lambda _, at: _each(BOARD & ~BIT[at]),
}
AREAS: Final = {
    power: tuple(tuple(shape(seat, at) for at in SPACES) for seat in (0, 1)) for power, shape in _SHAPES.items()
}
"""AREAS[power][facing][space][choice]: the spaces that the choice names."""

NOTHING: Final = 0
ANY: Final = 1
DESTROYABLE: Final = 2
ARMOURED: Final = 3
ALLIED: Final = 4
"""Which tiles a power can touch: indices into `_Sight.targets`."""
TOUCHES: Final = {
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

WAKES: Final = {Power.BARD: ORTHOGONAL, Power.ARTIST: DIAGONAL}
"""WAKES[power][space]: where the power finds tiles to re-activate."""


class _Choices(dict[Mask, tuple[Choice, ...]]):
    """The choices of a power at a space, by the spaces that it can touch; worked out when first asked for."""

    def __init__(self, areas: Areas) -> None:
        super().__init__()
        self._areas = areas
        self.reach = reduce(or_, areas.values(), 0)

    def __missing__(self, touchable: Mask) -> tuple[Choice, ...]:
        near = touchable & self.reach
        if near != touchable:
            found = self[touchable] = self[near]
        else:
            found = self[touchable] = tuple(choice for choice, area in self._areas.items() if area & near)
        return found


Rows = tuple[tuple[Place, ...], ...]


class _Placements(dict[Mask, Rows]):
    """The placements of a tile on each of the nine spaces, by the spaces that its power can touch."""

    def __init__(self, tile: Tile, choices: tuple[_Choices, ...]) -> None:
        super().__init__()
        self._tile = tile
        self._choices = choices
        self._known: dict[tuple[Space, tuple[Choice, ...]], tuple[Place, ...]] = {}

    def __missing__(self, touchable: Mask) -> Rows:
        rows = self[touchable] = tuple([self._on(space, self._choices[space][touchable]) for space in SPACES])
        return rows

    def _on(self, space: Space, choices: tuple[Choice, ...]) -> tuple[Place, ...]:
        """The unused power and these uses of it; most masks share them."""
        if (space, choices) not in self._known:
            uses = ROUTES[self._tile, space, ()]
            self._known[space, choices] = tuple([uses[choice] for choice in (NOT_USED, *choices)])
        return self._known[space, choices]


_NO_CHOICES: Final = tuple((_Choices({}),) * 9 for _ in (0, 1))
CHOICES: Final = {power: tuple(tuple(map(_Choices, row)) for row in rows) for power, rows in AREAS.items()}
"""CHOICES[power][facing][space][mask]: the choices that touch a space of the mask."""
PLACEMENTS: Final = tuple(
    {
        tile: _Placements(tile, CHOICES.get(POWER[tile], _NO_CHOICES)[seat])
        for tile in TILES
        if POWER[tile] in TOUCHES and tile != TOWER
    }
    for seat in (0, 1)
)
"""PLACEMENTS[seat][tile][mask][space]: the moves, unused power first; only for tiles that TOUCHES describes."""
TOUCHED_BY: Final = tuple(TOUCHES.get(power, NOTHING) for power in POWER)


def _getter(spaces: tuple[Space, ...]) -> Callable[[Rows], Rows]:
    if len(spaces) > 1:
        return itemgetter(*spaces)
    return lambda rows: tuple([rows[space] for space in spaces])


AT: Final = tuple(map(_getter, BITS))
"""AT[mask](rows): the rows of these spaces."""


# -- what is legal --------------------------------------------------------------------------------------


def placements(table: Table, seat: Seat) -> tuple[Place, ...]:
    """Every placement: by tile (area, hidden row, neutral zone), then space, then unused power before its uses."""
    sight = _Sight(table, seat)
    on_free, targets = AT[sight.free], sight.targets_of_all()
    simple = PLACEMENTS[seat]
    found: list[Sequence[Place]] = []
    for tile in table.playable(seat):
        if tile not in simple:
            found.append(_special(sight, tile))
        elif sight.cancelled:
            used, unused = simple[tile][targets[TOUCHED_BY[tile]]], simple[tile][0]
            found += [(unused if sight.cancelled >> space & 1 else used)[space] for space in BITS[sight.free]]
        else:
            found += on_free(simple[tile][targets[TOUCHED_BY[tile]]])
    return tuple(chain.from_iterable(found))


class _Sight:
    """What matters of a table for the powers of a seat, before it places a tile."""

    __slots__ = ("cancelled", "free", "guarded", "seat", "shields", "table")

    def __init__(self, table: Table, seat: Seat) -> None:
        self.table, self.seat = table, seat
        self.free, self.guarded = table.free(), table.guarded()
        self.shields, self.cancelled = table.shields(), table.cancelled()

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
        return self.targets(self.free if len(BITS[self.free]) == 1 else 0)


def _special(sight: _Sight, tile: Tile) -> Sequence[Place]:
    """The placements of the Tower, or of a tile whose power TOUCHES does not describe."""
    power = POWER[tile]
    if tile == TOWER:
        return plain(TOWER, sight.table.coverable(sight.seat))
    if power in WAKES:
        return [move for space in BITS[sight.free] for move in _waking(sight, tile, space)]
    moves: list[Place] = []
    offer = _OFFERS[power](sight.table, sight.seat, tile) if power in _OFFERS else ()
    for space in BITS[sight.free]:
        uses = ROUTES[tile, space, ()]
        moves.append(uses[NOT_USED])
        if not sight.cancelled >> space & 1:
            if power == Power.FAIRY:
                offer = shifts(sight.table.up & ~sight.shields, sight.free & ~BIT[space])
            moves += [uses[choice] for choice in offer]
    return moves


def _waking(sight: _Sight, tile: Tile, space: Space) -> list[Place]:
    """The placements of a tile that wakes others on this space."""
    moves = [ROUTES[tile, space, ()][NOT_USED]]
    reach = WAKES[POWER[tile]][space] & sight.table.up & ~sight.shields
    if reach and not sight.cancelled >> space & 1:
        moves += _Scene(sight, tile, space).wake(reach, ())
    return moves


class _Scene:
    """The table as it is when this tile, which wakes others, has just been placed on this space."""

    __slots__ = ("seat", "sight", "space", "table", "targets", "tile")

    def __init__(self, sight: _Sight, tile: Tile, space: Space) -> None:
        self.sight, self.table, self.seat = sight, sight.table, sight.seat
        self.tile, self.space = tile, space
        self.targets = sight.targets(BIT[space])

    def wake(self, reach: Mask, woken: tuple[Space, ...]) -> list[Place]:
        """Every use of a power within this reach, which was itself reached through the woken spaces."""
        found: list[Place] = []
        for other in BITS[reach & ~self.sight.cancelled]:
            asleep, route = POWER[self.table.board[other]], (*woken, other)
            if asleep in WAKES:
                found += self.wake(WAKES[asleep][other] & self.targets[ANY], route)
            elif asleep:
                uses = ROUTES[self.tile, self.space, route]
                found += [uses[choice] for choice in self.choices(asleep, other, route)]
        return found

    def choices(self, power: Power, at: Space, woken: tuple[Space, ...]) -> Sequence[Choice]:
        """The choices of a power that wakes no other, of the tile at this space."""
        if power in _OFFERS:
            return _OFFERS[power](self.table, self.seat, self.tile)
        if power == Power.FAIRY:
            return shifts(self.targets[ANY] & ~BIT[at], self.sight.free & ~BIT[self.space])
        touchable = self.targets[TOUCHES[power]]
        if power == Power.MAGICIAN:
            touchable &= ~route_mask(self.space, woken)
        return CHOICES[power][self.table.facing >> at & 1][at][touchable]


def shifts(movable: Mask, free: Mask) -> list[Choice]:
    """Move one of these tiles to one of these spaces."""
    return [SHIFT + 10 * space + to for space in BITS[movable] for to in BITS[free]]


def _victims(table: Table, seat: Seat, _: Tile) -> list[Choice]:
    places = range(len(table.hidden[1 - seat]))
    return [TILE + tile for tile in table.areas[1 - seat]] + [HIDDEN + place for place in places]


_OFFERS: Final[dict[Power, Callable[[Table, Seat, Tile], list[Choice]]]] = {
    Power.ASSASSIN: _victims,
    Power.ADVENTURER: lambda table, _, placed: [TILE + tile for tile in table.zone if tile != placed],
    Power.HERMIT: lambda table, _seat, _placed: [TILE + tile for tile in table.discard],
}
"""The powers that choose among tiles beside the board, whatever space they act from."""


# -- what it does ---------------------------------------------------------------------------------------


def use(table: Table, seat: Seat, at: Space, choice: Choice) -> None:
    """Let this seat use the power of the tile at this space; the choice must be a legal one."""
    _EFFECTS[POWER[table.board[at]]](table, seat, at, choice)


def _rotate(table: Table, _: Seat, at: Space, choice: Choice) -> None:
    area = AREAS[POWER[table.board[at]]][table.facing >> at & 1][at][choice]
    table.facing ^= area & table.up & ~table.shields()


def _destroy(table: Table, seat: Seat, _: Space, choice: Choice) -> None:
    table.destroy(seat, choice)


def _banish(table: Table, _seat: Seat, _at: Space, choice: Choice) -> None:
    table.discard += (table.lift(choice),)


def _take_back(table: Table, seat: Seat, _: Space, choice: Choice) -> None:
    table.gain(seat, table.lift(choice))


def _shift(table: Table, _seat: Seat, _at: Space, choice: Choice) -> None:
    space, to = divmod(choice - SHIFT, 10)
    side = table.facing >> space & 1
    table.put(side, table.lift(space), to)


def _murder(table: Table, seat: Seat, _: Space, choice: Choice) -> None:
    rows = table.hidden if choice >= HIDDEN else table.areas
    row = rows[1 - seat]
    place = choice - HIDDEN if choice >= HIDDEN else row.index(choice - TILE)
    table.banished += (row[place],)
    rows[1 - seat] = row[:place] + row[place + 1 :]


def _recruit(table: Table, seat: Seat, _: Space, choice: Choice) -> None:
    table.zone = tuple(tile for tile in table.zone if tile != choice - TILE)
    table.gain(seat, choice - TILE)


def _recover(table: Table, seat: Seat, _: Space, choice: Choice) -> None:
    table.discard = tuple(tile for tile in table.discard if tile != choice - TILE)
    table.gain(seat, choice - TILE)


_EFFECTS: Final[dict[Power, Callable[[Table, Seat, Space, Choice], None]]] = {
    Power.KING: _destroy,
    Power.QUEEN: _rotate,
    Power.PRINCESS: _rotate,
    Power.MINISTER: _rotate,
    Power.GENERAL: _destroy,
    Power.SORCERER: _destroy,
    Power.ASSASSIN: _murder,
    Power.PIRATE: _destroy,
    Power.FAIRY: _shift,
    Power.SEER: _rotate,
    Power.DRAGON: _rotate,
    Power.SAMURAI: _banish,
    Power.NINJA: _banish,
    Power.ADVENTURER: _recruit,
    Power.HERMIT: _recover,
    Power.MAGICIAN: _take_back,
}

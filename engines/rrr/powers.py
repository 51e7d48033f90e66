"""The instant powers of RRR: what a placed tile may choose, and what its choice does.

Most powers name spaces around the acting tile: AREAS lists their choices with the spaces of each, and a choice is
there if one of its spaces holds a tile that the power can touch. The others choose among tiles or wake a power.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from operator import or_

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
_SHAPES: dict[Power, Callable[[Seat, Space], Areas]] = {
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
AREAS = {power: tuple(tuple(shape(seat, at) for at in SPACES) for seat in (0, 1)) for power, shape in _SHAPES.items()}
"""AREAS[power][facing][space][choice]: the spaces that the choice names."""

NOTHING, ANY, DESTROYABLE, ARMOURED, ALLIED = range(5)
"""Which tiles a power can touch: indices into `_Sight.targets`."""
TOUCHES = {
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

WAKES = {Power.BARD: ORTHOGONAL, Power.ARTIST: DIAGONAL}
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


class _Placements(dict[Mask, tuple[Place, ...]]):
    """The placements of a tile on a space, by the spaces that its power can touch; most masks share an answer."""

    def __init__(self, tile: Tile, space: Space, choices: _Choices) -> None:
        super().__init__()
        self._uses = ROUTES[tile, space, ()]
        self._choices = choices

    def __missing__(self, touchable: Mask) -> tuple[Place, ...]:
        near = touchable & self._choices.reach
        if near != touchable:
            moves = self[touchable] = self[near]
        else:
            choices = (NOT_USED, *self._choices[near])
            moves = self[touchable] = tuple([self._uses[choice] for choice in choices])
        return moves


_NO_CHOICES = tuple((_Choices({}),) * 9 for _ in (0, 1))
CHOICES = {power: tuple(tuple(map(_Choices, row)) for row in rows) for power, rows in AREAS.items()}
"""CHOICES[power][facing][space][mask]: the choices that touch a space of the mask."""
PLACEMENTS = tuple(
    {
        tile: tuple(_Placements(tile, space, CHOICES.get(POWER[tile], _NO_CHOICES)[seat][space]) for space in SPACES)
        for tile in TILES
        if POWER[tile] in TOUCHES
    }
    for seat in (0, 1)
)
"""PLACEMENTS[seat][tile][space][mask]: the moves, unused power first; only for tiles that TOUCHES describes."""
TOUCHED_BY = tuple(TOUCHES.get(power, NOTHING) for power in POWER)


# -- what is legal --------------------------------------------------------------------------------------


def placements(table: Table, seat: Seat) -> list[Place]:
    """Every placement: by tile (area, hidden row, neutral zone), then space, then unused power before its uses."""
    sight = _Sight(table, seat)
    spaces, cancelled = BITS[sight.free], sight.cancelled & sight.free
    targets = sight.targets(sight.free if len(spaces) == 1 else 0)
    simple = PLACEMENTS[seat]
    moves: list[Place] = []
    for tile in table.playable(seat):
        if tile == TOWER:
            moves += plain(TOWER, BITS[table.coverable(seat)])
        elif tile not in simple:
            for space in spaces:
                moves.append(ROUTES[tile, space, ()][NOT_USED])
                if not cancelled >> space & 1:
                    moves += _Scene(sight, tile, space).uses(POWER[tile], space, ())
        else:
            rows, mask = simple[tile], targets[TOUCHED_BY[tile]]
            for space in spaces:
                moves += rows[space][0 if cancelled >> space & 1 else mask]
    return moves


class _Sight:
    """What matters of a table for the powers of a seat, before it places a tile."""

    __slots__ = ("cancelled", "free", "guarded", "seat", "shields", "table")

    def __init__(self, table: Table, seat: Seat) -> None:
        self.table, self.seat = table, seat
        self.free, self.shields = table.free(), table.shields()
        self.guarded, self.cancelled = table.guarded(), table.cancelled()

    def targets(self, placed: Mask) -> tuple[Mask, ...]:
        """The masks of NOTHING, ANY, DESTROYABLE, ARMOURED and ALLIED when a tile was placed there.

        A board full of face-up tiles ends the round, so nothing on it can be destroyed.
        """
        table, up = self.table, self.table.up | placed
        shields = self.shields | self.guarded & placed
        bare = up & ~shields
        allies = bare & (table.facing if self.seat else ~table.facing)
        return (0, bare, 0, 0, allies) if up == BOARD else (0, bare, bare, shields, allies)


class _Scene:
    """The table as it is when this tile has just been placed on this space."""

    __slots__ = ("free", "seat", "sight", "space", "table", "targets", "tile")

    def __init__(self, sight: _Sight, tile: Tile, space: Space) -> None:
        self.sight, self.table, self.seat = sight, sight.table, sight.seat
        self.tile, self.space = tile, space
        self.free = sight.free & ~BIT[space]
        self.targets = sight.targets(BIT[space])

    def uses(self, power: Power, at: Space, woken: tuple[Space, ...]) -> list[Place]:
        """Every use of the power that acts at this space, woken through these spaces."""
        if power not in WAKES:
            uses = ROUTES[self.tile, self.space, woken]
            return [uses[choice] for choice in self.choices(power, at, woken)]
        found: list[Place] = []
        for other in BITS[WAKES[power][at] & self.targets[ANY] & ~self.sight.cancelled]:
            if asleep := POWER[self.table.board[other]]:
                found += self.uses(asleep, other, (*woken, other))
        return found

    def choices(self, power: Power, at: Space, woken: tuple[Space, ...]) -> Sequence[Choice]:
        """The choices of a power that wakes no other."""
        if power in TOUCHES:
            touchable = self.targets[TOUCHES[power]]
            if power == Power.MAGICIAN:
                touchable &= ~route_mask(self.space, woken)
            return CHOICES[power][self.table.facing >> at & 1][at][touchable]
        return _OFFERS[power](self, at)


def _fairy(scene: _Scene, at: Space) -> list[Choice]:
    movable = BITS[scene.targets[ANY] & ~BIT[at]]
    return [SHIFT + 10 * space + to for space in movable for to in BITS[scene.free]]


def _assassin(scene: _Scene, _: Space) -> list[Choice]:
    victim = 1 - scene.seat
    places = range(len(scene.table.hidden[victim]))
    return [TILE + tile for tile in scene.table.areas[victim]] + [HIDDEN + place for place in places]


_OFFERS: dict[Power, Callable[[_Scene, Space], list[Choice]]] = {
    Power.FAIRY: _fairy,
    Power.ASSASSIN: _assassin,
    Power.ADVENTURER: lambda scene, _: [TILE + tile for tile in scene.table.zone if tile != scene.tile],
    Power.HERMIT: lambda scene, _: [TILE + tile for tile in scene.table.discard],
}


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


_EFFECTS: dict[Power, Callable[[Table, Seat, Space, Choice], None]] = {
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

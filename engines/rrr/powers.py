"""The instant powers of RRR: the spaces that each names, and what a choice of it does.

Most powers name spaces around the acting tile: AREAS lists their choices with the spaces of each. The others choose
among tiles, move one, or wake a power.
"""

from collections.abc import Callable
from typing import Final

from arena.match import Seat
from engines.rrr.moves import EVERY, HIDDEN, LINE, NEIGHBOURS, SHIFT, TILE, Choice
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
    Mask,
    Power,
    Space,
)

# -- tables ---------------------------------------------------------------------------------------------

Areas = dict[Choice, Mask]


def _each(mask: Mask) -> Areas:
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
TILE_AREAS: Final = tuple(AREAS.get(power, ()) for power in POWER)
"""The same by tile, which is found faster."""


# -- what it does ---------------------------------------------------------------------------------------


def use(table: Table, seat: Seat, at: Space, choice: Choice) -> None:
    """Let this seat use the power of the tile at this space; the choice must be a legal one."""
    EFFECTS[table.board[at]](table, seat, at, choice)


def _nothing(_table: Table, _seat: Seat, _at: Space, _choice: Choice) -> None:
    """The tile has no instant power, or one that only wakes others."""


def _rotate(table: Table, _: Seat, at: Space, choice: Choice) -> None:
    areas = TILE_AREAS[table.board[at]][table.facing >> at & 1][at]
    table.facing ^= areas[choice] & table.up & ~table.shields()


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
EFFECTS: Final = tuple(_EFFECTS.get(power, _nothing) for power in POWER)
"""EFFECTS[tile]: what its power does."""

"""The 32 tiles of RRR, the 9 spaces of its board, and what lies where around each space.

A tile is a number from 1 to 32, and 0 is no tile. The two sides have the same seven powers under two names.
Spaces are numbered 3 * row + column. Seat 0 sits below row 2, so its tiles point to row 0; seat 1's point to row 2.
A set of spaces is a mask: bit n is space n.
"""

from collections.abc import Iterable
from enum import IntEnum, auto
from typing import Final

Tile = int
Space = int
Mask = int

NO_TILE: Final[Tile] = 0
NAMES: Final = (
    "", "King", "Queen", "Princess", "Minister", "General", "Sorcerer", "Castle",
    "Hierophant", "Cardinal", "Saint", "Bishop", "Paladin", "Monk", "Temple",
    "Citizen", "Assassin", "Pirate", "Fairy", "Reaper", "Seer", "Dragon", "Shaman", "Witch",
    "Samurai", "Ninja", "Bard", "Artist", "Sage", "Tower", "Adventurer", "Hermit", "Magician",
)  # fmt: skip
TILES: Final = range(1, len(NAMES))
SIDE_TILES: Final = (tuple(range(1, 8)), tuple(range(8, 15)))
"""The seven tiles of seat 0 (Regality) and of seat 1 (Religion)."""
NEUTRALS: Final = tuple(range(16, 33))
"""The 17 neutral tiles that are drawn; the Citizen is never drawn."""

CASTLE: Final[Tile] = NAMES.index("Castle")
TEMPLE: Final[Tile] = NAMES.index("Temple")
CITIZEN: Final[Tile] = NAMES.index("Citizen")
FAIRY: Final[Tile] = NAMES.index("Fairy")
REAPER: Final[Tile] = NAMES.index("Reaper")
SHAMAN: Final[Tile] = NAMES.index("Shaman")
WITCH: Final[Tile] = NAMES.index("Witch")
BARD: Final[Tile] = NAMES.index("Bard")
ARTIST: Final[Tile] = NAMES.index("Artist")
SAGE: Final[Tile] = NAMES.index("Sage")
TOWER: Final[Tile] = NAMES.index("Tower")
MAGICIAN: Final[Tile] = NAMES.index("Magician")


class Power(IntEnum):
    """The instant powers; tiles without one share NONE."""

    NONE = 0
    KING = auto()
    QUEEN = auto()
    PRINCESS = auto()
    MINISTER = auto()
    GENERAL = auto()
    SORCERER = auto()
    ASSASSIN = auto()
    PIRATE = auto()
    FAIRY = auto()
    SEER = auto()
    DRAGON = auto()
    SAMURAI = auto()
    NINJA = auto()
    BARD = auto()
    ARTIST = auto()
    ADVENTURER = auto()
    HERMIT = auto()
    MAGICIAN = auto()


_TWINS: Final = {"Hierophant": "King", "Cardinal": "Queen", "Saint": "Princess", "Bishop": "Minister",
          "Paladin": "General", "Monk": "Sorcerer"}  # fmt: skip
POWER: Final = tuple(Power.__members__.get(_TWINS.get(name, name).upper(), Power.NONE) for name in NAMES)
"""The instant power of each tile."""

SPACES: Final = range(9)
BOARD: Final[Mask] = 0b111_111_111
BIT: Final = tuple(1 << space for space in SPACES)
BITS: Final = tuple(tuple(space for space in SPACES if mask >> space & 1) for mask in range(BOARD + 1))
"""The spaces of every mask, in ascending order."""

DIRECTIONS: Final = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))
"""Steps as (rows, columns): from "towards row 0" clockwise as seat 0 sees the board."""


def _mask(space: Space, steps: Iterable[tuple[int, int]]) -> Mask:
    row, column = divmod(space, 3)
    places = ((row + down, column + right) for down, right in steps)
    return sum(BIT[3 * r + c] for r, c in places if 0 <= r < 3 and 0 <= c < 3)


ORTHOGONAL: Final = tuple(_mask(space, DIRECTIONS[::2]) for space in SPACES)
DIAGONAL: Final = tuple(_mask(space, DIRECTIONS[1::2]) for space in SPACES)
AROUND: Final = tuple(ORTHOGONAL[space] | DIAGONAL[space] for space in SPACES)
SIDES: Final = tuple(_mask(space, ((0, -1), (0, 1))) for space in SPACES)
"""The spaces to the left and to the right."""
AHEAD: Final = tuple(tuple(_mask(space, ((step, -1), (step, 0), (step, 1))) for space in SPACES) for step in (-1, 1))
"""AHEAD[seat][space]: the three spaces that the top of a tile of this seat points to."""
LINES: Final = tuple(
    tuple(_mask(space, ((down, right), (2 * down, 2 * right))) for down, right in DIRECTIONS) for space in SPACES
)
"""LINES[space][direction]: every space from there to the edge."""

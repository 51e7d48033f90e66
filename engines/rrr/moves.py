"""The moves of RRR: place a tile, pick one in a draft, or name the first player of a round.

A placement carries every choice that its power needs as one number, whose range says what was chosen.
"""

from typing import Final, NamedTuple, TypeGuard

from arena.match import Seat
from engines.rrr.tiles import BIT, NAMES, SPACES, Mask, Space, Tile

Choice = int

NOT_USED: Final[Choice] = -1
# A choice below 10 is a space of the board: the tile on it is the target.
LINE: Final[Choice] = 10
"""LINE + direction: every tile in that direction (Queen)."""
NEIGHBOURS: Final[Choice] = 20
"""NEIGHBOURS + 0 for the orthogonal, + 1 for the diagonal ones (Princess)."""
EVERY: Final[Choice] = 30
"""All tiles in reach (Seer, Dragon)."""
SHIFT: Final[Choice] = 100
"""SHIFT + 10 * from + to: move the tile on one space to another (Fairy)."""
TILE: Final[Choice] = 200
"""TILE + tile: this tile from an area, the neutral zone or the discard (Assassin, Adventurer, Hermit)."""
HIDDEN: Final[Choice] = 300
"""HIDDEN + place: the tile at this place of the opponent's hidden row, counted from 0 (Assassin)."""


class Place(NamedTuple):
    """Place a tile on a space, and use its power or not."""

    tile: Tile
    space: Space
    woken: tuple[Space, ...] = ()
    """The spaces that are re-activated, in order; the power of the last one is used."""
    choice: Choice = NOT_USED


class Pick(NamedTuple):
    """Keep this tile in a draft; NO_TILE stands for a tile that the observer may not know."""

    tile: Tile


class NameFirst(NamedTuple):
    """Name the first player of the next round."""

    seat: Seat


Move = Place | Pick | NameFirst


class Route:
    """A tile on a space and the spaces that it wakes in turn, with its placements by choice.

    There is one object per move for ever, made when it is first asked for: making moves costs more than finding them.
    """

    __slots__ = ("_longer", "_moves", "mask", "unused")

    def __init__(self, tile: Tile, space: Space, woken: tuple[Space, ...] = ()) -> None:
        self._moves: dict[Choice, Place] = {}
        self._longer: dict[Space, Route] = {}
        self.mask: Mask = sum(BIT[at] for at in (space, *woken))
        """The spaces of the placed tile and of all that it woke."""
        self.unused = Place(tile, space, woken)
        """The placement without a power."""

    def uses(self, choices: tuple[Choice, ...]) -> list[Place]:
        moves = self._moves
        try:
            return [moves[choice] for choice in choices]
        except KeyError:
            for choice in choices:
                moves[choice] = moves.get(choice) or self.unused._replace(choice=choice)
            return [moves[choice] for choice in choices]

    def waking(self, other: Space) -> "Route":
        """The route that goes on to wake this space."""
        if other not in self._longer:
            tile, space, woken, _ = self.unused
            self._longer[other] = Route(tile, space, (*woken, other))
        return self._longer[other]


ROUTES: Final = tuple(tuple(Route(tile, space) for space in SPACES) for tile in range(len(NAMES)))
"""ROUTES[tile][space]: the placements that wake nothing, and the way to those that do."""


def is_listed(move: object, legal: tuple[Move, ...]) -> TypeGuard[Move]:
    """True if exactly this move is in the list: other kinds of tuples, and tuples of floats or bools, can equal it."""
    for listed in legal:
        if listed is move:
            return True
    return type(move) is type(legal[0]) and move in legal and isinstance(move, tuple) and _has_only_ints(move)


def _has_only_ints(parts: tuple[object, ...]) -> bool:
    """Takes the parts as objects: where ints are declared, compiled code refuses anything else with another error."""
    for part in parts:
        if type(part) is not int and not (isinstance(part, tuple) and all(type(at) is int for at in part)):
            return False
    return True

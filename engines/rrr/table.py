"""The table of one round: the board, the play areas around it, the neutral zone and the discard."""

from bisect import insort
from typing import Final

from arena.match import Seat
from engines.rrr.tiles import (
    BIT,
    BITS,
    BOARD,
    CASTLE,
    DIAGONAL,
    NAMES,
    NO_TILE,
    ORTHOGONAL,
    REAPER,
    SAGE,
    SHAMAN,
    SIDES,
    TEMPLE,
    TOWER,
    WITCH,
    Mask,
    Space,
    Tile,
)

Row = tuple[Tile, ...]
HAS_LASTING_POWER: Final = tuple(tile in (CASTLE, TEMPLE, TOWER, SAGE, SHAMAN, WITCH) for tile in range(len(NAMES)))
"""Whether a tile shields or cancels something as long as it lies face up."""


class Table:
    """Where every tile of a round is; lists are indexed by seat, except the board, which is indexed by space."""

    __slots__ = ("areas", "banished", "board", "covered", "discard", "down", "facing", "hidden", "up", "zone")

    board: list[Tile]
    """The top tile of each space."""
    up: Mask
    """Spaces with a face-up tile."""
    facing: Mask
    """Spaces whose tile is an ally of seat 1; a face-down Tower's bit is that of the tile below it."""
    down: list[Mask]
    """Spaces whose tile this seat has destroyed and not yet discarded."""
    covered: Tile
    """The tile under the Tower, which faces as the Tower does."""
    areas: list[Row]
    """The tiles before each seat that everybody sees, in ascending order."""
    hidden: list[Row]
    """Secret set-ups: the tiles before each seat that only their owner knows, in the order in which he got them."""
    zone: Row
    """The neutral zone, in ascending order."""
    discard: Row
    """Tiles that were played and have left the board, oldest first."""
    banished: Row
    """Tiles that an Assassin took out of an area, oldest first."""

    def __init__(self) -> None:
        self.board = [NO_TILE] * 9
        self.up = self.facing = 0
        self.down = [0, 0]
        self.covered = NO_TILE
        self.areas = [(), ()]
        self.hidden = [(), ()]
        self.zone = self.discard = self.banished = ()

    def clone(self) -> "Table":
        twin = Table()
        twin.board = self.board[:]
        twin.up, twin.facing, twin.covered = self.up, self.facing, self.covered
        twin.down, twin.areas, twin.hidden = self.down[:], self.areas[:], self.hidden[:]
        twin.zone, twin.discard, twin.banished = self.zone, self.discard, self.banished
        return twin

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self._parts() == other._parts()

    def __hash__(self) -> int:
        raise TypeError("a table changes, so it has no hash")

    def _parts(self) -> tuple[object, ...]:
        return (
            self.board, self.up, self.facing, self.down, self.covered,
            self.areas, self.hidden, self.zone, self.discard, self.banished,
        )  # fmt: skip

    # -- what is where ----------------------------------------------------------------------------------

    def free(self) -> Mask:
        """Spaces without any tile."""
        return BOARD & ~(self.up | self.down[0] | self.down[1])

    def allies(self, seat: Seat) -> Mask:
        """Spaces with a face-up tile that faces this seat."""
        return self.up & (self.facing if seat else ~self.facing)

    def lasting(self) -> tuple[Mask, Mask, Mask]:
        """What lasting powers do: spaces beside the Sage, tiles with a shield, spaces without instant powers."""
        board = self.board
        guarded = armoured = cancelled = 0
        for space in BITS[self.up]:
            tile = board[space]
            if not HAS_LASTING_POWER[tile]:
                continue
            if tile == SAGE:
                guarded = SIDES[space]
            elif tile == SHAMAN:
                cancelled |= ORTHOGONAL[space]
            elif tile == WITCH:
                cancelled |= DIAGONAL[space]
            else:
                armoured |= BIT[space]
        return guarded, (armoured | guarded) & self.up, cancelled & ~guarded

    def shields(self) -> Mask:
        """Spaces with a face-up tile that has a shield: its own or that of a working Sage beside it."""
        return self.lasting()[1]

    def cancelled(self) -> Mask:
        """Spaces on which an instant power does not work, free ones included."""
        return self.lasting()[2]

    def reaper_ally(self) -> Seat | None:
        """The seat that a working Reaper faces."""
        if REAPER not in self.board:
            return None
        space = self.board.index(REAPER)
        return self.facing >> space & 1 if self.up >> space & 1 else None

    def playable(self, seat: Seat) -> Row:
        """Every tile that this seat may place."""
        return self.areas[seat] + self.hidden[seat] + self.zone

    def coverable(self, seat: Seat) -> Mask:
        """Spaces on which this seat may place the Tower."""
        return self.allies(seat) & ~self.shields()

    def can_place(self, seat: Seat) -> bool:
        """Whether this seat has a tile that fits a board with a free space."""
        count = len(self.areas[seat]) + len(self.hidden[seat]) + len(self.zone)
        return count > 1 or (count == 1 and (self.playable(seat)[0] != TOWER or bool(self.coverable(seat))))

    # -- what happens -----------------------------------------------------------------------------------

    def place(self, seat: Seat, tile: Tile, space: Space) -> None:
        """Put a tile from the seat's area, its hidden row or the neutral zone on the board, facing the seat."""
        if tile in self.areas[seat]:
            self.areas[seat] = _without(self.areas[seat], tile)
        elif tile in self.zone:
            self.zone = _without(self.zone, tile)
        else:
            self.hidden[seat] = _without(self.hidden[seat], tile)
        if tile == TOWER:
            self.covered = self.board[space]
        self.put(seat, tile, space)

    def put(self, seat: Seat, tile: Tile, space: Space) -> None:
        """Lay a tile face up on a space, facing the seat."""
        self.board[space] = tile
        self.up |= BIT[space]
        self.facing = self.facing | BIT[space] if seat else self.facing & ~BIT[space]

    def clean_up(self, seat: Seat) -> None:
        """Discard what this seat destroyed on its previous turn; a tile under a Tower comes to light unchanged."""
        down = self.down[seat]
        if not down:
            return
        for space in BITS[down]:
            self.discard += (self.board[space],)
            if self.board[space] == TOWER and self.covered:
                self.put(self.facing >> space & 1, self.covered, space)
                self.covered = NO_TILE
            else:
                self.lift(space)
        self.down[seat] = 0

    def destroy(self, seat: Seat, space: Space) -> None:
        """Turn a tile face down; it has no side any more, except that one below a Tower keeps its own."""
        self.up &= ~BIT[space]
        self.down[seat] |= BIT[space]
        if self.board[space] != TOWER:
            self.facing &= ~BIT[space]

    def lift(self, space: Space) -> Tile:
        """Take a tile off the board."""
        tile = self.board[space]
        self.board[space] = NO_TILE
        self.up &= ~BIT[space]
        self.facing &= ~BIT[space]
        return tile

    def gain(self, seat: Seat, tile: Tile) -> None:
        """Lay a tile openly into the seat's area."""
        area = list(self.areas[seat])
        insort(area, tile)
        self.areas[seat] = tuple(area)


def _without(row: Row, tile: Tile) -> Row:
    place = row.index(tile)
    return row[:place] + row[place + 1 :]

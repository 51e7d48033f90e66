"""RRR in numbers, as the seat to move sees it: its own side below, and its own seven tiles before the opponent's.

For seat 1 the board is turned and the twins of the two sides change places, so one policy can play both seats.

A placement has a number for each tile, space and use of its power. Two kinds of uses share numbers, because a position
allows but one of them: moving a tile between two spaces, one of which is free, goes only one way; and when a Bard or
Artist wakes a power, the tile that it wakes says what the number means.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from arena.match import Seat
from arena.vectors import Layout, Vector, Vectors, mark
from engines.rrr.game import MOST_ROUNDS
from engines.rrr.moves import HIDDEN, LINE, NEIGHBOURS, NOT_USED, SHIFT, TILE, Choice, Move, NameFirst, Pick, Place
from engines.rrr.powers import AREAS
from engines.rrr.rules import MOST_PLACEMENTS, ROUNDS_TO_WIN, SECRET_DRAFT_ORDER, Observation, Phase, Setup, Victory
from engines.rrr.tiles import (
    ARTIST,
    BARD,
    BITS,
    DIAGONAL,
    NEUTRALS,
    NO_TILE,
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

MOST_HIDDEN, MOST_OFFERED = 2, 5
SETUPS, PHASES = tuple(Setup), tuple(Phase)
LAST = SPACES[-1]
TURNED: tuple[Tile, ...] = (NO_TILE, *range(8, 15), *range(1, 8), *range(15, len(TILES) + 1))
"""The tiles as they are called when the seats change places."""
PAIR = {SHIFT + 10 * a + b: n for n, pair in enumerate(combinations(SPACES, 2)) for a, b in (pair, pair[::-1])}
CODES = len(PAIR) // 2
"""More than any other power has uses: 32 tiles and 2 hidden ones."""


def code(choice: Choice) -> int:
    """The number of a choice among those of its power; -1 if the power is not used."""
    if choice < LINE:
        return choice
    if choice < SHIFT:
        return choice % 10  # lines, neighbours or every tile: no power has two of these
    if choice < TILE:
        return PAIR[choice]
    return choice - TILE - 1 if choice < HIDDEN else len(TILES) + choice - HIDDEN


def turned(choice: Choice) -> Choice:
    """The same choice when the seats change places."""
    if 0 <= choice < LINE:
        return LAST - choice
    if LINE <= choice < NEIGHBOURS:
        return LINE + (choice - LINE + 4) % 8
    if SHIFT <= choice < TILE:
        return SHIFT + 11 * LAST - (choice - SHIFT)
    return TILE + TURNED[choice - TILE] if TILE <= choice < HIDDEN else choice


def _choices(power: Power, space: Space) -> Iterator[Choice]:
    """Every use that this power can have on this space, whatever lies around it."""
    yield NOT_USED
    if power in AREAS:
        yield from (choice for choice, area in AREAS[power][0][space].items() if area)
    elif power is Power.FAIRY:
        yield from (choice for choice in PAIR if space not in divmod(choice - SHIFT, 10))
    elif power is Power.ADVENTURER:
        yield from (TILE + tile for tile in NEUTRALS)
    elif power in (Power.ASSASSIN, Power.HERMIT):
        yield from (TILE + tile for tile in TILES)
    if power is Power.ASSASSIN:
        yield from (HIDDEN + place for place in range(MOST_HIDDEN))


def _number_placements() -> dict[Place, int]:
    """The number of every placement that wakes nothing, for seat 0."""
    found: dict[tuple[Tile, Space, int], int] = {}
    return {
        Place(tile, space, (), choice): found.setdefault((tile, space, code(choice)), len(found))
        for tile in TILES
        for space in SPACES
        for choice in _choices(POWER[tile], space)
    }


Route = tuple[Tile, Space, tuple[Space, ...]]


def _number_routes() -> dict[Route, int]:
    """The number of every way to wake a tile: at once, or through the Artist or Bard on the board.

    Where that one stands is known, so what counts is how the placed and the woken tile lie from there.
    """
    found: dict[tuple[Tile | Space | str, ...], int] = {}
    routes: dict[Route, int] = {}
    for tile, near, far in ((BARD, ORTHOGONAL, DIAGONAL), (ARTIST, DIAGONAL, ORTHOGONAL)):
        for space in SPACES:
            for by in BITS[near[space]]:
                routes[tile, space, (by,)] = found.setdefault((tile, space, by), len(found))
                for at in BITS[far[by]]:
                    key = (tile, "through", space - by, at - by)
                    routes[tile, space, (by, at)] = found.setdefault(key, len(found))
    return routes


def _turned_place(move: Place) -> Place:
    return Place(TURNED[move.tile], LAST - move.space, (), turned(move.choice))


def _turned_route(route: Route) -> Route:
    tile, space, woken = route
    return tile, LAST - space, tuple(LAST - at for at in woken)


_PLACEMENTS, _ROUTES = _number_placements(), _number_routes()
PLACEMENTS: tuple[Mapping[Any, int], ...] = (
    _PLACEMENTS,
    {_turned_place(move): number for move, number in _PLACEMENTS.items()},
)
"""PLACEMENTS[seat][move]: the number of a placement that wakes nothing."""
ROUTES = (_ROUTES, {_turned_route(route): number for route, number in _ROUTES.items()})
"""ROUTES[seat][tile, space, woken spaces]: the number of a way to wake a tile."""
PICKS = {tile: number for number, tile in enumerate(NEUTRALS)}


class RrrVectors(Vectors[Move, Observation]):
    """The board space by space, then the tiles around it; `own` and `other` mean the seat itself and its opponent."""

    observation = Layout(
        board=len(SPACES) * len(TILES),  # the top tile of each space
        own=len(SPACES),  # face up, facing this seat
        other=len(SPACES),
        own_destroyed=len(SPACES),  # face down until this seat's next turn
        other_destroyed=len(SPACES),
        covered=len(TILES),  # the tile under the Tower
        covered_own=1,
        own_area=len(TILES),
        other_area=len(TILES),
        hidden=len(TILES),  # the seat's own hidden tiles
        zone=len(TILES),
        discard=len(TILES),
        banished=len(TILES),
        offer=len(TILES),
        drawn=len(TILES),  # in how many rounds each tile was drawn, as far as the seat knows, in ninths
        phase=len(PHASES),  # place, name, pick, over
        setup=len(SETUPS),
        turn=2,  # is the seat to move, was it first in this round
        score=2,  # own, other: the share of what wins
        counts=6,  # round, placements, picks, size of the offer, opponent's hidden tiles, rounds if points decide
    )
    actions = Layout(
        place=max(_PLACEMENTS.values()) + 1,
        wake=(max(_ROUTES.values()) + 1) * CODES,
        pick=len(NEUTRALS),
        name=2,  # itself or the opponent as the first player
    )

    def fill(self, seen: Observation, into: Vector) -> None:
        """Write the board, the tiles and the state of the match."""
        self._fill_board(seen, into)
        self._fill_rows(seen, into)
        self._fill_match(seen, into)

    def number(self, seen: Observation, move: Move) -> int:
        """By tile, space and use for a placement, by tile for a pick, by seat for a name."""
        seat, at = seen.seat, self.actions
        number = PLACEMENTS[seat].get(move)
        if number is not None:
            return number
        match move:
            case Place(tile, space, woken, choice):
                use = code(turned(choice) if seat else choice)
                return at["wake"].start + CODES * ROUTES[seat][tile, space, woken] + use
            case Pick(tile):
                return at["pick"].start + PICKS[tile]
            case NameFirst(first):
                return at["name"].start + (first ^ seat)

    def _fill_board(self, seen: Observation, into: Vector) -> None:
        at, table, seat = self.observation, seen.table, seen.seat
        for space, tile in enumerate(table.board):
            if tile:
                into[at["board"].start + _space(seat, space) * len(TILES) + _tile(seat, tile) - 1] = 1.0
        masks: tuple[tuple[str, Mask], ...] = (
            ("own", table.allies(seat)),
            ("other", table.allies(1 - seat)),
            ("own_destroyed", table.down[seat]),
            ("other_destroyed", table.down[1 - seat]),
        )
        for name, mask in masks:
            mark(into, at[name].start, (_space(seat, space) for space in BITS[mask]))

    def _fill_rows(self, seen: Observation, into: Vector) -> None:
        at, table, seat = self.observation, seen.table, seen.seat
        rows: dict[str, Sequence[Tile]] = {
            "covered": (table.covered,),
            "own_area": table.areas[seat],
            "other_area": table.areas[1 - seat],
            "hidden": table.hidden[seat],
            "zone": table.zone,
            "discard": table.discard,
            "banished": table.banished,
            "offer": seen.offer,
        }
        for name, row in rows.items():
            mark(into, at[name].start - 1, (_tile(seat, tile) for tile in row if tile))
        if table.covered:
            into[at["covered_own"].start] = float(table.facing >> table.board.index(TOWER) & 1 == seat)
        for tile in set(filter(None, seen.draws)):
            into[at["drawn"].start + tile - 1] = seen.draws.count(tile) / MOST_ROUNDS

    def _fill_match(self, seen: Observation, into: Vector) -> None:
        at, seat, config = self.observation, seen.seat, seen.config
        by_points = config.victory is Victory.POINTS
        into[at["phase"].start + PHASES.index(seen.phase)] = 1.0
        into[at["setup"].start + SETUPS.index(config.setup)] = 1.0
        into[at["turn"].start] = float(seen.mover == seat)
        into[at["turn"].start + 1] = float(seen.first == seat)
        goal = len(SPACES) * config.rounds if by_points else ROUNDS_TO_WIN
        score, counts = at["score"].start, at["counts"].start
        into[score], into[score + 1] = seen.score[seat] / goal, seen.score[1 - seat] / goal
        into[counts] = seen.round / MOST_ROUNDS
        into[counts + 1] = seen.placements / MOST_PLACEMENTS
        into[counts + 2] = seen.picks / len(SECRET_DRAFT_ORDER)
        into[counts + 3] = seen.offer_size / MOST_OFFERED
        into[counts + 4] = len(seen.table.hidden[1 - seat]) / MOST_HIDDEN
        into[counts + 5] = config.rounds / MOST_ROUNDS if by_points else 0.0


def _space(seat: Seat, space: Space) -> Space:
    return LAST - space if seat else space


def _tile(seat: Seat, tile: Tile) -> Tile:
    return TURNED[tile] if seat else tile


VECTORS = RrrVectors()

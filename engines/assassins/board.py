"""The boards as data: terrain, start squares, doors and deck, with the tables that make the rules fast.

A square is 10 * row + column, row 0 at the castle. `OFF` stands for "not on the board", and every table has
an empty entry for it, so that figures that are gone need no test of their own.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, cast

SIZE: Final = 10
SQUARES: Final = SIZE * SIZE
OFF: Final = SQUARES

KING: Final = 0
FIRST_KNIGHT: Final = 13
FIGURES: Final = 20
CITIZENS: Final = range(1, FIRST_KNIGHT)
KNIGHTS: Final = range(FIRST_KNIGHT, FIGURES)

COMPASS: Final = {"north": (-1, 0), "east": (0, 1), "south": (1, 0), "west": (0, -1)}
"""The four directions as steps of row and column, in the order in which everything about neighbours is listed."""

WALK_PRICE: Final[tuple[int, ...]] = (1, 2, 1)
"""Action points of a knight or citizen, by the rise of the step: level, up, and (index -1) down."""
PROWL_PRICE: Final[tuple[int, ...]] = (1, 1, 0)
"""Action points of a revealed assassin, by the rise of the step."""

LEVEL: Final = 0
UP: Final = 1
DOWN: Final = -1
Steps = tuple[tuple[int, ...], ...]
"""Moves of a figure to the squares beside it, by the greatest rise: LEVEL and lower, UP and lower, DOWN (index -1)."""
ENGAGED: Final[Steps] = ((), (), ())
"""Stands for the steps of a knight or hunter who has an opponent beside him, and may do more than step."""
STEPS: Final[tuple[object, ...]] = tuple(range(SQUARES * FIGURES))
"""Every step as one object, so that the rows which have it need little of the processor's cache."""
March = tuple[int, tuple[int, ...], bool]
"""A way of a knight: the square, the squares through which a figure there can be shoved, and if he can strike there."""
Prowl = tuple[int, int, bool]
"""A way of a revealed assassin: the square, its price, and if he can strike there."""


@dataclass(frozen=True, slots=True)
class Start:
    """A square where the king may start, and the five knights that then stand near it."""

    king: int
    knights: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """One side of the board."""

    title: str
    origin: str
    roof: tuple[int, ...]
    """1 for a roof and 0 for a street, per square."""
    citizens: tuple[int, ...]
    marked: tuple[int, ...]
    """Where two knights stand whatever start the king chooses."""
    starts: tuple[Start, ...]
    doors: dict[int, str]
    """The door squares, each with the side on which its door is."""
    steps_home: dict[int, int]
    """The king's steps from every street into the castle, nobody being in his way."""
    deck: tuple[int, ...]
    """The kinds of all cards that are played with, in ascending order."""
    around: tuple[tuple[int, ...], ...]
    """Per square: its neighbours."""
    streets: tuple[tuple[int, ...], ...]
    """Per square: the neighbouring streets, where the king can go."""
    steps: tuple[list[Steps | None], ...]
    """Per figure and 16 * square + a bit for each neighbour that is taken: where it can step; see `make_steps`."""
    marches: tuple[tuple[tuple[March, ...], ...], ...]
    """Per action points (2 stands for more) and square: the ways of a knight."""
    prowls: tuple[tuple[Prowl, ...], ...]
    """Per square: the ways of a revealed assassin."""

    def squares(self, start: int) -> list[int]:
        """The square of every figure when the king has this start."""
        chosen = self.starts[start]
        return [chosen.king, *self.citizens, *self.marked, *chosen.knights]

    def opening(self) -> list[int]:
        """The square of every figure before the first move: with two starts the king's side is not there yet."""
        return self.squares(0) if len(self.starts) == 1 else [OFF, *self.citizens, *(OFF for _ in KNIGHTS)]

    def make_steps(self, figure: int, place: int) -> Steps:
        """Fill an entry of `steps` when it is first needed: there are so many that a start would wait for them."""
        square, taken = divmod(place, 16)
        free = [to for number, to in enumerate(self.around[square]) if not taken >> number & 1]
        rows = tuple(
            tuple(STEPS[SQUARES * figure + to] for to in free if self.roof[to] - self.roof[square] <= rise)
            for rise in (LEVEL, UP, DOWN)
        )
        steps = cast("Steps", rows)
        self.steps[figure][place] = steps
        return steps


@cache
def load(name: str) -> Board:
    """The board of this name, from its file."""
    import tomllib  # noqa: PLC0415  (the facts of the game are there without a board)
    from importlib import resources  # noqa: PLC0415

    file = resources.files(__package__) / "boards" / f"{name}.toml"
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    roof = tuple(int(letter == "#") for letter in "".join(data["terrain"].split()))
    streets = tuple(tuple(to for _, to in neighbours(square) if not roof[to]) for square in range(SQUARES + 1))
    doors = {door["square"]: door["towards"] for door in data["doors"]}
    return Board(
        title=data["title"],
        origin=data["origin"],
        roof=roof,
        citizens=tuple(data["citizens"]),
        marked=tuple(data["marked"]),
        starts=tuple(Start(start["king"], tuple(start["knights"])) for start in data["starts"]),
        doors=doors,
        steps_home=steps_through(doors, streets),
        deck=tuple(kind for kind, copies in enumerate(data["deck"]) for _ in range(copies)),
        around=tuple(tuple(to for _, to in neighbours(square)) for square in range(SQUARES + 1)),
        streets=streets,
        steps=tuple([[None] * (16 * (SQUARES + 1)) for _ in range(FIGURES)]),
        marches=tuple(_marches(roof, points) for points in range(3)),
        prowls=tuple(_prowls(roof, square) for square in range(SQUARES + 1)),
    )


def neighbours(square: int) -> Iterator[tuple[str, int]]:
    """The squares beside this one, each with its direction; none for `OFF`."""
    for name, (down, right) in COMPASS.items():
        row, column = square // SIZE + down, square % SIZE + right
        if square != OFF and 0 <= row < SIZE and 0 <= column < SIZE:
            yield name, SIZE * row + column


def steps_through(doors: Iterable[int], streets: Sequence[Sequence[int]]) -> dict[int, int]:
    """The king's steps from every street into the castle through these doors, nobody being in his way."""
    steps = dict.fromkeys(doors, 1)
    queue = list(steps)
    for square in queue:
        for to in streets[square]:
            if to not in steps:
                steps[to] = steps[square] + 1
                queue.append(to)
    return steps


def _marches(roof: tuple[int, ...], points: int) -> tuple[tuple[March, ...], ...]:
    return tuple(
        tuple(
            (to, _shove_line(roof, name, to), _can_strike(roof, square, to))
            for name, to in _in_reach(roof, square, points)
        )
        for square in range(SQUARES + 1)
    )


def _prowls(roof: tuple[int, ...], square: int) -> tuple[Prowl, ...]:
    return tuple(
        (to, PROWL_PRICE[roof[to] - roof[square]], _can_strike(roof, square, to)) for _, to in neighbours(square)
    )


def _in_reach(roof: tuple[int, ...], square: int, points: int) -> Iterator[tuple[str, int]]:
    """The neighbours that a knight or citizen with these action points can go to."""
    return (way for way in neighbours(square) if WALK_PRICE[roof[way[1]] - roof[square]] <= points)


def _can_strike(roof: tuple[int, ...], square: int, to: int) -> bool:
    """Nobody reaches from a street up to a roof."""
    return roof[to] <= roof[square]


def _shove_line(roof: tuple[int, ...], towards: str, square: int) -> tuple[int, ...]:
    """The squares behind this one, up to the board's edge or the first wall that nobody can be shoved up."""
    line: list[int] = []
    while (ahead := dict(neighbours(square)).get(towards)) is not None and roof[ahead] <= roof[square]:
        line.append(ahead)
        square = ahead
    return tuple(line)

"""The contract between a game and everything else: GameInfo, State, Game.

A state is mutable and cheap to clone, because search bots and play-outs live on it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

from arena.errors import RegistryError, UsageError
from arena.match import Outcome, Seat

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from arena.codec import Codec

C = TypeVar("C")
M = TypeVar("M")
O = TypeVar("O")  # C, M, O: config, move, observation
O_co = TypeVar("O_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Option:
    """A choice that the organiser has before a match."""

    name: str
    choices: tuple[str, ...]
    default: str
    help: str


@dataclass(frozen=True, slots=True)
class GameInfo:
    """Declared facts of a game; the conformance kit checks them."""

    name: str
    title: str
    summary: str
    """One sentence for `arena games`."""
    version: str
    """Changes whenever the same seed and moves may give another game."""
    min_seats: int
    max_seats: int
    max_moves: int
    """No game, in any variant, is longer than this many moves."""
    hidden: bool
    """True if some seat does not see everything."""
    roles: tuple[str, ...] = ()
    """The role of each seat, if the seats play different sides."""
    options: tuple[Option, ...] = ()

    def choose(self, given: Mapping[str, str]) -> dict[str, str]:
        """The value of every option, as given or its default; UsageError lists what is valid."""
        known = {option.name: option for option in self.options}
        for name, value in given.items():
            if name not in known:
                raise UsageError(f"{self.name} has no option {name!r}: {self._valid_options()}")
            if value not in known[name].choices:
                raise UsageError(
                    f"{self.name} option {name} cannot be {value!r}: choose {', '.join(known[name].choices)}"
                )
        return {option.name: given.get(option.name, option.default) for option in self.options}

    def check_seats(self, seats: int) -> None:
        """Refuse a number of seats that the game cannot have."""
        if not self.min_seats <= seats <= self.max_seats:
            span = str(self.min_seats) if self.min_seats == self.max_seats else f"{self.min_seats} to {self.max_seats}"
            raise UsageError(f"{self.name} is played by {span} seats, not {seats}")

    def variants(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Every combination of seats and options, the default first."""
        names = [option.name for option in self.options]
        for seats in range(self.min_seats, self.max_seats + 1):
            for values in product(*((o.default, *(c for c in o.choices if c != o.default)) for o in self.options)):
                yield seats, dict(zip(names, values, strict=True))

    def _valid_options(self) -> str:
        if not self.options:
            return "it has none"
        return "it has " + ", ".join(f"{o.name}={'|'.join(o.choices)}" for o in self.options)


def check_seat(seat: object, seats: int) -> Seat:
    """The seat, if it is one at the table, as `view` must check: -1 would silently be taken for the last one.

    A compiled function takes True for 1 before it runs, so a `view` that may be compiled takes any object.
    """
    if type(seat) is not int or not 0 <= seat < seats:
        raise IndexError(f"there is no seat {seat!r}: seats are 0 to {seats - 1}")
    return seat


class State(Protocol[M, O_co]):
    """A position with the full truth.

    A class need not name this one as its base: the engines do not, for a compiled class is fast only without
    interpreted ones above it.
    """

    __slots__ = ()

    @abstractmethod
    def to_move(self) -> Seat | None:
        """The seat that decides now; None exactly when the game is over."""

    @abstractmethod
    def legal(self) -> Sequence[M]:
        """Every legal move of the seat to move, in a fixed order; empty when the game is over.

        The caller may keep it, and change it if it can be changed, without any effect on a state: so hand out a tuple
        or some other sequence that never changes, or a new list for every call.
        """

    @abstractmethod
    def apply(self, move: M) -> None:
        """Play the move, or raise IllegalMove and change nothing.

        Only what `legal` lists is legal: a float, bool or Decimal that equals a listed number is another thing.
        """

    @abstractmethod
    def clone(self) -> Self:
        """An independent copy."""

    @abstractmethod
    def outcome(self) -> Outcome | None:
        """The result; None exactly while the game goes on."""

    @abstractmethod
    def view(self, seat: Seat) -> O_co:
        """All that this seat may know, and nothing else; IndexError if there is no such seat."""


class Game(ABC, Generic[C, M, O]):
    """One game: its facts, its positions, its wire form and its looks in a terminal."""

    info: GameInfo

    @cached_property
    def codec(self) -> "Codec[C, Any, M, O]":
        """Its wire form: the CODEC of the module `codec` beside the game's code, loaded when it is first asked for."""
        from arena.codec import Codec  # noqa: PLC0415  (the facts and the rules of a game are there without protobuf)

        name = f"{package_of(self)}.codec"
        try:
            found = getattr(import_module(name), "CODEC", None)
        except Exception as error:  # whatever a broken module raises
            raise RegistryError(f"{name} cannot be loaded: {type(error).__name__}: {error}") from error
        if not isinstance(found, Codec):
            raise RegistryError(f"{name} must export CODEC, an instance of arena.codec.Codec")
        return found

    @abstractmethod
    def configure(self, seats: int, options: Mapping[str, str]) -> C:
        """The configuration for these seats and options; UsageError if they cannot be."""

    @abstractmethod
    def start(self, config: C, seed: int) -> State[M, O]:
        """The first position; the same config and seed give the same game for ever."""

    @abstractmethod
    def imagine(self, observation: O, rng: Random) -> State[M, O]:
        """A full position drawn at random among those that look like this to that seat.

        The true position is one of these: whatever a position holds, an imagined one holds too.
        """

    @abstractmethod
    def show(self, state: State[M, O]) -> str:
        """The position for a person, in Rich console markup."""

    @abstractmethod
    def describe_move(self, state: State[M, O], move: M, seat: Seat | None = None) -> str:
        """One line, in Rich console markup, that says what this move does in this position.

        It begins with the mover as "seat N". With a seat it says only what that seat gets to know of the move: for all
        but the mover it depends on nothing but what the seat sees before and after it. None is told everything.
        """

    def redact_move(self, state: State[M, O], move: M, seat: Seat) -> M:  # noqa: ARG002
        """The move as this seat sees it when it is played here: with secret choices taken out, if there are any."""
        return move

    def render_observation(self, observation: O) -> str:
        """The position for a person who may know only this, in Rich console markup: what is hidden is drawn as hidden.

        By default an imagined position is drawn; a game with hidden information should override this.
        """
        return self.show(self.imagine(observation, Random(0)))

    def rules(self) -> str:
        """The rules for people: the RULES.md beside the game's code."""
        return _beside(self, "RULES.md").read_text(encoding="utf-8")

    def hints(self) -> str:
        """How a bot may play well, with an example, in Markdown: the HINTS.md beside the game's code, or nothing."""
        page = _beside(self, "HINTS.md")
        return page.read_text(encoding="utf-8").strip() if page.is_file() else ""


def _beside(game: "AnyGame", name: str) -> "Traversable":
    """A file beside the game's code."""
    from importlib import resources  # noqa: PLC0415  (hardly anybody asks, and everybody would wait for it)

    return resources.files(package_of(game)).joinpath(name)


def package_of(game: "AnyGame") -> str:
    """The package of the game's code; a class that changes a game has none of its own."""
    kinds = type(game).mro()
    return kinds[kinds.index(Game) - 1].__module__.rpartition(".")[0]


AnyGame = Game[Any, Any, Any]
AnyState = State[Any, Any]

"""What a person at the table is told and asked, and what an answer means; how it is drawn is decided elsewhere.

He gets the same messages as a bot, so that nothing else can be shown to him: pictures and moves are made from his
observation. Only what has just been done is told by the table, in the words that the game has for his seat.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from rich.text import Text

from arena.game import AnyGame, AnyState, Game, State
from arena.match import Outcome, Seat

QUITS = ("q", "quit", "resign")
COMMANDS = ("rules", "?", "p", *QUITS)
HELP = "a number plays that move; words narrow the list; ? helps; rules shows the rules; q gives up"
MANUAL = (
    "a number and Enter play that move.",
    "words list the moves that have them: Enter plays the only one left.",
    "rules shows the rules of the game; p the position again; q gives up, once you have confirmed it.",
)
_MOVER = re.compile(r"seat \d+( \([^)]*\))?:? ")


class Menu:
    """The legal moves in words, and which of them are meant by what is typed."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = [_without_mover(Text.from_markup(line, emoji=False)) for line in words]
        self._plain = [line.plain.lower() for line in self.words]

    def number(self, typed: str) -> int | None:
        """The move of a number that was typed, from 0."""
        return int(typed) - 1 if typed.isdecimal() and 1 <= int(typed[:9]) <= len(self.words) else None

    def matching(self, typed: str) -> list[int]:
        """The moves that have all these words; a number or a command narrows nothing.

        A number after words that no move has is one of those that the words before it have listed, or begins it.
        """
        typed = typed.strip().lower()
        parts = [] if typed.isdecimal() or typed in COMMANDS else typed.split()
        found = self._having(parts)
        if found or not parts[-1].isdecimal():
            return found
        listed = {str(number + 1): number for number in self._having(parts[:-1])}
        begun = [number for label, number in listed.items() if label.startswith(parts[-1])]
        return [listed[parts[-1]]] if parts[-1] in listed else begun

    def _having(self, parts: Sequence[str]) -> list[int]:
        return [number for number, line in enumerate(self._plain) if all(part in line for part in parts)]


def _without_mover(line: Text) -> Text:
    """Whoever chooses knows who he is."""
    found = _MOVER.match(line.plain)
    return line[found.end() :] if found else line


@dataclass(frozen=True, slots=True)
class Question:
    """What a person is shown and asked when it is his turn; texts are Rich markup."""

    seat: Seat
    picture: str
    menu: Menu
    news: Sequence[str]
    """What was done since he chose last, his own move first."""


class Dialog(Protocol):
    """Shows persons questions and reads what they answer."""

    async def ask(self, question: Question) -> int | None:
        """The number of the chosen move, from 0; None if he gives up."""

    async def hand_over(self, seat: Seat) -> None:
        """Hide what was shown to another person, and wait for this one."""

    def show_end(self, picture: str | None, news: Sequence[str], result: str) -> None:
        """The last position, what led to it, and the result in words."""


def draw(game: AnyGame, observation: Any) -> str:
    """The position as this seat knows it; a game that hides things but has no picture of its own for it is marked."""
    if game.info.hidden and type(game).render_observation is Game.render_observation:
        return f"{game.render_observation(observation)}\n[dim]What you cannot know is made up in this picture.[/dim]"
    return game.render_observation(observation)


def move_words(game: AnyGame, observation: Any, legal: Sequence[Any], seat: Seat) -> list[str]:
    """What each legal move does, in Rich markup, as far as this seat can know it."""
    imagined = game.imagine(observation, Random(0))
    return [game.describe_move(imagined, move, seat) for move in legal]


def result_for_seat(outcome: Outcome, seat: Seat, names: Sequence[str]) -> str:
    """Who has won, as this seat hears it."""
    winners = [other for other, rank in enumerate(outcome.ranks) if rank == 1]
    if not winners:
        return outcome.reason
    if winners == [seat]:
        return f"you win: {outcome.reason}"
    others = " and ".join(names[other] for other in winners if other != seat)
    if seat in winners:
        return f"you and {others} are level: {outcome.reason}"
    return f"{others} {'wins' if len(winners) == 1 else 'are level'}, not you: {outcome.reason}"


# -- the table ----------------------------------------------------------------------------------------------


class NarratedGame(Game[Any, Any, Any]):
    """A game whose moves are told, as they are played, to the persons at the table."""

    def __init__(self, game: AnyGame, persons: Sequence[Seat], names: Sequence[str]) -> None:
        self.info = game.info
        self.codec = game.codec
        self.persons = persons
        self.names = [name if names.count(name) == 1 else f"{name} in seat {seat}" for seat, name in enumerate(names)]
        self.last_asked: Seat | None = None
        self.final: dict[Seat, Any] = {}
        """What each person sees when the game is over."""
        self._news: dict[Seat, list[str]] = {}
        self._game = game

    def take_news(self, seat: Seat) -> list[str]:
        """What this seat was told since it asked last."""
        return self._news.pop(seat, [])

    def note(self, before: AnyState, move: Any, after: AnyState) -> None:
        """Tell every person of a move."""
        for seat in self.persons:
            told = self._with_names(self._game.describe_move(before, move, seat), seat)
            self._news.setdefault(seat, []).append(told)
            if after.to_move() is None:
                self.final[seat] = after.view(seat)

    def _with_names(self, told: str, seat: Seat) -> str:
        def name(found: re.Match[str]) -> str:
            other = int(found[1])
            return f"seat {seat} (you)" if other == seat else self.names[other] if other < len(self.names) else found[0]

        return re.sub(r"\bseat (\d+)", name, told)

    def configure(self, seats: int, options: Mapping[str, str]) -> Any:
        """As the game does."""
        return self._game.configure(seats, options)

    def start(self, config: Any, seed: int) -> AnyState:
        """The first position, whose moves will be told."""
        return NarratedState(self, self._game.start(config, seed))

    def imagine(self, observation: Any, rng: Random) -> AnyState:
        """As the game does."""
        return self._game.imagine(observation, rng)

    def show(self, state: AnyState) -> str:
        """As the game does."""
        return self._game.show(state)

    def describe_move(self, state: AnyState, move: Any, seat: Seat | None = None) -> str:
        """As the game does."""
        return self._game.describe_move(state.true if isinstance(state, NarratedState) else state, move, seat)


class NarratedState(State[Any, Any]):
    """The true position; what is played in it is told once it has proved legal."""

    __slots__ = ("_state", "_table")

    def __init__(self, table: NarratedGame, state: AnyState) -> None:
        self._table = table
        self._state = state

    @property
    def true(self) -> AnyState:
        """The position itself."""
        return self._state

    def to_move(self) -> Seat | None:
        """The seat that decides now."""
        return self._state.to_move()

    def legal(self) -> Sequence[Any]:
        """Every legal move."""
        return self._state.legal()

    def apply(self, move: Any) -> None:
        """Play the move and tell of it."""
        before = self._state.clone()
        self._state.apply(move)
        self._table.note(before, move, self._state)

    def clone(self) -> "NarratedState":
        """An independent copy."""
        return NarratedState(self._table, self._state.clone())

    def outcome(self) -> Outcome | None:
        """The result."""
        return self._state.outcome()

    def view(self, seat: Seat) -> Any:
        """All that this seat may know."""
        return self._state.view(seat)

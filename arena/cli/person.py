"""A person at the table: sees in the terminal what his seat may know, and chooses moves by number or by their words.

He gets the same messages as a bot, so that nothing else can be shown to him: pictures and moves are made from his
observation. Only what others have just done is told by the table, in the words that the game has for his seat.
"""

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from rich.console import Console
from rich.text import Text

from arena.bots.running import AnyCodec, RunningBot
from arena.cli.output import marked
from arena.errors import Disconnected
from arena.game import AnyGame, AnyState, Game, State
from arena.match import Contestant, MatchEnd, MatchStart, Moves, Outcome, Ready, Seat, Turn
from arena.referee.player import STRICT, Answer, Link, ReplyPolicy

PERSON = "human"
"""What a user calls himself where a bot is named."""
MOST_LISTED = 40
"""Moves that are listed at once."""
HELP = "a number plays that move; words narrow the list; Enter lists all moves; p shows the position; q gives up"

News = dict[Seat, list[str]]
"""What each seat was told since it was asked last."""


class PersonBot(RunningBot):
    """Somebody at this terminal; no clock runs for him."""

    def __init__(self, contestant: Contestant, game: AnyGame, table: "NarratedGame", lines: "LineReader") -> None:
        super().__init__(contestant)
        self._game = game
        self._table = table
        self._lines = lines

    async def start(self) -> None:
        """He is there."""

    async def open_match(self, codec: AnyCodec) -> Link:  # noqa: ARG002
        """A link to the terminal."""
        return PersonLink(self._game, self._table, self._lines)

    async def close(self) -> None:
        """Nothing is held."""


class PersonLink:
    """Shows requests in the terminal and reads the replies there."""

    def __init__(self, game: AnyGame, table: "NarratedGame", lines: "LineReader") -> None:
        self._game = game
        self._table = table
        self._lines = lines
        self._seat: Seat = 0

    async def call(self, request: bytes, wait: float, reply_policy: ReplyPolicy = STRICT) -> Answer:  # noqa: ARG002
        """The reply to a request; he may take as long as he likes, and it counts as no time."""
        match self._game.codec.read_request(request):
            case MatchStart() as start:
                self._seat = start.seat
                return self._answer(Ready(wants_legal=True))
            case Turn() as turn:
                return self._answer(Moves(turn.number, (await self._choose(turn),)))
        raise Disconnected("did not understand the request")

    async def wait_frozen(self) -> None:
        """A person is not frozen."""

    async def tell(self, request: bytes) -> None:
        """Show how the match ended."""
        end = self._game.codec.read_request(request)
        if isinstance(end, MatchEnd):
            self._show_news()
            self._table.console.print(f"[bold]The match is over: {marked(end.outcome.reason)}[/bold]\n")

    async def close(self) -> None:
        """Nothing is held."""

    def _answer(self, reply: Ready | Moves[Any]) -> Answer:
        return Answer(self._game.codec.write_reply(reply), 0.0)

    async def _choose(self, turn: Turn[Any, Any]) -> Any:
        """Show the position and ask until a move is chosen."""
        await self._table.hand_over(self._seat, self._lines)
        self._show_news()
        legal = turn.legal or ()
        menu = Menu(self._table.console, move_words(self._game, turn.observation, legal, self._seat))
        picture = draw(self._game, turn.observation)
        self._table.console.print(picture, end="\n\n", soft_wrap=True)
        menu.show()
        while True:
            self._table.console.print(f"[bold]seat {self._seat}, your move[/bold] > ", end="")
            typed = await self._lines.read()
            if typed is None or typed.lower() in ("q", "quit"):
                raise Disconnected("gave up")
            if typed.lower() == "p":
                self._table.console.print(picture, end="\n\n", soft_wrap=True)
            elif (number := menu.choose(typed)) is not None:
                return legal[number]

    def _show_news(self) -> None:
        for line in self._table.news.pop(self._seat, []):
            self._table.console.print(f"  {line}", soft_wrap=True)
        self._table.console.print()


def draw(game: AnyGame, observation: Any) -> str:
    """The position as this seat knows it; a game that hides things but has no picture of its own for it is marked."""
    if game.info.hidden and type(game).render_observation is Game.render_observation:
        return f"{game.render_observation(observation)}\n[dim]What you cannot know is made up in this picture.[/dim]"
    return game.render_observation(observation)


def move_words(game: AnyGame, observation: Any, legal: Sequence[Any], seat: Seat) -> list[str]:
    """What each legal move does, in Rich markup, as far as this seat can know it."""
    imagined = game.imagine(observation, Random(0))
    return [game.describe_move(imagined, move, seat) for move in legal]


class Menu:
    """The legal moves in words, narrowed by what is typed."""

    def __init__(self, console: Console, words: Sequence[str]) -> None:
        self._console = console
        self._words = words
        self._plain = [Text.from_markup(line).plain.lower() for line in words]
        self._found = list(range(len(words)))

    def show(self) -> None:
        """List the moves that are left, and what can be typed."""
        for number in self._found[:MOST_LISTED]:
            self._console.print(f"{number + 1:>4}  {self._words[number]}", soft_wrap=True)
        if (more := len(self._found) - MOST_LISTED) > 0:
            self._console.print(f"      … and {more} more: type some of their words to narrow the list")
        self._console.print(f"[dim]{HELP}[/dim]", soft_wrap=True)

    def choose(self, typed: str) -> int | None:
        """The number of the chosen move, from 0; None if the choice is still open."""
        if typed.isdecimal() and 1 <= int(typed[:9]) <= len(self._words):
            return int(typed) - 1
        if not typed and len(self._found) == 1:
            return self._found[0]
        self._narrow(typed.lower().split())
        return None

    def _narrow(self, parts: Sequence[str]) -> None:
        found = [number for number, line in enumerate(self._plain) if all(part in line for part in parts)]
        if not found:
            self._console.print("no move has these words", markup=False)
            return
        self._found = found
        self.show()
        if len(found) == 1 and parts:
            self._console.print("Enter plays it")


class LineReader:
    """Reads lines from standard input without holding up what else goes on."""

    def __init__(self) -> None:
        self._kept = b""
        self._ended = False

    async def read(self) -> str | None:
        """The next line without its end; None when there are no more."""
        while b"\n" not in self._kept and not self._ended:
            data = await self._wait()
            self._ended = not data
            self._kept += data
        if not self._kept:
            return None
        line, _, self._kept = self._kept.partition(b"\n")
        return line.decode(errors="replace").strip()

    async def _wait(self) -> bytes:
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        try:
            descriptor = sys.stdin.fileno()
            loop.add_reader(descriptor, ready.set)
        except (OSError, ValueError):  # a plain file is always ready, and what replaces the input has no descriptor
            return sys.stdin.readline().encode()
        try:
            await ready.wait()
            return os.read(descriptor, 4096)
        finally:
            loop.remove_reader(descriptor)


# -- the table ----------------------------------------------------------------------------------------------


class NarratedGame(Game[Any, Any, Any]):
    """A game whose moves are told, as they are played, to the persons at the table."""

    def __init__(self, game: AnyGame, persons: Sequence[Seat], console: Console) -> None:
        self.info = game.info
        self.codec = game.codec
        self.console = console
        self.persons = persons
        self.news: News = {}
        self._game = game
        self._asked: Seat | None = None

    def note(self, before: AnyState, move: Any, mover: Seat | None) -> None:
        """Tell every person of a move of somebody else."""
        for seat in self.persons:
            if seat != mover:
                self.news.setdefault(seat, []).append(self._game.describe_move(before, move, seat))

    async def hand_over(self, seat: Seat, lines: LineReader) -> None:
        """Where several persons share the terminal, nobody shall see what was on it for another."""
        if len(self.persons) > 1 and self._asked != seat:
            self.console.clear()
            self.console.print(f"[bold]seat {seat}: press Enter when you are at the keyboard[/bold]")
            await lines.read()
        self._asked = seat

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
        return self._game.describe_move(state, move, seat)


class NarratedState(State[Any, Any]):
    """The true position; what is played in it is told once it has proved legal."""

    __slots__ = ("_state", "_table")

    def __init__(self, table: NarratedGame, state: AnyState) -> None:
        self._table = table
        self._state = state

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
        self._table.note(before, move, before.to_move())

    def clone(self) -> "NarratedState":
        """An independent copy."""
        return NarratedState(self._table, self._state.clone())

    def outcome(self) -> Outcome | None:
        """The result."""
        return self._state.outcome()

    def view(self, seat: Seat) -> Any:
        """All that this seat may know."""
        return self._state.view(seat)

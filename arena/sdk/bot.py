"""A bot is a class with `choose`; a session turns the referee's requests into calls of it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from arena import match
from arena.game import Game
from arena.match import MatchEnd, MatchStart, Moves, Ready
from arena.sdk.turn import Turn

C = TypeVar("C")
M = TypeVar("M")
O = TypeVar("O")


class Bot(ABC, Generic[M, O]):
    """Chooses moves; one object plays one match at a time."""

    wants_legal = True
    """Whether every turn shall list the legal moves."""

    def begin(self, start: MatchStart[Any]) -> None:
        """Get ready for a match; the clock does not run yet."""

    @abstractmethod
    def choose(self, turn: Turn[M, O]) -> M:
        """The move for this turn."""

    def choose_several(self, turn: Turn[M, O]) -> Sequence[M]:
        """The moves for this turn, if the bot wants to send several in a row."""
        return (self.choose(turn),)

    def end(self, end: MatchEnd) -> None:
        """The match is over."""


class Session(Generic[C, M, O]):
    """Answers the requests of one match with a bot."""

    def __init__(self, game: Game[C, M, O], bot: Bot[M, O]) -> None:
        self._game, self._codec = game, game.codec
        self._bot = bot

    def handle(self, data: bytes) -> bytes | None:
        """The reply to one request; None if it has none."""
        match self._codec.read_request(data):
            case MatchStart() as start:
                self._bot.begin(start)
                return self._codec.write_reply(Ready(self._bot.wants_legal))
            case match.Turn() as turn:
                moves = tuple(self._bot.choose_several(Turn.of(self._game, turn)))
                if None in moves:
                    raise TypeError("choose returned None instead of a move: is there a `return` in every case?")
                return self._codec.write_reply(Moves(turn.number, moves))
            case MatchEnd() as end:
                self._bot.end(end)
        return None

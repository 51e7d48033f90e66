"""A bot in its seat: the link that carries bytes, the codec that reads them, the clock that runs meanwhile."""

from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from arena.clock import Clock, TimeControl
from arena.codec import Codec
from arena.errors import BadMessage, StartFailed, TimedOut
from arena.game import State
from arena.match import MatchEnd, MatchStart, Moves, Ready, Seat, Turn

C = TypeVar("C")
M = TypeVar("M")
O = TypeVar("O")

READY_WAIT = 10.0
"""Seconds that a bot may take to answer the start of a match, outside its clock."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back over a link, and how long it took."""

    reply: bytes
    wall: float
    """Seconds from the request's last byte to the reply's last byte."""


class Link(Protocol):
    """A connected bot: it moves bytes and knows nothing of games or clocks."""

    async def call(self, request: bytes, wait: float) -> Answer:
        """Send a request and wait this many seconds for its reply; TimedOut if none came."""
        ...

    async def tell(self, request: bytes) -> None:
        """Send a request that has no reply."""
        ...

    async def close(self) -> None:
        """Let go of the bot; calling it again does nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Decision(Generic[M]):
    """The moves of one reply and its time in seconds."""

    moves: tuple[M, ...]
    wall: float
    charged: float


class Player(Generic[C, M, O]):
    """Plays one seat of one match through a link."""

    def __init__(self, codec: Codec[C, Any, M, O], link: Link, control: TimeControl) -> None:
        self.codec = codec
        self.link = link
        self.clock = Clock(control)
        self._turn = 0
        self._wants_legal = False

    async def begin(self, start: MatchStart[C]) -> None:
        """Tell the bot of the match and wait, outside its clock, until it is ready."""
        try:
            answer = await self.link.call(self.codec.write_start(start), READY_WAIT)
        except TimedOut as late:
            raise StartFailed(f"did not answer the start of the match within {READY_WAIT:g} s") from late
        reply = self.codec.read_reply(answer.reply)
        if not isinstance(reply, Ready):
            raise BadMessage("answered the start of the match with something else than `ready`")
        self._wants_legal = reply.wants_legal

    async def decide(self, state: State[M, O], seat: Seat) -> Decision[M]:
        """Ask for the next moves and charge the clock for them."""
        self._turn += 1
        legal = tuple(state.legal()) if self._wants_legal else None
        turn = Turn(self._turn, state.view(seat), legal, self.clock.available(), self.clock.bank)
        answer = await self.link.call(self.codec.write_turn(turn), self.clock.deadline())
        charged = self.clock.charged(answer.wall)
        if not self.clock.charge(answer.wall):
            raise TimedOut(f"took {charged:.3f} s on turn {turn.number} and had {turn.available:.3f} s")
        return Decision(self._read_moves(answer.reply), answer.wall, charged)

    async def end(self, end: MatchEnd) -> None:
        """Tell the bot how the match ended."""
        await self.link.tell(self.codec.write_end(end))

    def _read_moves(self, data: bytes) -> tuple[M, ...]:
        reply = self.codec.read_reply(data)
        if not isinstance(reply, Moves):
            raise BadMessage(f"answered turn {self._turn} with something else than `moves`")
        if reply.turn != self._turn:
            raise BadMessage(f"answered turn {reply.turn} when turn {self._turn} was asked")
        if not reply.moves:
            raise BadMessage(f"answered turn {self._turn} without a move")
        return reply.moves

"""A player: one bot in one seat of a match, asked over a link through the game's codec and charged by its clock."""

import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from arena.clock import Clock, TimeControl
from arena.codec import Codec
from arena.errors import BadMessage, BotFault, StartFailed, TimedOut
from arena.game import State
from arena.match import NO_TIMES, MatchEnd, MatchStart, Moves, Ready, Seat, Times, Turn
from arena.referee.heartbeat import STEADY, Heartbeat

C = TypeVar("C")
M = TypeVar("M")
O = TypeVar("O")

OUTPUT_BLOCKED = "; its output was blocked, since it printed faster than it is read"
"""Appended to the reason of a timeout."""
READY_WAIT = 10.0
"""Seconds that a bot may take to answer the start of a match, outside its clock."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back over a link, and how long it took."""

    reply: bytes
    wall: float
    """Seconds from the request's last byte to the reply's last byte."""
    transport: float = 0.0
    """Seconds of the call beyond those: what our own side took to carry the bytes."""
    cpu: float = 0.0
    """Processor seconds of the bot meanwhile, where they can be measured."""
    lag: float = 0.0
    """Seconds of `wall` in which the referee's own machine stood still, through no doing of this bot."""
    output_blocked: bool = False
    """Whether the bot had to wait meanwhile, because it printed faster than its output is read."""


@dataclass(frozen=True, slots=True)
class ReplyPolicy:
    """What is forgiven while a bot is asked: replies to earlier requests, and our own stalls."""

    drop_late: Callable[[bytes], bool]
    """True if this answers a turn we gave up on; each such reply is dropped once."""
    heartbeat: Heartbeat
    """Knows how long our own machine stood still: the wait is prolonged by as much."""


STRICT = ReplyPolicy(lambda _: False, STEADY)


class Link(Protocol):
    """The transport to a connected bot: carries bytes, and knows nothing of games or clocks."""

    async def call(self, request: bytes, wait: float, reply_policy: ReplyPolicy = STRICT) -> Answer:
        """Send a request and wait this many seconds, and those of our own lag, for its reply; TimedOut if none came."""
        ...

    async def wait_frozen(self) -> None:
        """Wait until the bot stands still after its reply; only a bot that is frozen while it is not asked does."""
        return  # links to bots that are never frozen inherit this

    async def tell(self, request: bytes) -> None:
        """Send a request that has no reply."""
        ...

    async def close(self) -> None:
        """End the match's stream; calling it again does nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Decision(Generic[M]):
    """The moves of one reply, and where its time went."""

    moves: tuple[M, ...]
    times: Times
    turn: int = 0
    """The number of the turn that it answers."""


class Player(Generic[C, M, O]):
    """Plays one seat of one match through a link."""

    def __init__(
        self,
        codec: Codec[C, Any, M, O],
        link: Link,
        control: TimeControl,
        *,
        now: Callable[[], float] = time.monotonic,
        heartbeat: Heartbeat = STEADY,
    ) -> None:
        self.codec = codec
        self.link = link
        self.clock = Clock(control)
        self._now = now
        self._reply_policy = ReplyPolicy(self._drop_late, heartbeat)
        self.turn = 0
        """The number of the turn that was asked last."""
        self.times = NO_TIMES
        """Where the time of its reply went; nothing if there was none in time."""
        self._missed: set[int] = set()
        """Turns whose replies were given up and may still come."""
        self._wants_legal = False

    async def begin(self, start: MatchStart[C]) -> None:
        """Tell the bot of the match and wait, outside its clock, until it is ready."""
        try:
            answer = await self.link.call(self.codec.write_start(start), READY_WAIT, self._reply_policy)
        except TimedOut as late:
            raise StartFailed(f"did not answer the start of the match within {READY_WAIT:g} s") from late
        reply = self.codec.read_reply(answer.reply)
        if not isinstance(reply, Ready):
            raise BadMessage("answered the start of the match with something other than `ready`")
        self._wants_legal = reply.wants_legal

    async def decide(self, state: State[M, O], seat: Seat, before_asking: Callable[[], Awaitable[None]]) -> Decision[M]:
        """Ask for the next moves and charge the clock for them.

        `before_asking` is awaited once the request is ready, before the clock starts.
        """
        started = self._now()
        self.turn += 1
        self.times = NO_TIMES
        legal = tuple(state.legal()) if self._wants_legal else None
        turn = Turn(self.turn, state.view(seat), legal, self.clock.available(), self.clock.bank)
        request = self.codec.write_turn(turn)
        asked = self._now()
        await before_asking()
        try:
            answer = await self._ask(request)
            charged = self._charge(answer)
        except TimedOut as late:
            self.clock.miss()
            had = f"the {turn.available:.3f} s that it had"
            raise TimedOut(f"did not answer turn {turn.number} within {had} ({late})") from late
        self.times = _times(answer, charged, asked - started)  # if it cannot be read, it was charged all the same
        answered = self._now()
        moves = self._read_moves(answer.reply)
        ours = asked - started + self._now() - answered
        self.times = _times(answer, charged, ours)
        return Decision(moves, self.times, self.turn)

    async def wait_frozen(self) -> None:
        """Wait until the bot stands still."""
        await self.link.wait_frozen()

    async def leave(self) -> None:
        """End the bot's stream in the middle of the match; that it does not answer any more is of no interest."""
        with suppress(BotFault):
            await self.link.close()

    async def end(self, end: MatchEnd) -> None:
        """Tell the bot how the match ended."""
        await self.link.tell(self.codec.write_end(end))

    async def _ask(self, request: bytes) -> Answer:
        try:
            return await self.link.call(request, self.clock.deadline(), self._reply_policy)
        except TimedOut:
            self._missed.add(self.turn)
            raise

    def _charge(self, answer: Answer) -> float:
        """Charge the clock; the seconds that it was charged with."""
        spent, excused = self.clock.charged(answer.wall, answer.cpu), self.clock.excused
        if not self.clock.charge(answer.wall, answer.cpu, answer.lag):
            raise TimedOut(f"it took {spent:.3f} s" + (OUTPUT_BLOCKED if answer.output_blocked else ""))
        return spent - (self.clock.excused - excused)

    def _drop_late(self, data: bytes) -> bool:
        """True if this answers a turn that was given up, which is forgotten with it."""
        if not self._missed:
            return False
        try:
            reply = self.codec.read_reply(data)
        except BadMessage:
            return False  # it is then taken for the reply, whose reader says what is wrong with it
        if not isinstance(reply, Moves) or reply.turn not in self._missed:
            return False
        self._missed.discard(reply.turn)
        return True

    def _read_moves(self, data: bytes) -> tuple[M, ...]:
        reply = self.codec.read_reply(data)
        if not isinstance(reply, Moves):
            raise BadMessage(f"answered turn {self.turn} with something other than `moves`")
        if reply.turn != self.turn:
            raise BadMessage(f"answered turn {reply.turn} when turn {self.turn} was asked")
        if not reply.moves:
            raise BadMessage(f"answered turn {self.turn} without a move")
        return reply.moves


def _times(answer: Answer, charged: float, ours: float) -> Times:
    seconds = (answer.wall, charged, answer.cpu, answer.transport, ours, answer.lag)
    return Times(*[round(max(0.0, part) * 1e6) for part in seconds])

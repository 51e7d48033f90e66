"""Running bots: started in their sandboxes, and kept running from match to match."""

import asyncio
import errno
import socket
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from arena.codec import Codec
from arena.errors import BotFault, Disconnected, InfraError, StartFailed, TimedOut
from arena.links.connection import BotConnection, Connect
from arena.links.local import LocalLink
from arena.match import Contestant, SandboxReport
from arena.referee.enforcement import NOT_RESTARTED, UNCONFIRMED
from arena.referee.player import OUTPUT_BLOCKED, STRICT, Answer, Link, ReplyPolicy
from arena.sandboxes.base import Sandbox
from arena.sandboxes.endpoint import Endpoint

AnyCodec = Codec[Any, Any, Any, Any]
T = TypeVar("T")

DEATH_WAIT = 2.0
"""Seconds to wait for the exit of a bot that closed its connection: its exit explains more than the disconnect.

A sandbox full of files takes the kernel a second to take down."""
UNHELD = SandboxReport("none", {"cputime": "none", "restart": NOT_RESTARTED})
"""Of a bot that is not ours to start: what it has seen it may remember, and a clock of `cpu:` charges it nothing."""
FROZEN_CPU_S = 0.005
"""Processor seconds of a frozen bot that are within the error of their measurement."""


class RunningBot(ABC):
    """A bot that can be started, asked to play, and closed."""

    def __init__(self, contestant: Contestant) -> None:
        self.contestant = contestant

    @abstractmethod
    async def start(self) -> None:
        """Start it and wait until it is ready; StartFailed if it does not get ready."""

    @abstractmethod
    async def open_match(self, codec: AnyCodec) -> Link:
        """A link for one match."""

    @abstractmethod
    async def close(self) -> None:
        """End it; may be called at any time and any number of times."""

    async def dismiss(self) -> None:
        """End it in the middle of a match, and keep what it printed."""
        await self.close()

    async def pause(self) -> None:  # noqa: B027  (what has no sandbox cannot be frozen)
        """Freeze it until it is asked again, where that is possible, and wait until it stands still."""

    def sandbox_report(self) -> SandboxReport:
        return SandboxReport("none", {})

    def log(self) -> str:
        """The newest of its output, as far as it is known."""
        return ""

    async def read_log(self) -> str:
        """The newest of its output, up to this moment."""
        return self.log()

    async def read_outputs(self) -> list[str]:
        """What it printed in each turn of its latest match, where that is known: first before turn 1, then by turn."""
        return []


class LocalBot(RunningBot):
    """A player inside this process."""

    def __init__(self, contestant: Contestant, session: Callable[[], Callable[[bytes], bytes | None]]) -> None:
        super().__init__(contestant)
        self._session = session

    async def start(self) -> None:
        """It is always ready."""

    async def open_match(self, codec: AnyCodec) -> Link:  # noqa: ARG002
        """A link to a new session."""
        return LocalLink(self._session(), time.monotonic)

    async def close(self) -> None:
        """Nothing is held."""

    def sandbox_report(self) -> SandboxReport:
        """It is part of the referee."""
        return SandboxReport("in-process", {})


class RemoteBot(RunningBot):
    """A bot that somebody else has started, reached over TCP, without a sandbox."""

    def __init__(self, contestant: Contestant, connect: Connect, start_s: float) -> None:
        super().__init__(contestant)
        self._connect = connect
        self._start_s = start_s
        self._connection: BotConnection | None = None

    async def start(self) -> None:
        """Connect and wait until it is ready."""
        self._connection = await BotConnection.open(self._connect, self._start_s)

    async def open_match(self, codec: AnyCodec) -> Link:
        """A stream of its own for the match."""
        if self._connection is None:
            raise StartFailed("is not connected")
        return await self._connection.open_match(codec)

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.close()
            self._connection = None

    def sandbox_report(self) -> SandboxReport:
        """Nothing holds it, and it cannot be started anew."""
        return UNHELD


class SandboxedBot(RunningBot):
    """A bot in a sandbox."""

    def __init__(self, contestant: Contestant, sandbox: Sandbox, *, ponder: bool) -> None:
        super().__init__(contestant)
        self._sandbox = sandbox
        self._ponder = ponder
        self._connection: BotConnection | None = None
        self._cpu_answered = self._cpu_frozen = 0.0
        """Processor seconds that it had used at its latest answer, and when it stood still after it."""
        self._paused = self._coming_to_rest = False
        self._freezes = self._missed = 0
        self._marks: list[float] | None = None
        """Where its output was whenever it was asked in its latest match; None before its first."""
        self._last_words: list[str] | None = None
        """What it printed by turn, if it was dismissed."""

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox itself, to measure and to kill."""
        return self._sandbox

    async def start(self) -> None:
        """Launch it under its limits and wait until it is ready."""
        try:
            await self._sandbox.__aenter__()
            endpoint = await self._sandbox.start()
            opening = BotConnection.open(partial(self._connect, endpoint), self._sandbox.start_deadline())
            connection, death = await connect_or_end(opening, self._sandbox.wait())
            if connection is None:
                sentence = death.sentence if death else "the referee ended it"
                raise StartFailed(f"ended before it was ready: {sentence}")
            self._connection = connection
        except BaseException:
            with suppress(InfraError):  # why it did not start stands; who closes it again hears of this
                await self.close()
            raise

    def _connect(self, endpoint: Endpoint) -> socket.socket:
        """Connect, for the first time or again, only to a bot that still is the process that was started."""
        if self._sandbox.death() is not None:
            raise ConnectionRefusedError(errno.ECONNREFUSED, "its process has ended")
        return endpoint.connect_once()

    async def open_match(self, codec: AnyCodec) -> Link:
        """A stream of its own for the match, watched by the sandbox."""
        if self._connection is None:
            raise StartFailed("is not running")
        try:
            link = await self._connection.open_match(codec)
        except BotFault as fault:
            raise await self.refine(fault) from fault
        self._freezes = self._missed = 0
        # What it printed while it started goes with its first match.
        self._marks = [0.0] if self._marks is None else [self._sandbox.mark()]
        return SandboxedLink(link, self)

    def mark_output(self) -> None:
        """Note where its output is before it is asked."""
        if self._marks is not None:
            self._marks.append(self._sandbox.mark())

    async def pause(self) -> None:
        """Freeze it, unless it may ponder, and wait until it stands still."""
        await self.begin_pause()
        await self.wait_frozen()

    async def begin_pause(self) -> float:
        """Begin to freeze it, unless it may ponder; the processor seconds that it has used so far."""
        if not self._ponder and self._connection is not None:
            await self._sandbox.begin_freeze()
            self._paused = self._coming_to_rest = True
        self._cpu_answered = self._sandbox.cpu_time()
        return self._cpu_answered

    async def wait_frozen(self) -> None:
        """Wait until it stands still, if it is being frozen.

        A freeze that is not confirmed is counted, and stands in the record of the match.
        """
        if self._coming_to_rest:
            self._coming_to_rest = False
            self._freezes += 1
            self._missed += not await self._sandbox.freeze()
            self._cpu_frozen = self._sandbox.cpu_time()

    async def resume(self) -> float:
        """Thaw it; the processor seconds from which its next answer counts.

        What it did between its latest answer and its freeze is its own time too.
        """
        if not self._paused:
            return self._sandbox.cpu_time()
        # A freeze is believed only if the bot did no work since.
        if not self._coming_to_rest:
            self._missed += self._sandbox.cpu_time() - self._cpu_frozen > FROZEN_CPU_S
        await self._sandbox.thaw()
        self._paused = self._coming_to_rest = False
        return self._cpu_answered

    async def refine(self, fault: BotFault) -> BotFault:
        """The fault of a bot whose process ended in the place of a lost connection or a timeout."""
        if not isinstance(fault, Disconnected | StartFailed | TimedOut):
            return fault
        death = self._sandbox.death()
        if death is None and not isinstance(fault, TimedOut):
            death = await self._sandbox.wait_for_exit(DEATH_WAIT)
        return fault if death is None or death.by_referee else death.fault()

    async def close(self) -> None:
        """Close the connection, kill everything that runs in the sandbox, and remove the sandbox."""
        connection, self._connection = self._connection, None
        try:
            if connection is not None:
                await connection.close()
        finally:
            await self._sandbox.kill()

    async def dismiss(self) -> None:
        """End it in the middle of a match; what it printed is read first, since some sandboxes take it with them."""
        try:
            await self.read_log()
            self._last_words = await self.read_outputs()
        finally:
            await self.close()

    def sandbox_report(self) -> SandboxReport:
        """The limits as they were read back, and whether it was frozen as it should be in its latest match."""
        enforcement = dict(self._sandbox.enforcement())
        if self._missed:
            enforcement |= {"freeze": UNCONFIRMED, "unfrozen": f"{self._missed} of {self._freezes} times"}
        return SandboxReport(enforcement.pop("sandbox", "unknown"), enforcement)

    def log(self) -> str:
        """The newest of its output, escaped."""
        return self._sandbox.log()

    async def read_log(self) -> str:
        """The newest of its output, which some sandboxes must ask for."""
        await self._sandbox.read_log()
        return self._sandbox.log()

    async def read_outputs(self) -> list[str]:
        """What it printed in each turn of its latest match; after `read_log`."""
        if self._last_words is not None:
            return self._last_words
        outputs = await self._sandbox.read_outputs(self._marks or ())
        # It was first asked whether it is ready, which is no turn.
        return ["".join(outputs[:2]), *outputs[2:]]


class SandboxedLink:
    """A link that freezes its bot while it is not asked, and counts the processor time of each answer."""

    def __init__(self, link: Link, bot: SandboxedBot) -> None:
        self._link = link
        self._bot = bot

    async def call(self, request: bytes, wait: float, reply_policy: ReplyPolicy = STRICT) -> Answer:
        """Thaw the bot, ask it, and begin to freeze it again; `wait_frozen` waits until it stands still."""
        self._bot.mark_output()
        before, stalls = await self._bot.resume(), self._bot.sandbox.output_stalls()
        try:
            answer = await self._link.call(request, wait, reply_policy)
        except TimedOut as late:
            reason = f"{late}{OUTPUT_BLOCKED}" if self._bot.sandbox.output_stalls() > stalls else str(late)
            raise await self._bot.refine(TimedOut(reason)) from late
        except BotFault as fault:
            raise await self._bot.refine(fault) from fault
        finally:
            spent = await self._bot.begin_pause() - before
        blocked = self._bot.sandbox.output_stalls() > stalls
        return Answer(answer.reply, answer.wall, answer.transport, spent, answer.lag, blocked)

    async def wait_frozen(self) -> None:
        """Wait until the bot stands still."""
        await self._bot.wait_frozen()

    async def tell(self, request: bytes) -> None:
        """Thaw the bot and let it read; the match is over, so it is not frozen again."""
        await self._bot.resume()
        await self._link.tell(request)

    async def close(self) -> None:
        """End the stream, with the bot awake to see it."""
        await self._bot.resume()
        await self._link.close()


async def connect_or_end(
    opening: Coroutine[Any, Any, BotConnection], ending: Coroutine[Any, Any, T]
) -> tuple[BotConnection | None, T | None]:
    """Race the connection against the end of the process: the winner's result; the other one is cancelled."""
    connect, end = asyncio.create_task(opening), asyncio.create_task(ending)
    try:
        await asyncio.wait({connect, end}, return_when=asyncio.FIRST_COMPLETED)
        return (connect.result(), None) if connect.done() else (None, end.result())
    except BaseException:
        if connect.done() and not connect.cancelled() and connect.exception() is None:
            await connect.result().close()
        raise
    finally:
        connect.cancel()
        end.cancel()
        await asyncio.gather(connect, end, return_exceptions=True)


async def close_all(bots: Iterable[RunningBot]) -> None:
    """Close all bots at once; if some cannot be closed, the others still are, and the first failure is raised."""
    ends = await asyncio.gather(*(bot.close() for bot in bots), return_exceptions=True)
    for end in ends:
        if end is not None:
            raise end

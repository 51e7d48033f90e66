"""Running bots: started in their sandboxes, and kept running from match to match."""

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from arena.codec import Codec
from arena.errors import BotFault, Disconnected, StartFailed, TimedOut
from arena.links.connection import BotConnection, Connect
from arena.links.local import LocalLink
from arena.match import Contestant, SandboxReport
from arena.play.player import STRICT, Answer, Leniency, Link
from arena.sandboxes.base import Sandbox

AnyCodec = Codec[Any, Any, Any, Any]
T = TypeVar("T")

DEATH_WAIT = 2.0
"""Seconds to wait for the exit of a bot that closed its connection: its exit explains more than the disconnect.

A sandbox full of files takes the kernel a second to take down."""
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

    async def pause(self) -> float:
        """Freeze it until it is asked again, where that is possible; its processor seconds so far."""
        return 0.0

    def sandbox_report(self) -> SandboxReport:
        """What holds it."""
        return SandboxReport("none", {})

    def log(self) -> str:
        """The newest of its output, as far as it is known."""
        return ""

    async def read_log(self) -> str:
        """The newest of its output, up to this moment."""
        return self.log()


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
        """Close the connection."""
        if self._connection is not None:
            await self._connection.close()
            self._connection = None


class SandboxedBot(RunningBot):
    """A bot in a sandbox."""

    def __init__(self, contestant: Contestant, sandbox: Sandbox, *, start_s: float, ponder: bool) -> None:
        super().__init__(contestant)
        self._sandbox = sandbox
        self._start_s = start_s
        self._ponder = ponder
        self._connection: BotConnection | None = None
        self._cpu_used = 0.0
        self._paused = False
        self._freezes = self._missed = 0

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox itself, to measure and to kill."""
        return self._sandbox

    async def start(self) -> None:
        """Launch it under its limits and wait until it is ready."""
        started = time.monotonic()
        try:
            await self._sandbox.__aenter__()
            endpoint = await self._sandbox.start()
            left = max(0.1, self._start_s - (time.monotonic() - started))
            opening = BotConnection.open(endpoint.connect_once, left)
            connection, death = await connect_or_end(opening, self._sandbox.wait())
            if connection is None:
                sentence = death.sentence if death else "the referee ended it"
                raise StartFailed(f"ended before it was ready: {sentence}")
            self._connection = connection
        except BaseException:
            await self.close()
            raise

    async def open_match(self, codec: AnyCodec) -> Link:
        """A stream of its own for the match, watched by the sandbox."""
        if self._connection is None:
            raise StartFailed("is not running")
        try:
            link = await self._connection.open_match(codec)
        except BotFault as fault:
            raise await self.refine(fault) from fault
        self._freezes = self._missed = 0
        return SandboxedLink(link, self)

    async def pause(self) -> float:
        """Freeze it, unless it may ponder; the processor seconds that it has used so far.

        A freeze that is not confirmed is counted, and stands in the record of the match.
        """
        if not self._ponder and self._connection is not None:
            self._freezes += 1
            self._missed += not await self._sandbox.freeze()
            self._paused = True
        self._cpu_used = self._sandbox.cpu_time()
        return self._cpu_used

    async def resume(self) -> float:
        """Thaw it; the processor seconds that it has used so far."""
        used = self._sandbox.cpu_time()
        if self._paused:
            # A freeze is believed only if the bot did no work since.
            self._missed += used - self._cpu_used > FROZEN_CPU_S
            await self._sandbox.thaw()
            self._paused = False
        return used

    async def refine(self, fault: BotFault) -> BotFault:
        """The fault of a bot whose process ended in the place of a lost connection or a timeout."""
        if not isinstance(fault, Disconnected | StartFailed | TimedOut):
            return fault
        with suppress(TimeoutError):
            death = self._sandbox.death()
            if death is None and not isinstance(fault, TimedOut):
                death = await asyncio.wait_for(self._sandbox.wait(), DEATH_WAIT)
            if death is not None and not death.by_referee:
                return death.fault()
        return fault

    async def close(self) -> None:
        """Close the connection, kill everything that runs in the sandbox, and remove the sandbox."""
        connection, self._connection = self._connection, None
        try:
            if connection is not None:
                await connection.close()
        finally:
            await self._sandbox.kill()

    def sandbox_report(self) -> SandboxReport:
        """The limits as they were read back, and whether it was frozen as it should be in its latest match."""
        enforcement = dict(self._sandbox.enforcement())
        if self._missed:
            enforcement |= {"freeze": "unconfirmed", "unfrozen": f"{self._missed} of {self._freezes} times"}
        return SandboxReport(enforcement.pop("sandbox", "unknown"), enforcement)

    def log(self) -> str:
        """The newest of its output, escaped."""
        return self._sandbox.log()

    async def read_log(self) -> str:
        """The newest of its output, which some sandboxes must ask for."""
        await self._sandbox.read_log()
        return self._sandbox.log()


class SandboxedLink:
    """A link that freezes its bot while it is not asked, and counts the processor time of each answer."""

    def __init__(self, link: Link, bot: SandboxedBot) -> None:
        self._link = link
        self._bot = bot

    async def call(self, request: bytes, wait: float, leniency: Leniency = STRICT) -> Answer:
        """Thaw the bot, ask it, and freeze it again."""
        before = await self._bot.resume()
        try:
            answer = await self._link.call(request, wait, leniency)
        except BotFault as fault:
            raise await self._bot.refine(fault) from fault
        finally:
            # Read after the freeze: what the bot does between its answer and its freeze is its own time too.
            spent = await self._bot.pause() - before
        return replace(answer, cpu=spent)

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

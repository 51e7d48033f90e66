"""Bots that run: started in their boxes, ready, and kept warm from match to match."""

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from arena.codec import Codec
from arena.errors import BotFault, Disconnected, StartFailed, TimedOut
from arena.links.connection import BotConnection, Connect
from arena.links.local import LocalLink
from arena.match import Box, Contestant
from arena.player import STRICT, Answer, Leniency, Link
from arena.sandboxes.base import Death, Sandbox

AnyCodec = Codec[Any, Any, Any, Any]

DEATH_WAIT = 2.0
"""Seconds in which a bot that hung up may turn out to have died: its end is a better verdict than the hang-up.

A box full of files takes the kernel a second to take down."""


class RunningBot(ABC):
    """A bot that can be asked to play; use it as an async context."""

    def __init__(self, contestant: Contestant) -> None:
        self.contestant = contestant

    @abstractmethod
    async def start(self) -> None:
        """Get it ready; StartFailed if it does not."""

    @abstractmethod
    async def open_match(self, codec: AnyCodec) -> Link:
        """A link for one match."""

    @abstractmethod
    async def close(self) -> None:
        """End it; may be called at any time and any number of times."""

    def box(self) -> Box:
        """What holds it."""
        return Box("none", {})

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

    def box(self) -> Box:
        """It is part of the referee."""
        return Box("in-process", {})


class RemoteBot(RunningBot):
    """A bot that somebody else has started; nothing holds it."""

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
        """Hang up."""
        if self._connection is not None:
            await self._connection.close()
            self._connection = None


class BoxedBot(RunningBot):
    """A bot in a sandbox."""

    def __init__(self, contestant: Contestant, sandbox: Sandbox, *, start_s: float, ponder: bool) -> None:
        super().__init__(contestant)
        self._sandbox = sandbox
        self._start_s = start_s
        self._ponder = ponder
        self._connection: BotConnection | None = None

    @property
    def sandbox(self) -> Sandbox:
        """The box itself, to measure and to kill."""
        return self._sandbox

    async def start(self) -> None:
        """Launch it under its limits and wait until it is ready."""
        started = time.monotonic()
        try:
            await self._sandbox.__aenter__()
            endpoint = await self._sandbox.start()
            left = max(0.1, self._start_s - (time.monotonic() - started))
            opening = asyncio.ensure_future(BotConnection.open(endpoint.connect_once, left))
            dying = asyncio.ensure_future(self._sandbox.wait())
            await asyncio.wait({opening, dying}, return_when=asyncio.FIRST_COMPLETED)
            self._connection = await self._first(opening, dying)
        except BaseException:
            await self.close()
            raise

    async def open_match(self, codec: AnyCodec) -> Link:
        """A stream of its own for the match, watched by the box."""
        if self._connection is None:
            raise StartFailed("is not running")
        try:
            link = await self._connection.open_match(codec)
        except BotFault as fault:
            raise await self.refine(fault) from fault
        return BoxedLink(link, self, freezing=not self._ponder)

    async def refine(self, fault: BotFault) -> BotFault:
        """The better reason for a lost connection, if the bot turns out to be dead."""
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
        """Hang up, kill everything that runs in the box, and remove the box."""
        if self._connection is not None:
            connection, self._connection = self._connection, None
            await connection.close()
        await self._sandbox.kill()

    def box(self) -> Box:
        """The limits as they were read back."""
        enforcement = dict(self._sandbox.enforcement())
        return Box(enforcement.pop("sandbox", "unknown"), enforcement)

    def log(self) -> str:
        """The newest of its output, escaped."""
        return self._sandbox.log()

    async def read_log(self) -> str:
        """The newest of its output, which some boxes must ask for."""
        await self._sandbox.read_log()
        return self._sandbox.log()

    @staticmethod
    async def _first(opening: "asyncio.Future[BotConnection]", dying: "asyncio.Future[Death]") -> BotConnection:
        """The connection, or StartFailed if the bot died before it was ready."""
        if not opening.done():
            opening.cancel()
            with suppress(asyncio.CancelledError, BotFault):
                await opening
            raise StartFailed(f"ended before it was ready: {dying.result().sentence}")
        dying.cancel()
        with suppress(asyncio.CancelledError):
            await dying
        return opening.result()


class BoxedLink:
    """A link that freezes its bot while it is not asked, and counts the processor time of each answer."""

    def __init__(self, link: Link, bot: BoxedBot, *, freezing: bool) -> None:
        self._link = link
        self._bot = bot
        self._freezing = freezing

    async def call(self, request: bytes, wait: float, leniency: Leniency = STRICT) -> Answer:
        """Thaw the bot, ask it, and freeze it again."""
        sandbox = self._bot.sandbox
        if self._freezing:
            await sandbox.thaw()
        before = sandbox.cpu_time()
        try:
            answer = await self._link.call(request, wait, leniency)
        except BotFault as fault:
            raise await self._bot.refine(fault) from fault
        finally:
            spent = sandbox.cpu_time() - before
            if self._freezing:
                await sandbox.freeze()
        return replace(answer, cpu=spent)

    async def tell(self, request: bytes) -> None:
        """Thaw the bot and let it read; the match is over, so it is not frozen again."""
        if self._freezing:
            await self._bot.sandbox.thaw()
        await self._link.tell(request)

    async def close(self) -> None:
        """End the stream, with the bot awake to see it."""
        if self._freezing:
            await self._bot.sandbox.thaw()
        await self._link.close()

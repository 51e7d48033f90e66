"""Server-sent events: what spectators of the same page are sent is made once for all of them, while there are any."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

MOST = 400
"""Streams at once; who comes later is told to try again."""
PING_S = 15.0
"""Seconds after which a silent stream says that it is alive, so that no proxy closes it."""
SHARE = 5
"""The pause between two looks is at least so many times as long as the look took."""
RETRY_MS = 3000


class Source(Protocol):
    """Where the events of a channel come from."""

    over: bool
    """Whether there will be no more."""

    def look(self) -> Sequence[str]:
        """The events since the last look; it may wait for a database, and runs in a thread."""
        ...


@dataclass(slots=True)
class Channel:
    """The events of one source and those who wait for more."""

    source: Source
    pause: float
    """Seconds between two looks."""
    latest_only: bool = False
    """Whether a newer event replaces all older ones."""
    events: list[str] = field(default_factory=list)
    forgotten: int = 0
    """How many events were replaced."""
    watchers: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    @property
    def total(self) -> int:
        """How many events there were."""
        return self.forgotten + len(self.events)

    def since(self, number: int) -> list[str]:
        """The events after so many, as far as they are still there."""
        return self.events[max(0, number - self.forgotten) :]

    async def run(self) -> None:
        """Look again and again."""
        while not self.source.over:
            began = time.monotonic()
            try:
                self.publish(await asyncio.to_thread(self.source.look))
            except Exception:  # a fault of ours must not leave spectators with an old state unnoticed
                logging.getLogger("uvicorn.error").exception("what is live could not be read")
            await asyncio.sleep(max(self.pause, SHARE * (time.monotonic() - began)))
        self.publish(())

    def publish(self, events: Sequence[str]) -> None:
        """Add events and wake all who wait; none at all if nothing happened."""
        if not events and not self.source.over:
            return
        if self.latest_only and events:
            self.forgotten += len(self.events)
            self.events = []
        self.events += events
        self.changed.set()
        self.changed = asyncio.Event()


class Streams:
    """All channels that somebody watches."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._channels: dict[str, Channel] = {}
        self._stopping = asyncio.Event()
        self.count = 0

    @property
    def full(self) -> bool:
        """Whether nobody else may watch now."""
        return self.count >= self._most

    def stop(self) -> None:
        """End all streams."""
        self._stopping.set()
        for channel in self._channels.values():
            channel.changed.set()

    async def follow(self, name: str, make: Callable[[], Channel], start: int = 0) -> AsyncIterator[str]:
        """The text of a stream: the events of a channel after so many, as long as its reader stays."""
        channel = self._channels.get(name)
        if channel is None:
            channel = self._channels[name] = make()
            channel.task = asyncio.create_task(channel.run())
        channel.watchers += 1
        self.count += 1
        try:
            yield f"retry: {RETRY_MS}\n\n"
            async for text in self._events(channel, start):
                yield text
        finally:
            self.count -= 1
            channel.watchers -= 1
            if not channel.watchers:
                self._close(name, channel)

    async def _events(self, channel: Channel, number: int) -> AsyncIterator[str]:
        while not self._stopping.is_set():
            changed = channel.changed
            if new := channel.since(number):
                number = channel.total
                yield "".join(new)
            elif channel.source.over:
                return
            else:
                try:
                    await asyncio.wait_for(changed.wait(), PING_S)
                except TimeoutError:
                    yield ": ping\n\n"

    def _close(self, name: str, channel: Channel) -> None:
        if self._channels.get(name) is channel:
            del self._channels[name]
        if channel.task is not None:
            with suppress(RuntimeError):  # the loop is gone already
                channel.task.cancel()

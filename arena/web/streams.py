"""Server-sent events: what spectators of the same page are sent is made once for all of them, while there are any."""

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

MOST = 400
"""Streams at once; who comes later is told to try again."""
PING_S = 15.0
"""Seconds after which a silent stream says that it is alive, so that no proxy closes it."""
SHARE = 5
"""The pause between two looks is at least so many times as long as the look took."""
RETRY_MS = 3000


@dataclass(frozen=True, slots=True)
class Event:
    """A server-sent event."""

    text: str
    number: int | None = None
    """Readers who know so many of a counted kind have had it; without a number it is for everybody."""
    subject: str = ""
    """A newer event about the same takes its place."""


def event(kind: str, data: Mapping[str, Any], number: int | None = None, subject: str = "") -> Event:
    """An event of this kind; JSON has no line breaks, so it is one line of data.

    A browser that lost its connection says the number of the last event that it got.
    """
    told = "" if number is None else f"id: {number}\n"
    packed = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return Event(f"{told}event: {kind}\ndata: {packed}\n\n", number, subject)


class Source(Protocol):
    """Where the events of a channel come from."""

    over: bool
    """Whether there will be no more."""

    def look(self) -> Sequence[Event]:
        """The events since the last look; it may wait for a database, and runs in a thread."""
        ...


@dataclass(slots=True)
class Channel:
    """The events of one source and those who wait for more."""

    source: Source
    pause: float
    """Seconds between two looks."""
    pushed: bool = False
    """Whether `Streams.wake` makes it look before the pause is over."""
    events: dict[int, Event] = field(default_factory=dict)
    """Those that were not replaced, by their place among all."""
    total: int = 0
    """How many events there were."""
    watchers: int = 0
    over: bool = False
    """Whether the last event is among them."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the source has something new."""
    task: asyncio.Task[None] | None = None

    def since(self, sent: int, known: int) -> list[str]:
        """The events after so many, as far as they are still there, for a reader who knows those up to this number."""
        new = (event for place, event in self.events.items() if place >= sent)
        return [event.text for event in new if event.number is None or event.number > known]

    async def run(self) -> None:
        while not self.source.over:
            began = time.monotonic()
            self.news.clear()
            try:
                self.publish(await asyncio.to_thread(self.source.look))
            except Exception:  # a fault of ours must not leave spectators with an old state unnoticed
                logging.getLogger("uvicorn.error").exception("what is live could not be read")
            if not self.source.over:
                await self._wait(SHARE * (time.monotonic() - began))
        self.over = True
        self._wake()

    async def _wait(self, least: float) -> None:
        await asyncio.sleep(least)
        with suppress(TimeoutError):
            await asyncio.wait_for(self.news.wait(), max(0.0, self.pause - least))

    def publish(self, events: Sequence[Event]) -> None:
        """Add events, if there are any, and wake all who wait."""
        if not events:
            return
        renewed = {event.subject for event in events if event.subject}
        if renewed:
            self.events = {place: event for place, event in self.events.items() if event.subject not in renewed}
        self.events |= dict(enumerate(events, self.total))
        self.total += len(events)
        self._wake()

    def _wake(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()


class Streams:
    """All channels that somebody watches."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._channels: dict[str, Channel] = {}
        self._stopping = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.count = 0

    @property
    def full(self) -> bool:
        """Whether nobody else may watch now."""
        return self.count >= self._most

    def stop(self) -> None:
        self._stopping.set()
        for channel in self._channels.values():
            channel.changed.set()

    def wake(self) -> None:
        """Let the channels that are pushed look at once; from any thread."""
        if self._loop is not None:
            with suppress(RuntimeError):  # it has ended
                self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        for channel in self._channels.values():
            if channel.pushed:
                channel.news.set()

    async def follow(self, name: str, make: Callable[[], Channel], known: int = 0) -> AsyncIterator[str]:
        """The text of a stream: what its reader does not know yet of a channel, for as long as the reader stays."""
        self._loop = asyncio.get_running_loop()
        channel = self._channels.get(name)
        if channel is None:
            channel = self._channels[name] = make()
            channel.task = asyncio.create_task(channel.run())
        channel.watchers += 1
        self.count += 1
        try:
            yield f"retry: {RETRY_MS}\n\n"
            async for text in self._events(channel, known):
                yield text
        finally:
            self.count -= 1
            channel.watchers -= 1
            if not channel.watchers:
                self._close(name, channel)

    async def _events(self, channel: Channel, known: int) -> AsyncIterator[str]:
        sent = 0
        while not self._stopping.is_set():
            changed, new = channel.changed, channel.since(sent, known)
            sent = channel.total
            if new:
                yield "".join(new)
            elif channel.over:
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

"""A link whose other end is a plain socket: the test itself says every byte that the bot sends."""

import asyncio
import socket
import time
from contextlib import asynccontextmanager

from arena.links.grpc import GrpcLink
from arena.links.http2 import Http2
from arena.referee.player import STRICT
from tests.links.hostile_server import DATA, HEADERS, SETTINGS, frame, message

END_STREAM, END_HEADERS = 0x1, 0x4
GREETING = frame(SETTINGS)


def literal(name, value):
    """One header, written out; both are short."""
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


HEAD = frame(HEADERS, b"\x88" + literal(b"content-type", b"application/grpc"), flags=END_HEADERS, stream=1)
TRAILERS = frame(HEADERS, literal(b"grpc-status", b"0"), flags=END_HEADERS | END_STREAM, stream=1)


def reply(data=b"reply", stream=1):
    return frame(DATA, message(data), stream=stream)


class Wire:
    """Both ends of one match: the referee's link on stream 1, and the bot's naked socket."""

    def __init__(self, http, far):
        self.http = http
        self.far = far
        self.link = GrpcLink(http, "/test/Play", time.monotonic)

    async def greet(self, *segments):
        """Send these bytes to a referee that reads them at once."""
        with self.http.reading():
            await self.say(*segments)
            await self.http.settings_received

    async def say(self, *segments):
        """Send these bytes, with a moment for the loop to read each of them."""
        for segment in segments:
            if self.far.fileno() < 0:
                return  # it has hung up itself
            try:
                await asyncio.get_running_loop().sock_sendall(self.far, segment)
            except (BrokenPipeError, ConnectionResetError):
                return  # the referee has hung up
            for _ in range(3):
                await asyncio.sleep(0)

    async def answer_soon(self, *segments, after=0.0):
        """Send these bytes while the referee waits."""
        await asyncio.sleep(after)
        await self.say(*segments)

    async def ask(self, *segments, request=b"", wait=5.0, policy=STRICT, after=0.0):
        """Call the bot, which sends these bytes while the referee waits; all are sent before this ends."""
        later = asyncio.create_task(self.answer_soon(*segments, after=after))
        try:
            return await self.link.call(request, wait, policy)
        finally:
            await later


@asynccontextmanager
async def wired():
    """A wire; whatever asyncio would complain about on the organiser's screen fails the test."""
    complaints = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    near, far = socket.socketpair()
    near.setblocking(False)
    far.setblocking(False)
    try:
        http = await Http2.on(near, time.monotonic)
        yield Wire(http, far)
        http.close()
        await asyncio.sleep(0)
    finally:
        far.close()
    assert not complaints, complaints


@asynccontextmanager
async def greeted(opening=GREETING + HEAD):
    """A wire on which the bot has said these bytes already."""
    async with wired() as wire:
        await wire.greet(opening)
        yield wire

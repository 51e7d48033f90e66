"""What a move costs on the way to a bot and back, as a ratio to a bare grpc.aio stream with the same payload.

    python -m bench.transport [--rounds 40]

All paths are measured in turns in one run, because the machine's noise is larger than the differences.
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
from grpc_health.v1 import health_pb2
from rich.console import Console
from rich.table import Table

from arena import registry
from arena.clock import TimeControl
from arena.errors import Disconnected
from arena.links.connection import OPTIONS, BotConnection, unix_connect
from arena.links.frames import PREFIX_BYTES
from arena.links.grpc import GrpcLink
from arena.links.local import LocalLink
from arena.links.tap import Tap
from arena.match import Contestant, MatchSpec, Turn
from arena.player import Answer, Player
from arena.referee import play
from arena.sdk import Bot, Session, serve

METHOD = "/arena.wire.v1.ClaimBotService/Play"
GAME = registry.find("claim")
CONTROL = TimeControl.parse("5s/move+10s")
SPEC = MatchSpec("bench", "claim", GAME.configure(2, {}), 7, (Contestant("a"), Contestant("b")), CONTROL)

Payload = list[tuple[bytes, bytes]]


class First(Bot[Any, Any]):
    """Thinks about nothing."""

    def choose(self, turn: Turn[Any, Any]) -> Any:
        """The first legal move."""
        return (turn.legal or ())[0]


class Recorder(LocalLink):
    """Keeps what was said."""

    said: Payload

    async def call(self, request: bytes, wait: float) -> Answer:
        """Ask, and keep both."""
        answer = await super().call(request, wait)
        self.said.append((request, answer.reply))
        return answer


async def record() -> Payload:
    """Every request and reply of seat 0 in one match."""
    links = [Recorder(Session(GAME, First()).handle, time.perf_counter) for _ in range(2)]
    for link in links:
        link.said = []
    await play(GAME, [Player(GAME.codec, link, CONTROL) for link in links], SPEC)
    return links[0].said


# -- the other side: a process that only echoes, and a process with a real bot ----------------------------


def echo_handler(replies: list[bytes]) -> grpc.GenericRpcHandler:
    """Answers the requests of a stream with these replies, over and over."""

    async def echo(requests: AsyncIterator[bytes], _context: Any) -> AsyncIterator[bytes]:
        number = 0
        async for _ in requests:
            yield replies[number % len(replies)]
            number += 1

    async def check(_request: bytes, _context: Any) -> bytes:
        return bytes(health_pb2.HealthCheckResponse(status=health_pb2.HealthCheckResponse.SERVING).SerializeToString())

    class Handler(grpc.GenericRpcHandler):  # type: ignore[misc]  # grpc has no types
        def service(self, details: Any) -> Any:
            if details.method == METHOD:
                return grpc.stream_stream_rpc_method_handler(echo)
            return grpc.unary_unary_rpc_method_handler(check)

    return Handler()


async def serve_echo(path: str) -> None:
    """The bare peer: grpc.aio and nothing else."""
    server = grpc.aio.server(handlers=[echo_handler([reply for _, reply in await record()])])
    server.add_insecure_port(f"unix:{path}")
    await server.start()
    await server.wait_for_termination()


@contextmanager
def process(kind: str, path: Path) -> Iterator[None]:
    """This very file in another process, as a server of this kind."""
    environment = {**os.environ, "ARENA_SOCKET": str(path)}
    child = subprocess.Popen([sys.executable, "-P", __file__, "--serve", kind], env=environment)  # noqa: S603
    try:
        yield
    finally:
        child.kill()
        child.wait()


# -- the paths --------------------------------------------------------------------------------------------


class DirectTap(Tap):
    """Stands in for the relay when there is none."""

    def expect(self, size: int, *, reply: bool) -> None:
        """All is sent at once."""
        super().expect(size, reply=reply)
        self.sent(size + PREFIX_BYTES)

    def take(self) -> bool:
        """Whatever is delivered has just arrived."""
        self._on_message()
        return super().take()


async def ping_pong(link: GrpcLink, payload: Payload) -> None:
    """One match's messages over a link."""
    for request, _ in payload:
        await link.call(request, 5.0)


async def bare(stream: Any, payload: Payload) -> None:
    """The same messages over a bare stream."""
    for request, _ in payload:
        await stream.write(request)
        await stream.read()


async def whole(connections: list[BotConnection]) -> None:
    """A real match of real bots."""
    links = await asyncio.gather(*(connection.open_match(GAME.codec) for connection in connections))
    result = await play(GAME, [Player(GAME.codec, link, CONTROL) for link in links], SPEC)
    if result.outcome.reason == "void" or not result.outcome.ranks:
        raise Disconnected(str(result.verdicts))
    await asyncio.gather(*(link.close() for link in links))


async def local() -> None:
    """The same match in this process, to know what the rules and the codec cost."""
    links = [LocalLink(Session(GAME, First()).handle, time.perf_counter) for _ in range(2)]
    await play(GAME, [Player(GAME.codec, link, CONTROL) for link in links], SPEC)


async def measure(rounds: int, folder: Path) -> dict[str, list[float]]:
    """Microseconds per move of every path, one number per round."""
    payload = await record()
    with process("echo", folder / "e"), process("bot", folder / "0"), process("bot", folder / "1"):
        echo = await BotConnection.open(unix_connect(folder / "e"), 10.0)
        bots = [await BotConnection.open(unix_connect(folder / seat), 10.0) for seat in ("0", "1")]
        channel = grpc.aio.insecure_channel(f"unix:{folder / 'e'}", options=OPTIONS)
        stream = channel.stream_stream(METHOD)()
        direct_stream = channel.stream_stream(METHOD)()
        direct = GrpcLink(direct_stream, DirectTap(time.monotonic), lambda *_: Disconnected(""), time.monotonic)
        relayed = await echo.open_match(GAME.codec)
        # A match of two seats has twice the moves of one, and one start per seat.
        paths: dict[str, tuple[Callable[[], Awaitable[None]], int]] = {
            "bare grpc.aio stream": (lambda: bare(stream, payload), len(payload)),
            "GrpcLink without relay": (lambda: ping_pong(direct, payload), len(payload)),
            "GrpcLink with relay": (lambda: ping_pong(relayed, payload), len(payload)),
            "referee, player, relay, SDK bot": (lambda: whole(bots), 2 * len(payload)),
            "rules and codec alone, in process": (local, 2 * len(payload)),
        }
        took: dict[str, list[float]] = {name: [] for name in paths}
        for number in range(rounds + 3):
            for name, (run, moves) in paths.items():
                started = time.perf_counter()
                await run()
                if number >= 3:  # the first rounds warm up
                    took[name].append((time.perf_counter() - started) / moves * 1e6)
        for connection in (echo, *bots):
            await connection.close()
        await channel.close()
    return took


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--serve", choices=("echo", "bot"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve == "echo":
        asyncio.run(serve_echo(os.environ["ARENA_SOCKET"]))
    elif options.serve == "bot":
        serve(First, game="claim")
    else:
        with tempfile.TemporaryDirectory() as folder:
            took = asyncio.run(measure(options.rounds, Path(folder)))
        table = Table("path", "µs per move (median)", "best", "ratio to bare (median of rounds)")
        floor = took["bare grpc.aio stream"]
        for name, times in took.items():
            ratio = statistics.median(each / low for each, low in zip(times, floor))
            table.add_row(name, f"{statistics.median(times):.0f}", f"{min(times):.0f}", f"{ratio:.2f}")
        Console().print(table)


if __name__ == "__main__":
    main()
